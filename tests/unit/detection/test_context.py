"""Contextual terms in plans, and as labels of a training."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_deid.app import TrainOptions, train
from spark_deid.core.errors import UsageError
from spark_deid.detection.context.detector import correlations_of
from spark_deid.detection.context.rules import CorrelationSettings
from spark_deid.pipeline.describing import public_plan
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_plan

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r"}
NAMES = ("Ash", "Birch", "Cedar", "Elm")


def plan(context: Mapping[str, object], *sources: str) -> PlanSettings:
    return check_plan(PLAN | {"context": context, "sources": list(sources)}, "plan")


def test_categories_take_their_routes() -> None:
    settings = plan({"NAME": {"min_lift": 3}, "TOWN": {"route": "label"}}, "gold", "context")
    assert correlations_of(settings, "remove") == (CorrelationSettings("NAME", min_lift=3),)
    assert correlations_of(settings, "label") == (CorrelationSettings("TOWN", "label"),)
    assert "terms that reveal identifiers: NAME (support 3, confidence 0.5, lift 3)" in explain(settings)
    assert public_plan(settings)["context"]["TOWN"]["route"] == "label"


def test_what_is_found_and_not_edited_is_reported() -> None:
    assert "because sources does not contain context" in explain(plan({"NAME": {}}, "gold"))


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"NAME": {"route": "label"}}, "no category has that route"),
        ({"NAME": {"min_support": 1}}, r"context\.NAME\.min_support"),
        ({"NAME": {"min_lift": 0.5}}, r"context\.NAME\.min_lift"),
        ({"NAME": {"max_words": 9}}, r"context\.NAME\.max_words"),
    ],
)
def test_a_wrong_plan_is_named(context: Mapping[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        plan(context, "gold", "context")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Write notes in which one name only is a laureate, and a plan that labels such terms."""
    rows = []
    for number in range(16):
        name = NAMES[number % 4]
        text = f"Mr {name}{' the laureate' if number % 4 == 0 else ''} came to us again."
        rows.append({"doc_id": f"d{number}", "text": text, "spans": [{"start": 3, "end": 3 + len(name), "label": "N"}]})
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "plan.yaml").write_text(
        "input: {path: x, format: text}\nworkspace: w\nrelease: r\nsources: [gold]\n"
        "context: {N: {route: label, min_lift: 2}}\n"
    )
    return tmp_path


def test_labelled_terms_are_learned_as_labels_of_their_own(corpus: Path) -> None:
    lines: list[str] = []
    options = TrainOptions(
        input=str(corpus / "notes.jsonl"),
        format="jsonl",
        output=corpus / "model",
        labels=("N",),
        learner="svm",
        features="hide",
        context=corpus / "plan.yaml",
        workers=1,
    )
    report = train(options, lines.append).report
    assert report["settings"]["labels"] == ["N", "N-CONTEXT"]
    assert report["context"] == {"N": {"rules": 2, "terms": 2}}
    assert any("by category: N 2" in line for line in lines)
    assert not any("laureate" in place.read_text() for place in (corpus / "model").glob("*.json"))
    assert "laureate" not in "\n".join(lines)


def test_a_plan_without_such_a_category_is_refused(corpus: Path) -> None:
    (corpus / "plan.yaml").write_text("input: {path: x, format: text}\nworkspace: w\nrelease: r\nsources: [gold]\n")
    notes, plan = corpus / "notes.jsonl", corpus / "plan.yaml"
    with pytest.raises(UsageError, match="route: label"):
        train(TrainOptions(input=str(notes), format="jsonl", output=corpus / "model", context=plan))
