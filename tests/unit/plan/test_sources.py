"""Which detectors' spans a plan edits."""

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import check_plan

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}
ALL = {"model": "m", "patterns": {"kinds": "all"}, "context": {"NAME": {}}, "repeats": {"k": 4}}


def plan(**changes: object) -> PlanSettings:
    return check_plan(PLAN | changes, "plan")


def test_silent_sources_are_every_detector_but_gold() -> None:
    settings = plan(**ALL)
    assert settings.edited == tuple(settings.sections) == ("model", "patterns", "context", "repeats")
    assert settings.exempt == ("gold",)
    assert settings.resolved()["sources"] == ["model", "patterns", "context", "repeats"]


def test_what_only_labels_text_for_training_is_not_run() -> None:
    settings = plan(patterns={"kinds": "all"}, context={"NAME": {"route": "label"}})
    assert settings.edited == ("patterns",)


@pytest.mark.parametrize(
    ("sources", "exempt"),
    [
        (["gold"], {"model", "patterns", "context", "repeats"}),
        (["patterns"], {"model", "context", "repeats", "gold"}),
        (["repeats", "gold", "model"], {"patterns", "context"}),
        (["model", "patterns", "context", "repeats", "gold"], set()),
    ],
)
def test_what_sources_does_not_name_is_exempt_and_nothing_else(sources: list[str], exempt: set[str]) -> None:
    settings = plan(**ALL, sources=sources)
    assert set(settings.exempt) == exempt
    assert settings.edited == tuple(sources)
    assert set(settings.sections) == set(ALL)


def test_a_detector_that_the_plan_does_not_run_is_neither_edited_nor_exempt() -> None:
    settings = plan(patterns={"kinds": "all"}, sources=["patterns"])
    assert (settings.edited, settings.exempt) == (("patterns",), ("gold",))


def test_a_plan_that_edits_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the plan edits no spans\. Add a detector, .*, or sources: \[gold\]"):
        plan()
    with pytest.raises(UsageError, match="the plan edits no spans"):
        plan(patterns={"kinds": "all"}, sources=[])


@pytest.mark.parametrize("name", list(ALL))
def test_a_source_that_is_not_run_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=f"sources contains '{name}', but the plan does not run it. Add {name}: "):
        plan(sources=[name])


@pytest.mark.parametrize("methods", [{"sources": ["gold"]}, {"repeats": {"k": 4}}, {**ALL, "sources": ["repeats"]}])
def test_metadata_that_no_one_would_look_through_is_refused(methods: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"metadata\.note: detect needs a detector of any text in sources"):
        plan(**methods, metadata={"note": "detect", "ward": "keep"})
    assert plan(**methods, metadata={"note": "keyed"}).metadata == {"note": "keyed"}
    assert plan(**ALL, metadata={"note": "detect"}).metadata == {"note": "detect"}
