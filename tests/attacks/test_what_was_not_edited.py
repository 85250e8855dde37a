"""A report must not call everything replaced where ``sources`` leaves a detector out."""

from spark_deid.pipeline.describing import public_plan
from spark_deid.plan.load import check_plan
from spark_deid.report.phrases import assumptions

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}


def told(**methods: object) -> str:
    plan = public_plan(check_plan(PLAN | methods, "plan"))
    return " ".join(assumptions({"plan": plan, "assessments": [], "documents": 3}))


def test_what_was_and_what_was_not_edited_is_named() -> None:
    methods = {"patterns": {"kinds": "all"}, "repeats": {"k": 2}, "sources": ["patterns"]}
    report = told(**methods)
    assert "Every character of the spans of patterns was replaced" in report
    assert "Spans of repeats, gold were not edited" in report
    assert "a detector of this plan" not in report


def test_a_plan_that_edits_everything_reports_nothing_of_unedited_spans() -> None:
    assert "were not edited" not in told(patterns={"kinds": "all"}, sources=["patterns", "gold"])
