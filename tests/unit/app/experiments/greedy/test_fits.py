"""Fits of the experiment: what they are known by, how they travel, and that they are fits."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from spark_deid.app.experiments.greedy.fits import (
    CorpusState,
    ExperimentData,
    FitStore,
    carry_out,
    merge_requests,
    request_fit,
)
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.core.span import Span
from spark_deid.greedy.decoding import cost_sensitive, decode_as
from spark_deid.learners.base import TrainingExample
from tests.unit.greedy.guessing import corpus, experiment_data
from tests.unit.greedy.toy_learner import ToyLearner, ToyModel


def _start(base: ExperimentData) -> CorpusState:
    return CorpusState(tuple(case.view for case in base.cases))


def test_a_key_shows_learner_documents_and_removals_and_no_ratio() -> None:
    base = experiment_data()
    start = _start(base)
    changed = start.without({0: (Span(0, 3, "NAME"),)})
    asked = request_fit(start, "svm", (0, 1), (2,), (1.0,))
    assert asked.key == request_fit(_start(base), "svm", (0, 1), (2,), (5.0,)).key
    others = [
        request_fit(start, "crf", (0, 1), (2,), ()),
        request_fit(start, "svm", (0,), (2,), ()),
        request_fit(start, "svm", (0, 1), (3,), ()),
        request_fit(changed, "svm", (0, 1), (2,), ()),
    ]
    assert len({asked.key, *(other.key for other in others)}) == 5
    assert request_fit(changed, "svm", (1, 3), (2,), ()).key == request_fit(start, "svm", (1, 3), (2,), ()).key
    [both] = merge_requests([asked, asked._replace(ratios=(5.0,))])
    assert both.ratios == (1.0, 5.0)


def test_a_fit_predicts_as_its_learner_does_and_comes_back_from_the_store(tmp_path: Path) -> None:
    documents = corpus(12)
    base = experiment_data(documents)
    asked = request_fit(_start(base), "svm", tuple(range(8)), tuple(range(8, 12)), (10.0,))
    found = carry_out(asked, base.cases, base.experiment)
    model = base.experiment.learner("svm").fit([base.cases[i].example for i in range(8)], seed=0)
    for ratio, each in ((None, model), (10.0, decode_as(model, cost_sensitive(10.0)))):
        expected = {i: [(s.start, s.end) for s in each.predict(base.cases[i].view)] for i in range(8, 12)}
        assert {i: [(s.start, s.end) for s in spans] for i, spans in found.predictions[ratio].items()} == expected
    store = FitStore(tmp_path)
    assert store.read(asked) is None
    store.write(asked.key, found)
    read = store.read(asked)
    assert read is not None
    assert base.cells(asked.state, read.predictions[10.0]) == base.cells(asked.state, found.predictions[10.0])
    assert store.read(asked._replace(ratios=(2.0,))) is None
    assert np.isfinite(read.seconds)


class Told(ToyModel):
    """Find a word by Viterbi, and another by cost."""

    def with_bias(self, delta: float) -> "Told":
        return self

    def with_threshold(self, threshold: float) -> "Told":
        return Told((("mill", "NAME"),), None)


def test_fits_learn_from_what_is_asked_and_find_by_cost_what_their_thresholds_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learned: list[tuple[TrainingExample, ...]] = []

    class Spy(ToyLearner):
        def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
            learned.append(tuple(examples))
            return Told((("saw", "NAME"),), None)

    monkeypatch.setattr(GreedyExperimentSettings, "learner", lambda self, name: Spy())
    moved = tuple(
        each._replace(spans=(*each.spans, Span(len(each.text) - 3, len(each.text), "DATE"))) for each in corpus()
    )
    base = experiment_data(moved, auxiliary=("DATE",))
    for name in ("svm", "plain-crf"):
        found = carry_out(request_fit(_start(base), name, (0, 1, 2), (3, 4), (10.0,)), base.cases, base.experiment)
        words = {
            ratio: {moved[i].text[s.start : s.end] for i, spans in each.items() for s in spans}
            for ratio, each in found.predictions.items()
        }
        assert words == {None: {"saw"}, 10.0: {"mill"}}
        assert all(set(each) == {3, 4} for each in found.predictions.values())
    assert [[example.doc_id for example in examples] for examples in learned] == [["d0", "d1", "d2"]] * 2
    auxiliary = [[span.label for example in examples for span in example.auxiliary] for examples in learned]
    assert auxiliary == [["DATE"] * 3, []]
