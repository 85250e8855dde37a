"""From what attackers learn, how they decode, and how sure their figures are."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from spark_deid.core.span import Span
from spark_deid.greedy.attack.attackers import (
    PUBLIC,
    AttackConfig,
    Attacker,
    AttackOutcome,
    attack,
    instances,
    public_examples,
)
from spark_deid.greedy.attack.figures import bootstrap
from spark_deid.greedy.attack.published import LabelledOriginal, publish
from spark_deid.greedy.decoding import PLAIN, DecodingRule
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.greedy.rounds import make_instance_sets
from spark_deid.learners.base import TrainingExample
from tests.unit.greedy.toy_learner import CORPUS, SURNAMES, ToyLearner, ToyModel, document

ALONE = tuple(document(i, f"the nurse saw {name} again", name) for i, name in enumerate(SURNAMES))
"""Each name is in one document: who learned from the others knows none."""


class Recorder:
    """Make toy learners, and show from which documents they learned."""

    def __init__(self) -> None:
        self.learned: list[frozenset[str]] = []

    def __call__(self, name: str, settings: Any) -> ToyLearner:
        learned = self.learned

        class Recorded(ToyLearner):
            def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
                learned.append(frozenset(example.doc_id for example in examples))
                return super().fit(examples, seed=seed)

        return Recorded()


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    made = Recorder()
    monkeypatch.setattr("spark_deid.greedy.attack.attackers.make_learner", made)
    return made


def cases() -> list[GameDocument]:
    return [publish(LabelledOriginal(each, ()), None).case for each in ALONE]


def config(**settings: Any) -> AttackConfig:
    return AttackConfig(learners=("svm",), features="hide", stronger="hide", **settings)


def test_attackers_do_not_learn_from_what_they_inspect(recorder: Recorder) -> None:
    attacks, _ = attack(cases(), config(folds=4))
    assert [each.total.true_positives for each in attacks] == [0]
    assert [len(learned) for learned in recorder.learned] == [9] * 4
    assert frozenset.intersection(*recorder.learned) == frozenset()


def test_who_has_public_data_learns_from_them_only(recorder: Recorder) -> None:
    told = {attack.attacker.source: attack.total for attack in attack(cases(), config(public=of(SURNAMES[:3])))[0]}
    assert told[PUBLIC].true_positives == 3
    assert recorder.learned[-1] == {"d0", "d1", "d2"}


def of(names: Sequence[str]) -> tuple[TrainingExample, ...]:
    return public_examples([document(i, f"{name} left", name) for i, name in enumerate(names)], None)


def test_placeholders_are_no_instances() -> None:
    [first, *_] = cases()
    instance_set = make_instance_sets([first], [ToyModel((), None).tokens(first.view)])[0]
    removed = replace(first, view=first.view.remove((Span(0, 9, "NAME"),)))
    assert instances(first, instance_set).tolist() == [True] * 5
    assert instances(removed, instance_set).tolist() == [False, False, True, True, True]


def test_attackers_try_viterbi_and_their_costs() -> None:
    assert config(loss_ratio=4).decodings() == {"viterbi": PLAIN, "cost": DecodingRule(threshold=0.2)}


def test_intervals_are_drawn_by_people() -> None:
    found, missed = ConfusionCounts(10, 0, 0, 5), ConfusionCounts(0, 5, 10, 0)
    told = AttackOutcome(Attacker("svm", "hide"), "viterbi", (found, missed) * 2)
    assert bootstrap(told, ["a", "b", "c", "d"], seed=0)["true_positives"] == [0, 40]
    one = bootstrap(told, ["a"] * 4, seed=0)
    assert (one["true_positives"], one["recall"]) == ([20, 20], [0.5, 0.5])


def test_gold_of_a_release_moves_with_its_text() -> None:
    shown = publish(LabelledOriginal(CORPUS[0], ()), ("NAME",)).case
    assert all(isinstance(span, Span) for span in shown.gold)
    assert [shown.view.text[s.start : s.end] for s in shown.gold] == ["Ann", "Ash", "Ann"]
