"""Packages of engines: the base requires no engine, mixtures are refused, and messages name a line to type."""

import tomllib
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.engine import installed
from spark_deid.engine.choice import EngineRequest, choose_engine

ROOT = Path(__file__).parents[3]
ENGINES = ("pyspark", "pyspark-client", "delta-spark", "pysail")


def test_no_unconditional_requirement_is_an_engine() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [each for each in project["dependencies"] if each.startswith(ENGINES)] == []
    assert len(project["dependencies"]) > 10


def test_each_extra_has_one_package_that_owns_the_folder_of_pyspark() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    owners = {extra: [each for each in extras[extra] if each.startswith("pyspark")] for extra in ("local", "spark")}
    assert {extra: len(found) for extra, found in owners.items()} == {"local": 1, "spark": 1}
    assert owners["local"][0].startswith("pyspark-client")
    assert owners["spark"][0].startswith("pyspark[connect]")


def test_mixed_packages_are_refused_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed, "installed_version", {"pyspark": "4.2.0", "pyspark-client": "4.2.0"}.get)
    with pytest.raises(UsageError, match=r"pip uninstall -y pyspark pyspark-client\), then install one again"):
        choose_engine(EngineRequest("run"))


def test_one_package_is_no_mixture(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ENGINES:
        monkeypatch.setattr(installed, "installed_version", {name: "4.2.0"}.get)
        assert installed.mixed_installation() is None


def test_without_an_engine_the_line_to_type_needs_no_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ["numpy", "pysail<0.8,>=0.7.2; extra == 'local'", 'pyspark-client>=4; extra == "local"']
    monkeypatch.setattr(installed, "requires", lambda package: given)
    assert installed.install_line("local").endswith("-m pip install 'pysail<0.8,>=0.7.2' 'pyspark-client>=4'")
