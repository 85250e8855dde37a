"""Detectors of installed packages, with a toy package that brings some."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.detection.registry import DETECTORS, DetectorError, installed_names, make_detector, spans_found
from spark_deid.plan.explain import check_detectors, explain
from spark_deid.plan.load import check_plan
from spark_deid.report.charts import detectors
from tests.unit.toy_packages import install

TOY = """
from spark_deid.core.kinds import DetectorKind, PlanSection
from spark_deid.core.span import Span

class Bees:
    def detect(self, text):
        return [Span(i, i + 1, "BEE") for i, c in enumerate(text) if c == "b"]

class Beyond:
    def detect(self, text):
        return [Span(0, len(text) + 1, "BEE")]

NOTHING = None

class AntSettings(PlanSection):
    legs: int = 6

ANTS = DetectorKind(
    describe=lambda settings: f"count {settings.legs} legs",
    legend="ants of all colours",
    settings=AntSettings,
    make=lambda settings, run: lambda text: (),
    example="ants: {legs: 6}",
)
"""
NAMES = {
    "bees": "toy_bees:Bees",
    "beyond": "toy_bees:Beyond",
    "nothing": "toy_bees:NOTHING",
    "missing": "toy_wasps:Wasps",
    "gold": "toy_bees:Bees",
    "patterns": "toy_bees:Bees",
    "ants": "toy_bees:ANTS",
}
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    install(tmp_path, monkeypatch, "toy_bees", TOY, {"spark_deid.detectors": NAMES})
    yield
    sys.modules.pop("toy_bees", None)
    make_detector.cache_clear()


def test_an_installed_detector_is_found_and_its_spans_bear_its_name() -> None:
    assert installed_names() == ("ants", "bees", "beyond", "missing", "nothing")
    assert spans_found("a bob", name="bees") == (Span(2, 3, "BEE", source="bees"), Span(4, 5, "BEE", source="bees"))
    assert spans_found("b\u00ad b", name="bees")[0] == Span(0, 1, "BEE", source="bees")
    assert Span(0, 2, "BEE", source="bees") in spans_found("b\u00ad b", name="bees")


def test_spans_outside_the_text_are_refused_without_quoting_it() -> None:
    with pytest.raises(DetectorError, match="inside a text of 5 characters") as error:
        spans_found("a bob", name="beyond")
    assert "bob" not in str(error.value)


def test_a_detector_that_a_worker_does_not_have_reports_it() -> None:
    with pytest.raises(UsageError, match="detectors: wasps is not installed on the machine"):
        make_detector("wasps")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", r"detectors missing: toy_wasps:Wasps can't be loaded \(ModuleNotFoundError\)"),
        ("nothing", "to be callable"),
        ("gold", "expected toy_bees:Bees to be"),
        ("wasps", "expected one of model, patterns, .*bees.*, got 'wasps'"),
    ],
)
def test_what_is_no_detector_reports_it(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        DETECTORS.find(name)


@pytest.mark.parametrize("name", ["missing", "nothing"])
def test_a_plan_that_runs_what_is_no_detector_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"detectors {name}: "):
        check_detectors(check_plan(PLAN | {"detectors": [name], "sources": ["gold"]}, "plan"))


def test_a_name_of_ours_is_not_taken() -> None:
    assert DETECTORS.find("patterns").legend == "patterns"
    settings = check_plan(PLAN | {"patterns": {"kinds": ["email"]}}, "plan")
    assert "patterns: email" in explain(settings)


def test_a_plan_runs_and_edits_it() -> None:
    settings = check_plan(PLAN | {"detectors": ["bees"], "sources": ["bees"]}, "plan")
    check_detectors(settings)
    assert "detector bees" in explain(settings)
    kept = check_plan(PLAN | {"detectors": ["bees"], "sources": ["gold"]}, "plan")
    assert "because sources does not contain bees" in explain(kept)


def test_a_kind_has_a_section_of_its_own() -> None:
    settings = check_plan(PLAN | {"ants": {"legs": 8}, "sources": ["ants"]}, "plan")
    assert settings.sections["ants"].legs == 8
    assert "8 legs" in explain(settings)
    with pytest.raises(UsageError, match=r"ants\.arms: unknown key; known keys: legs"):
        check_plan(PLAN | {"ants": {"arms": 8}, "sources": ["ants"]}, "plan")


def test_a_kind_that_is_listed_has_its_settings_as_they_are_silent() -> None:
    settings = check_plan(PLAN | {"detectors": ["ants"], "sources": ["ants"]}, "plan")
    assert settings.sections["ants"].legs == 6
    assert "6 legs" in explain(settings)


def test_a_detector_that_takes_the_name_of_gold_is_not_drawn_next_to_it() -> None:
    assert detectors(["gold", "bees"]) == ("gold", "bees")


@pytest.mark.parametrize("key", ["input", "release", "rules", "sources", "guarantees", "decoding"])
def test_a_key_of_plans_is_not_taken(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "keys").mkdir()
    install(tmp_path / "keys", monkeypatch, "toy_keys", "", {"spark_deid.detectors": {key: "toy_bees:Bees"}})
    settings = check_plan(PLAN | {"rules": {"NAME": "suppress"}, "sources": ["gold"], "guarantees": {}}, "plan")
    assert (settings.release, settings.rules_by_label["NAME"].technique) == ("r", "suppress")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sources": ["bees"]}, r"Add detectors: \[bees\]"),
        ({"sources": ["ants"]}, r"Add ants: \{legs: 6\}"),
        (
            {"sources": ["oracle"]},
            r"sources\[0\]: expected one of model, .*, ontology, erase, repeats, onnx, names, gold, ants, bees",
        ),
        (
            {"detectors": ["oracle"], "sources": ["gold"]},
            r"detectors\[0\]: expected an installed detector: ants, bees",
        ),
    ],
)
def test_a_plan_that_names_what_is_not_there_reports_what_is(change: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_plan(PLAN | change, "plan")
