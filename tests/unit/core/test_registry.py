"""Registries: kinds by name, built in or brought by packages."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind, GuaranteeKind, TechniqueKind
from spark_deid.core.registry import MethodRegistry
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import FORMATS
from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.learners.registry import LEARNERS, LearnerKind
from spark_deid.rewriting.registry import TECHNIQUES
from tests.unit.toy_packages import install

REGISTRIES: dict[type[Any], MethodRegistry[Any]] = {
    DetectorKind: DETECTORS,
    TechniqueKind: TECHNIQUES,
    GuaranteeKind: GUARANTEES,
    LearnerKind: LEARNERS,
    CorpusFormat: FORMATS,
}
GROUP = "spark_deid.toys"
TOY = "class Unlucky(Exception): ...\nBEAR = 'bear'\nNUMBER = 7\n"
BROKEN = "raise ValueError('Ann Lee')\n"


TOYS = MethodRegistry(
    noun="toy", group=GROUP, built_in=MappingProxyType({"sep": "os:sep"}), kind=str, expected="the name of a toy"
)
NAMES = {
    "bear": "toy_bears:BEAR",
    "number": "toy_bears:NUMBER",
    "sep": "toy_bears:BEAR",
    "absent": "toy_bears:ABSENT",
    "nowhere": "toy_nowhere:BEAR",
    "broken": "toy_broken:BEAR",
}


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    groups = {GROUP: NAMES} | {registry.group: {"bear": "toy_bears:NUMBER"} for registry in REGISTRIES.values()}
    (tmp_path / "toy_broken.py").write_text(BROKEN)
    install(tmp_path, monkeypatch, "toy_bears", TOY, groups)
    yield
    sys.modules.pop("toy_bears", None)


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: str(kind.__name__))
def test_what_is_built_in_is_of_its_kind(kind: type[Any]) -> None:
    found = dict(REGISTRIES[kind].built_in_items())
    assert tuple(found) == tuple(REGISTRIES[kind].built_in)
    assert all(isinstance(each, kind) for each in found.values())


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: str(kind.__name__))
def test_what_no_one_provides_is_refused_with_what_there_is(kind: type[Any]) -> None:
    registry = REGISTRIES[kind]
    with pytest.raises(UsageError, match=f"^{registry.noun}: expected one of {', '.join(registry.built_in)}.*'oracle'"):
        registry.find("oracle")


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: str(kind.__name__))
def test_what_a_package_provides_has_to_be_of_its_kind(kind: type[Any]) -> None:
    registry = REGISTRIES[kind]
    assert registry.names() == (*registry.built_in, "bear")
    with pytest.raises(UsageError, match=f"bear: expected toy_bears:NUMBER to be a {kind.__name__}"):
        registry.find("bear")


@pytest.mark.usefixtures("_installed")
def test_names_are_those_of_ours_and_then_of_packages() -> None:
    assert TOYS.names() == ("sep", "absent", "bear", "broken", "nowhere", "number")
    assert TOYS.installed() == ("absent", "bear", "broken", "nowhere", "number")
    assert TOYS.find("bear") == "bear"


@pytest.mark.usefixtures("_installed")
def test_a_name_of_ours_is_not_taken() -> None:
    assert TOYS.find("sep") == "/"
    assert dict(TOYS.built_in_items()) == {"sep": "/"}


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("absent", r"^toy absent: toy_bears:ABSENT can't be loaded \(AttributeError\)$"),
        ("nowhere", r"^toy nowhere: toy_nowhere:BEAR can't be loaded \(ModuleNotFoundError\)$"),
        ("broken", r"^toy broken: toy_broken:BEAR can't be loaded \(ValueError\)$"),
        ("number", "^toy number: expected toy_bears:NUMBER to be the name of a toy$"),
        ("doll", "^toy: expected one of sep, absent, bear, broken, nowhere, number, got 'doll'$"),
    ],
)
def test_what_is_no_toy_reports_it(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        TOYS.find(name)


def test_nothing_at_all_is_stated_as_well() -> None:
    bare: MethodRegistry[str] = MethodRegistry(
        noun="toy", group=GROUP, built_in={}, kind=str, expected="the name of a toy"
    )
    with pytest.raises(UsageError, match=r"^toy: expected one of none, got 'doll'$"):
        bare.find("doll")


@pytest.mark.usefixtures("_installed")
def test_a_name_that_two_packages_bring_is_refused_with_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.mkdir()
    install(other, monkeypatch, "toy_cubs", TOY, {GROUP: {"bear": "toy_cubs:BEAR", "doll": "toy_cubs:BEAR"}})
    with pytest.raises(UsageError, match=r"^toy bear: both toy_bears:BEAR and toy_cubs:BEAR provide it"):
        TOYS.find("bear")
    assert TOYS.find("doll") == "bear"


@pytest.mark.usefixtures("_installed")
def test_all_that_is_wrong_with_packages_is_reported_at_once() -> None:
    assert [fault.split(":")[0] for fault in TOYS.faults()] == [
        "toy sep",
        "toy absent",
        "toy broken",
        "toy nowhere",
        "toy number",
    ]
    assert (
        next(TOYS.faults()) == "toy sep: toy_bears:BEAR is ignored, because the package has a built-in toy of this name"
    )
