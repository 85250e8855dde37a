"""Plans that demand residual risk, against small models."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.guarantee import KIND, certificate_of
from spark_deid.greedy.train import train
from spark_deid.pipeline.recounting import expected_of
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.explain import check_guarantees, explain
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


def plan(model: Path, demand: Mapping[str, float] | None, **changes: object) -> PlanSettings:
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


def assessment_of(settings: PlanSettings) -> Assessment:
    """Assess what a plan demands of its model; no text is checked."""
    unseen: Any = None
    evidence = GuaranteeEvidence(settings, unseen, unseen, {}, documents=0, subjects=0)
    return KIND.assess(settings.demands["residual_risk"], evidence).assessment


def test_a_demand_that_training_meets_is_assessed(model: Path) -> None:
    settings = plan(model, {"loss_ratio": 10, "max_identified": 0.1, "max_residual": 0.1})
    check_guarantees(settings)
    assessment = assessment_of(settings)
    assert assessment.satisfied
    assert (assessment.guarantee, assessment.value, assessment.threshold) == ("residual-risk", 0.0, 0.1)
    assert expected_of(settings) == ("every-marked-character-edited", "residual-risk")
    certificate = certificate_of(settings)
    assert certificate is not None
    assert certificate.simulated
    assert KIND.tell(settings) == certificate.to_json()
    assert "loss_ratio 10" in explain(settings)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"guarantees": {"residual_risk": {"loss_ratio": 20}}}, "expected at least 20"),
        ({"patterns": {"kinds": ["email", "url"]}}, "was not part"),
        ({"sources": ["model"]}, "was not part"),
        ({"placeholders": ["[X]"]}, "was not part"),
        ({"decoding": "viterbi"}, "decodes in another way"),
        ({"sources": ["patterns"]}, "residual risk is unknown"),
        (
            {"names": {"propagate": True}, "sources": ["model", "patterns", "names"]},
            "names.propagate hides further words",
        ),
    ],
)
def test_a_demand_that_is_not_met_refuses_before_anything_is_read(
    model: Path, changes: dict[str, object], reason: str
) -> None:
    settings = plan(model, {"loss_ratio": 10}, **changes)
    with pytest.raises(GateRefused, match=f"nothing is released: residual-risk: .*{reason}"):
        check_guarantees(settings)
    assert not assessment_of(settings).satisfied


def test_names_that_hide_nothing_and_are_not_edited_are_no_matter_for_a_certificate(model: Path) -> None:
    off: dict[str, object] = {"names": {"propagate": False}, "sources": ["model", "patterns", "names"]}
    for changes in (off, {"names": {"propagate": True}, "sources": ["model", "patterns"]}):
        check_guarantees(plan(model, {"loss_ratio": 10}, **changes))


def test_with_too_little_labelled_text_left_nothing_is_published(tmp_path: Path) -> None:
    config = TrainConfig(key=b"k" * 32, workers=1, learner="svm", features="hide", min_train_remaining=1000)
    train(NOTES, config).save(tmp_path / "model")
    settings = plan(tmp_path / "model", {"loss_ratio": 10}, patterns=None, sources=["model"], decoding="viterbi")
    with pytest.raises(GateRefused, match=r"the remaining labelled text is too small"):
        check_guarantees(settings)


def test_a_plan_that_demands_nothing_is_assessed_for_nothing_but_still_reported(model: Path) -> None:
    settings = plan(model, None)
    check_guarantees(settings)
    assert "residual_risk" not in settings.demands
    assert expected_of(settings) == ("every-marked-character-edited",)
    assert KIND.tell(settings)["sensitive"] == len(NAMES)


def test_a_plan_that_edits_no_model_is_shown_no_text(model: Path) -> None:
    settings = plan(model, None, sources=["patterns"])
    assert certificate_of(settings) is None
    assert KIND.tell(settings) == {}


def test_a_wrong_demand_is_named(model: Path) -> None:
    with pytest.raises(UsageError, match=r"guarantees\.residual_risk\.max_identified"):
        plan(model, {"loss_ratio": 10, "max_identified": 7})
