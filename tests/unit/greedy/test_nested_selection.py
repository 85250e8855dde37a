"""Nothing is counted on what it was chosen on: bias, threshold and learner of a fold come from the other folds."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.app.experiments.greedy.fit_plans import LearnerEntry, play_best
from spark_deid.core.span import Span
from spark_deid.greedy.choosing import choose_candidate, choose_nested
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import PLAIN, DecodingRule, list_candidates
from spark_deid.greedy.fits import HeldOutPredictions, Predictions, fit, hold_together, plan_fits
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.game_documents import GameDocument, begin_cases
from spark_deid.greedy.parallel import LocalProcesses
from spark_deid.greedy.rounds import RoundStart, judge_best, judge_round, make_instance_sets
from tests.unit.greedy.toy_learner import CORPUS, KEY, ToyLearner, document

WORDS = "Ann saw one of ten"
EAGER = DecodingRule(-1.0)
NAME, VERB = Span(0, 3, "NAME"), Span(4, 7, "NAME")
FOUND_PLAIN: Predictions = ((), (NAME,), (NAME,))
FOUND_EAGER: Predictions = ((NAME,), (NAME, VERB), (NAME,))


def config(**settings: Any) -> TrainConfig:
    return TrainConfig(key=KEY, workers=1, min_train_remaining=0, **settings)


def cases_of(count: int) -> tuple[GameDocument, ...]:
    return begin_cases([document(i, WORDS, "Ann") for i in range(count)], config())[1]


def held(parts: Sequence[int], predictions: dict[DecodingRule, Predictions]) -> HeldOutPredictions:
    borders = np.array([0, 4, 8, 12, 15], np.int32), np.array([3, 7, 11, 14, 18], np.int32)
    return HeldOutPredictions(tuple(parts), (borders,) * len(parts), predictions)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(0, 2**32 - 1))
def test_a_part_has_no_part_in_what_is_chosen_for_it(parts: list[int], seed: int) -> None:
    draw = np.random.default_rng(seed)
    worth = draw.integers(0, 5, (3, 5))

    def best(counted: frozenset[int]) -> int:
        return int(worth[:, sorted(counted)].sum(1).argmax())

    before = choose_nested(parts, best)
    assert before.overall == best(frozenset(parts))
    assert set(before.by_part) == set(parts)
    for part in set(parts) if len(set(parts)) > 1 else ():
        kept = worth[:, part].copy()
        worth[:, part] = draw.integers(0, 50, 3)
        assert choose_nested(parts, best).by_part[part] == before.by_part[part]
        worth[:, part] = kept


def test_a_fold_is_predicted_by_the_bias_that_does_best_on_the_others() -> None:
    """Fold 0 gains by the eager decoding and the others lose less: it is best of all, and not best of the others."""
    chosen = choose_candidate(cases_of(3), held((0, 1, 2), {PLAIN: FOUND_PLAIN, EAGER: FOUND_EAGER}))
    assert chosen == (EAGER, ((), (NAME, VERB), (NAME,)))


def test_a_fold_has_no_part_in_its_threshold() -> None:
    """On a budget of .8 fold 0 would take the low threshold, which wastes words of the others only."""
    low, high = DecodingRule(threshold=0.1), DecodingRule(threshold=0.9)
    predictions: dict[DecodingRule, Predictions] = {
        low: ((NAME,), (NAME, VERB), (NAME, VERB)),
        high: ((), (NAME,), (NAME,)),
    }
    chosen = choose_candidate(cases_of(3), held((0, 1, 2), predictions), 0.8)
    assert chosen == (high, ((), (NAME,), (NAME,)))
    lenient: dict[DecodingRule, Predictions] = {
        low: ((NAME, VERB), (NAME,), (NAME,)),
        high: ((NAME,), (NAME,), (NAME,)),
    }
    assert choose_candidate(cases_of(3), held((0, 1, 2), lenient), 0.8) == (high, ((NAME, VERB), (NAME,), (NAME,)))


def test_counts_on_training_data_choose_once() -> None:
    predictions: dict[DecodingRule, Predictions] = {PLAIN: ((), ()), EAGER: ((NAME,), (NAME,))}
    assert choose_candidate(cases_of(2), held((0, 0), predictions)) == (EAGER, ((NAME,), (NAME,)))


def test_the_stop_test_counts_what_was_chosen_elsewhere() -> None:
    fits = held((0, 1, 2), {PLAIN: FOUND_PLAIN, EAGER: FOUND_EAGER})
    verdict = judge_round(1, "toy", cases_of(3), None, fits, config())
    assert (verdict.report.true_positives, verdict.report.false_positives) == (2, 1)
    assert verdict.report.bias == -1.0


def test_the_learner_of_a_fold_is_the_best_of_the_others() -> None:
    cases = cases_of(3)
    found = {"shy": ((), (NAME,), (NAME,)), "bold": ((NAME,), (NAME, VERB), (NAME, VERB))}
    start = RoundStart(1, cases, None, {}, config(), LocalProcesses(1), lambda line: None)
    instance_sets = make_instance_sets(cases, held((0, 1, 2), {}).tokens)
    verdicts = [
        judge_round(1, name, cases, instance_sets, held((0, 1, 2), {PLAIN: predictions}), config())
        for name, predictions in found.items()
    ]
    verdict = judge_best(start, instance_sets, verdicts, (0, 1, 2))
    assert verdict.report.learner == "shy"
    assert verdict.predictions == ((), (NAME,), (NAME,))
    assert verdict.report.candidates == {"shy": 1, "bold": 2}
    worse = [verdicts[1], replace_predictions(verdicts[0], ((VERB,), (NAME,), (NAME,)))]
    assert judge_best(start, instance_sets, worse, (0, 1, 2)).predictions == ((VERB,), (NAME, VERB), (NAME, VERB))


def replace_predictions(verdict: Any, predictions: Predictions) -> Any:
    report = replace(verdict.report, learner="worse")
    return verdict._replace(report=report, predictions=predictions)


@given(st.lists(st.tuples(*(st.integers(0, 6),) * 4), min_size=6, max_size=6))
def test_a_round_of_the_experiment_is_chosen_fold_by_fold(cells: list[tuple[int, int, int, int]]) -> None:
    """Obvious: for each fold, look at the errors of both learners on the two others."""
    folds = (0, 1, 2)
    counts = {
        (name, fold): ConfusionCounts(*cells[3 * n + fold]) for (n, name), fold in product(enumerate("ab"), folds)
    }
    entries = [
        LearnerEntry(name, {fold: {fold: (Span(0, 1, name),)} for fold in folds}, {f: counts[name, f] for f in folds})
        for name in "ab"
    ]
    played = play_best(entries, folds)
    for fold in folds:
        a, b = (sum(counts[name, other].errors for other in folds if other != fold) for name in "ab")
        assert played.found[fold] == (Span(0, 1, "a" if a <= b else "b"),)
    assert played.counts == ConfusionCounts(*np.sum([counts[played.found[f][0].label, f] for f in folds], 0).tolist())
    a, b = (sum(counts[name, fold].errors for fold in folds) for name in "ab")
    assert played.learner == ("a" if a <= b else "b")


@pytest.mark.parametrize("folds", [2, 3])
def test_fits_show_by_which_fold_a_case_was_predicted(folds: int) -> None:
    _, cases = begin_cases(CORPUS, config())
    tasks = plan_fits(cases, ToyLearner(), config(folds=folds))
    together = hold_together(tasks, {number: fit(task) for number, task in enumerate(tasks) if task.held})
    assert together is not None
    assert set(together.predictions) <= set(list_candidates(config()))
    assert together.parts == tuple(next(n for n, task in enumerate(tasks) if i in task.held) for i in range(len(cases)))
