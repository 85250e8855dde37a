"""The loop with other learners than the CRF, and with the most accurate of several in each round."""

import json
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.greedy import train as training
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.train import train
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner

TEXT = CORPUS[0].text + " " + CORPUS[1].text


def config(**settings: Any) -> TrainConfig:
    standing: dict[str, Any] = {"key": KEY, "workers": 1, "features": "hide", "min_train_remaining": 0}
    return TrainConfig(**standing | settings)


@pytest.mark.parametrize("learner", ["svm", "adaboost"])
def test_rounds_state_what_fitted_them_and_load_by_it(learner: str, tmp_path: Path) -> None:
    sanitizer = train(CORPUS, config(learner=learner, max_rounds=2))
    sanitizer.save(tmp_path / "model")
    record = json.loads((tmp_path / "model" / "model.json").read_text())
    assert {entry["learner"] for entry in record["rounds"]} == {learner}
    assert sanitizer.report["rounds"][0]["learner"] == sanitizer.report["settings"]["learner"] == learner
    again = load_sanitizer(tmp_path / "model")
    assert again.detect(TEXT) == sanitizer.detect(TEXT) != ()
    assert again.decoding_as("cost").detect(TEXT) == sanitizer.decoding_as("cost").detect(TEXT)


def test_cost_sensitive_decoding_works_with_every_learner() -> None:
    sanitizer = train(CORPUS, config(learner="svm", decoding="cost", max_rounds=1))
    assert sanitizer.rounds[0].decoding.threshold == pytest.approx(1 / 11)


@pytest.fixture
def rivals(monkeypatch: pytest.MonkeyPatch) -> dict[str, ToyLearner]:
    """Let three toy learners play for each round; the second finds nothing at first, the third is not better."""
    learners = {"good": ToyLearner(), "blind": ToyLearner(share=1.1), "same": ToyLearner()}
    monkeypatch.setattr(training, "configured_learners", lambda config: learners)
    return learners


@pytest.mark.parametrize("counts", ["oof", "train"])
def test_each_round_is_played_by_the_learner_with_the_fewest_errors(rivals: dict[str, ToyLearner], counts: str) -> None:
    lines: list[str] = []
    sanitizer = train(CORPUS, config(learner="selection", counts=counts), lines.append)
    alone = train(CORPUS, config(counts=counts), learner=ToyLearner())
    assert [r.model for r in sanitizer.rounds] == [r.model for r in alone.rounds]
    assert {r.learner for r in sanitizer.rounds} == {"good"}
    first = sanitizer.report["rounds"][0]
    assert first["learner"] == "good"
    assert first["candidates"]["blind"] > first["candidates"]["good"] == first["candidates"]["same"]
    assert any("blind makes 36 errors" in line for line in lines)


def test_selection_stops_as_the_best_learner_does(rivals: dict[str, ToyLearner]) -> None:
    report = train(CORPUS, config(learner="selection")).report
    assert report["ended_by"] == "test"
    assert report["attacker"]["round"] == 3


def test_selection_takes_the_learners_of_the_package() -> None:
    assert tuple(training.configured_learners(config(learner="selection"))) == ("crf", "svm", "adaboost", "ensemble")


def test_an_unknown_learner_is_refused() -> None:
    with pytest.raises(
        UsageError, match="learner: expected one of crf, svm, adaboost, ensemble, crfsuite, bilstm, selection"
    ):
        config(learner="forest")
