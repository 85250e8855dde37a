"""Detectors of installed packages, with a toy package that brings one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from spark_deid.plan.detectors import check_detectors

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.detection.installed import DetectorError, detector_names, find_detector, make_detector, spans_found
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_plan

TOY = """
from spark_deid.core.span import Span

class Bees:
    def detect(self, text):
        return [Span(i, i + 1, "BEE") for i, c in enumerate(text) if c == "b"]

class Beyond:
    def detect(self, text):
        return [Span(0, len(text) + 1, "BEE")]

NOTHING = None
"""
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    info = tmp_path / "toy_detector_package-1.0.dist-info"
    info.mkdir()
    (tmp_path / "toy_bees.py").write_text(TOY)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-detector-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[spark_deid.detectors]\nbees = toy_bees:Bees\nbeyond = toy_bees:Beyond\nnothing = toy_bees:NOTHING\n"
        "missing = toy_wasps:Wasps\ngold = toy_bees:Bees\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("toy_bees", None)
    make_detector.cache_clear()


def test_an_installed_detector_is_found_and_its_spans_bear_its_name() -> None:
    assert detector_names() == ("bees", "beyond", "missing", "nothing")
    assert spans_found("a bob", name="bees") == (Span(2, 3, "BEE", source="bees"), Span(4, 5, "BEE", source="bees"))


def test_spans_outside_the_text_are_refused_without_quoting_it() -> None:
    with pytest.raises(DetectorError, match="inside a text of 5 characters") as error:
        spans_found("a bob", name="beyond")
    assert "bob" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "can't be loaded"),
        ("nothing", "to be callable"),
        ("gold", "installed one"),
        ("ants", "installed one"),
    ],
)
def test_what_is_no_detector_says_so(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        find_detector(name)


def test_a_plan_runs_and_edits_it() -> None:
    settings = check_plan(PLAN | {"detectors": ["bees"], "sources": ["bees"]}, "plan")
    check_detectors(settings)
    assert "apply the installed detector bees" in explain(settings)
    kept = check_plan(PLAN | {"detectors": ["bees"], "sources": ["gold"]}, "plan")
    assert "bees is run, but sources does not name it" in explain(kept)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sources": ["bees"]}, r"add detectors: \[bees\]"),
        ({"sources": ["oracle"]}, r"sources\[0\]: expected one of model, patterns, gold, repeats, context, bees"),
        ({"detectors": ["oracle"], "sources": ["gold"]}, r"detectors\[0\]: expected an installed detector \(bees"),
    ],
)
def test_a_plan_that_names_what_is_not_there_says_what_is(change: dict[str, list[str]], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_plan(PLAN | change, "plan")
