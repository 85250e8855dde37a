"""Plans that demand residual risk, against small models."""

from pathlib import Path
from typing import Any

import pytest
from spark_deid.plan.guarantees import assessments_of, certificate_of, check_guarantees, expected_guarantees

from spark_deid.core.document import Document
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import explain
from spark_deid.plan.load import check_plan
from spark_deid.text.patterns import PatternDetector

NAMES = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Gum")
NOTES = tuple(
    Document(f"d{i}", f"Mr {name} came to us again.", spans=(Span(3, 3 + len(name), "NAME"),))
    for i, name in enumerate(NAMES)
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "model"
    config = TrainConfig(
        key=b"k" * 32,
        workers=1,
        learner="svm",
        features="hide",
        decoding="cost",
        min_train_remaining=0,
        patterns=PatternDetector(kinds=("email",)),
    )
    train(NOTES, config).save(folder)
    return folder


def plan(model: Path, demand: dict[str, float] | None, **changes: object) -> PlanSettings:
    content: dict[str, object] = {
        "input": {"path": "notes", "format": "text"},
        "workspace": "w",
        "release": "r",
        "model": str(model),
        "patterns": {"kinds": ["email"]},
        "sources": ["model", "patterns"],
        "guarantees": {"residual_risk": demand},
    }
    settings = check_plan(content | changes, "plan")
    assert isinstance(settings, PlanSettings)
    return settings


def test_a_demand_that_training_meets_is_assessed(model: Path) -> None:
    settings = plan(model, {"loss_ratio": 10, "max_identified": 0.1, "max_residual": 0.1})
    check_guarantees(settings)
    [assessment] = assessments_of(settings)
    assert assessment.satisfied
    assert (assessment.guarantee, assessment.value, assessment.threshold) == ("residual-risk", 0.0, 0.1)
    assert expected_guarantees(settings) == ("residual-risk",)
    assert certificate_of(settings).simulated
    assert "loss_ratio 10" in explain(settings)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"guarantees": {"residual_risk": {"loss_ratio": 20}}}, "expected at least 20"),
        ({"patterns": {"kinds": ["email", "url"]}}, "took no part"),
        ({"sources": ["model"]}, "took no part"),
        ({"placeholders": ["[X]"]}, "took no part"),
        ({"decoding": "viterbi"}, "decodes in another way"),
        ({"sources": ["patterns"]}, "nothing is known"),
    ],
)
def test_a_demand_that_is_not_met_refuses_before_anything_is_read(
    model: Path, changes: dict[str, Any], reason: str
) -> None:
    settings = plan(model, {"loss_ratio": 10}, **changes)
    with pytest.raises(GateRefused, match=f"nothing is released: residual-risk: .*{reason}"):
        check_guarantees(settings)
    assert not any(assessment.satisfied for assessment in assessments_of(settings))


def test_with_too_little_labelled_text_left_nothing_is_published(tmp_path: Path) -> None:
    config = TrainConfig(key=b"k" * 32, workers=1, learner="svm", features="hide", min_train_remaining=1000)
    train(NOTES, config).save(tmp_path / "model")
    settings = plan(tmp_path / "model", {"loss_ratio": 10}, patterns=None, sources=["model"], decoding="viterbi")
    with pytest.raises(GateRefused, match=r"too little labelled text was left .*: no data should be published"):
        check_guarantees(settings)


def test_a_plan_that_demands_nothing_is_assessed_for_nothing_but_still_told(model: Path) -> None:
    settings = plan(model, None)
    check_guarantees(settings)
    assert (assessments_of(settings), expected_guarantees(settings)) == ((), ())
    assert certificate_of(settings).sensitive == len(NAMES)


def test_a_wrong_demand_is_named(model: Path) -> None:
    with pytest.raises(UsageError, match=r"guarantees\.residual_risk\.max_identified"):
        plan(model, {"loss_ratio": 10, "max_identified": 7})
