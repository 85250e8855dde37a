"""A round's counts by hand, and who learns from what."""

from collections.abc import Sequence
from typing import Any

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.fits import plan_fits
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, begin_cases
from spark_deid.greedy.parallel import LocalProcesses
from spark_deid.greedy.rounds import RoundStart, make_instance_sets, play_round, tally_round
from spark_deid.learners.base import TrainingExample
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner, ToyModel

TEXT = "Ann, Bob and Cid saw Rome."
ANN, BOB, CID, AND, SAW = (Span(*place, "NAME") for place in ((0, 3), (5, 8), (13, 16), (9, 12), (17, 20)))


def config(**settings: Any) -> TrainConfig:
    return TrainConfig(key=KEY, workers=1, min_train_remaining=0, **settings)


def game() -> tuple[tuple[GameDocument, ...], tuple[DocumentInstances, ...]]:
    documents = [Document(f"d{number}", TEXT, None, (ANN, BOB, CID)) for number in range(2)]
    cases = begin_cases(documents, config())[1]
    return cases, make_instance_sets(cases, [ToyModel((), None).tokens(case.view) for case in cases])


class ShyLearner(ToyLearner):
    """Learn nothing."""

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
        return ToyModel((), None)


def test_instances_are_words() -> None:
    [instance_set, _] = game()[1]
    assert [TEXT[a:b] for a, b in zip(instance_set.starts, instance_set.ends, strict=True)] == TEXT.strip(".").replace(
        ",", ""
    ).split()
    assert instance_set.sensitive.tolist() == [True, True, False, True, False, False]


def test_a_round_is_counted_on_what_is_left() -> None:
    cases, instance_sets = game()
    assert tally_round(cases, instance_sets, ((ANN, AND), ())) == (ConfusionCounts(1, 1, 5, 5), 0)
    later = (cases[0].without((ANN, AND)), cases[1].without((SAW,)))
    assert tally_round(later, instance_sets, ((ANN, AND, BOB, SAW), (CID,))) == (ConfusionCounts(2, 1, 3, 3), 2)


def test_no_fold_learns_what_it_is_asked_and_the_model_learns_everything() -> None:
    cases = begin_cases(CORPUS, config())[1]
    *folds, model = plan_fits(cases, ToyLearner(), config(folds=4))
    names = {case.doc_id for case in cases}
    assert sorted(i for task in folds for i in task.held) == list(range(len(cases)))
    for task in folds:
        learned = {example.doc_id for example in task.examples}
        assert learned == names - {cases[i].doc_id for i in task.held}
        assert not task.keep
    assert {example.doc_id for example in model.examples} == names
    assert (model.keep, model.held) == (True, ())


def test_the_model_of_a_round_is_its_best_learners() -> None:
    cases = begin_cases(CORPUS, config())[1]
    learners = {"shy": ShyLearner(), "toy": ToyLearner()}
    played = play_round(RoundStart(1, cases, None, learners, config(), LocalProcesses(1), lambda line: None))
    assert played.verdict.report.learner == "toy"
    assert played.model == ToyLearner().fit([case.example for case in cases], seed=0)


def test_a_round_that_fails_the_test_has_no_model() -> None:
    cases = begin_cases(CORPUS, config())[1]
    played = play_round(
        RoundStart(1, cases, None, {"shy": ShyLearner()}, config(), LocalProcesses(1), lambda line: None)
    )
    assert not played.verdict.report.kept
    assert played.model is None
