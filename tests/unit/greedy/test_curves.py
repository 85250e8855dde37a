"""What training reports count for their curves, by hand."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import PLAIN, DecodingRule
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game_documents import begin_cases
from spark_deid.greedy.learning_curve import RATIOS, SHARES, learning_curve
from spark_deid.greedy.rounds import make_instance_sets
from spark_deid.greedy.scoring import hidden_by_label, shares_of, tried_of
from spark_deid.greedy.train import train
from spark_deid.learners.base import TrainingExample
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner, ToyModel

TEXT = "Ann Lee and Bob saw Rome."
SPANS = (Span(0, 7, "NAME"), Span(12, 15, "NAME"), Span(20, 24, "CITY"))


def config(**settings: Any) -> TrainConfig:
    return TrainConfig(key=KEY, workers=1, min_train_remaining=0, **settings)


def test_an_annotation_is_in_clear_while_a_word_of_it_is_left() -> None:
    cases = begin_cases([Document(name, TEXT, None, SPANS) for name in "ab"], config())[1]
    assert hidden_by_label(cases) == {
        "CITY": {"annotations": 2, "in_clear": 2, "untouched": 2},
        "NAME": {"annotations": 4, "in_clear": 4, "untouched": 4},
    }
    cases = (cases[0].without((Span(0, 3, "X"), Span(12, 15, "X"))), cases[1].without((Span(0, 7, "CITY"),)))
    assert hidden_by_label(cases) == {
        "CITY": {"annotations": 2, "in_clear": 2, "untouched": 2},
        "NAME": {"annotations": 4, "in_clear": 2, "untouched": 1},
    }


def test_shares_are_of_the_words_of_the_whole_text() -> None:
    cases = begin_cases([Document(name, TEXT, None, SPANS) for name in "ab"], config())[1]
    instance_sets = make_instance_sets(cases, [ToyModel((), None).tokens(case.view) for case in cases])
    # 12 words, 8 of them identifiers; one other word was removed before, and this round takes one more unnecessarily.
    counts = ConfusionCounts(true_positives=5, false_positives=1, true_negatives=2, false_negatives=2)
    assert shares_of(counts, 1, instance_sets) == {"left": 0.25, "published": 0.5}
    mild, eager = DecodingRule(), DecodingRule(-1.0)
    nothing_left = ConfusionCounts(true_positives=7, false_positives=3, true_negatives=0, false_negatives=0)
    told = tried_of({eager: (nothing_left, 1), mild: (counts, 1)}, instance_sets)
    assert [(each["bias"], each["left"], each["published"]) for each in told] == [(0.0, 0.25, 0.5), (-1.0, 0.0, 0.0)]


class Spy(ToyLearner):
    """Remember what was learned from."""

    learned: list[frozenset[str]]

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
        self.learned.append(frozenset(example.doc_id for example in examples))
        return super().fit(examples, seed=seed)


def test_the_learning_curve_ends_where_training_begins_and_learns_from_ever_more() -> None:
    spy = Spy()
    object.__setattr__(spy, "learned", [])
    curve: Any = learning_curve(CORPUS, config(), PLAIN, lambda line: None, learner=spy)
    report: Any = train(CORPUS, config(), learner=ToyLearner()).report
    [tried] = report["rounds"][0]["tried"]
    last = curve["points"][-1]
    assert (last["left"], last["published"]) == (tried["left"], tried["published"])
    documents = [each["documents"] for each in curve["points"]]
    assert documents == sorted(set(documents))
    assert curve["ratios"] == []
    folds = config().folds
    by_share = [spy.learned[place : place + folds] for place in range(0, len(spy.learned), folds)]
    assert len(by_share) == len(SHARES)
    for less, more in pairwise(by_share):
        assert all(small < large for small, large in zip(less, more, strict=True))


def test_a_model_that_decodes_by_cost_is_compared_at_several_ratios() -> None:
    curve: Any = learning_curve(CORPUS, config(decoding="cost"), PLAIN, lambda line: None, learner=ToyLearner())
    assert [each["loss_ratio"] for each in curve["ratios"]] == list(RATIOS)


def test_a_training_report_has_the_recall_of_its_labels() -> None:
    report: Any = train(CORPUS, config(), learner=ToyLearner()).report
    assert sum(counts["annotations"] for counts in report["recall"].values()) == report["data"]["annotations"]
    assert sum(counts["in_clear"] for counts in report["recall"].values()) == 0
    one = train(CORPUS, config(max_rounds=1), learner=ToyLearner()).report
    in_clear: Any = one["recall"]
    assert sum(counts["in_clear"] for counts in in_clear.values()) > 0
