"""The order in which a plan's detectors look, and what else a plan's parts may ask of one another."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.clock import StageClock, say_nothing
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import check_plan, load_plan
from tests.unit.toy_packages import install

SWEEPS = """
from spark_deid.core.kinds import DetectorKind

def search(settings, corpus, context, edited):
    return corpus

SWEEP = DetectorKind(describe=str, legend="a sweep", search=search, sees="edited", example="detectors: [sweep]")
SEARCH = DetectorKind(describe=str, legend="a search", search=search, example="detectors: [search]")
"""
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    names = {"sweep": "toy_sweeps:SWEEP", "search": "toy_sweeps:SEARCH"}
    install(tmp_path, monkeypatch, "toy_sweeps", SWEEPS, {"spark_deid.detectors": names})
    yield
    sys.modules.pop("toy_sweeps", None)


def plan(**changes: object) -> PlanSettings:
    return check_plan(PLAN | changes, "plan")


def test_what_sees_the_edits_of_others_comes_after_all_others_wherever_it_is_named() -> None:
    settings = plan(detectors=["sweep", "search"], patterns={"kinds": "all"}, context={"NAME": {}}, repeats={"k": 4})
    assert tuple(settings.sections) == ("patterns", "search", "context", "sweep", "repeats")


def test_metadata_needs_a_detector_that_looks_through_single_values() -> None:
    for detectors in (["search"], ["sweep"]):
        with pytest.raises(UsageError, match=r"metadata\.ward: detect needs a detector of any text"):
            plan(detectors=detectors, metadata={"ward": "detect"})
    both = plan(detectors=["search"], patterns={"kinds": "all"}, metadata={"ward": "detect"})
    assert both.metadata == {"ward": "detect"}


def test_names_that_are_one_column_to_delta_are_refused() -> None:
    with pytest.raises(UsageError, match="'Ward' occurs twice"):
        plan(patterns={"kinds": "all"}, metadata=["ward", "Ward"])


@pytest.mark.parametrize("section", ["repeats:", "repeats: 4", "repeats: {min_length: 9}"])
def test_a_section_can_be_set_into_whatever_is_there(tmp_path: Path, section: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(f"input: {{path: notes, format: text}}\nworkspace: w\nrelease: r\n{section}\n", encoding="utf-8")
    assert load_plan(path, ["repeats.k=3"]).given("repeats").k == 3


def test_the_seconds_of_a_stage_that_comes_again_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    clock = StageClock(say_nothing)
    for name, seconds in (("read", 2.0), ("find", 3.0), ("read", 4.0)):
        clock.start(name)
        now[0] += seconds
    assert clock.done() == {"read": 6.0, "find": 3.0}
    assert clock.stop() == {"read": 6.0, "find": 3.0}
