"""uv.lock, whose versions ./dev installs: requirements of pyproject.toml, hashes, and one owner of pyspark's folder."""

import tomllib
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PACKAGE = "spark-deid"
PYSPARK, CLIENT = "pyspark", "pyspark-client"


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def packages() -> list[dict[str, Any]]:
    locked: list[dict[str, Any]] = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    return locked


@pytest.fixture(scope="module")
def own(packages: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = [each for each in packages if each["name"] == PACKAGE]
    return found


def lines_of(project: dict[str, Any]) -> dict[str, list[str]]:
    """Return the requirements by extra; those of the base have the extra ""."""
    found: dict[str, list[str]] = {"": project["project"]["dependencies"]}
    return found | project["project"]["optional-dependencies"]


def reached(packages: list[dict[str, Any]], names: Iterable[str]) -> set[str]:
    """Return the names of packages that these packages need, and themselves, on any platform."""
    needed: dict[str, set[str]] = {}
    for package in packages:
        extras = package.get("optional-dependencies", {}).values() if package["name"] != PACKAGE else ()
        all_needed = [*package.get("dependencies", ()), *(each for lines in extras for each in lines)]
        needed.setdefault(package["name"], set()).update(each["name"] for each in all_needed)
    found, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(needed.get(name, ()))
    return found


def test_the_lock_has_the_requirements_of_the_project(project: dict[str, Any], own: dict[str, Any]) -> None:
    parsed = [(extra, Requirement(line)) for extra, lines in lines_of(project).items() for line in lines]
    local = set(project["tool"]["uv"]["sources"]) | {PACKAGE}
    expected = {(each.name.lower(), str(each.specifier), extra) for extra, each in parsed if each.name not in local}
    locked = {
        (each["name"], str(Requirement(f"x{each.get('specifier', '')}").specifier), extra)
        for each in own["metadata"]["requires-dist"]
        if (extra := each.get("marker", "").removeprefix("extra == ").strip("'")) is not None
        and each["name"] not in local
    }
    assert locked == expected, "run ./dev lock"
    assert sorted(own["metadata"]["provides-extras"]) == sorted(project["project"]["optional-dependencies"])


def test_each_file_has_a_hash_and_comes_from_one_index(packages: list[dict[str, Any]]) -> None:
    registered = [each for each in packages if "registry" in each["source"]]
    files = [file for each in registered for file in (*each.get("wheels", ()), each.get("sdist")) if file]
    assert len(files) > 1_000
    assert [file["url"] for file in files if not file["hash"].startswith("sha256:")] == []
    assert len({each["source"]["registry"] for each in registered}) == 1
    assert {each["name"] for each in packages if each not in registered} == {
        PACKAGE,
        "spark-deid-english-neural",
        "spark-deid-jars",
    }


def test_the_base_reaches_no_package_of_spark(packages: list[dict[str, Any]], own: dict[str, Any]) -> None:
    base = reached(packages, [each["name"] for each in own["dependencies"]])
    assert len(base) > 40
    assert base & {PYSPARK, CLIENT, "delta-spark", "pysail"} == set()


def test_each_pair_of_extras_that_mixes_the_packages_of_spark_is_a_conflict(
    project: dict[str, Any], packages: list[dict[str, Any]], own: dict[str, Any]
) -> None:
    found = {
        extra: reached(packages, [each["name"] for each in lines])
        for extra, lines in own["optional-dependencies"].items()
    }
    classic = {extra for extra, names in found.items() if PYSPARK in names}
    client = {extra for extra, names in found.items() if CLIENT in names}
    assert (classic, client) == ({"spark", "dev"}, {"local"})
    conflicts = {frozenset(each["extra"] for each in pair) for pair in project["tool"]["uv"]["conflicts"]}
    assert conflicts == {frozenset(pair) for pair in product(classic, client)}


def test_set_up_names_its_extras_and_no_other_file(project: dict[str, Any]) -> None:
    text = (ROOT / "dev").read_text(encoding="utf-8")
    assert "prepare_venv .venv local\n" in text
    assert "prepare_venv .venv-dev spark dev\n" in text
    assert "--require-hashes" in text
    assert {"local", "spark", "dev"} <= set(project["project"]["optional-dependencies"])
