"""The games of the experiment, with fits that guess."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_deid.app.experiments.greedy.fit_plans import FoldAttack, FoldOutcome, fit_plans
from spark_deid.app.experiments.greedy.fits import ExperimentData, FitRequest, FitStore, request_fit
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings, parse_methods
from spark_deid.app.greedy_experiment import play_all
from spark_deid.core.errors import UsageError
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.greedy.rounds import tally_round
from tests.unit.greedy.guessing import Guesser, corpus, experiment_data

RATIOS = (1.0, 2.0, 5.0, 20.0)


def _silent(line: str) -> None:
    return None


def _told(outcome: FoldOutcome) -> FoldOutcome:
    """Everything of an outcome but what it cost."""
    removed: Any = [view.removed for view in outcome.published.views]
    return outcome._replace(published=removed, seconds=0.0)


def _play(
    base: ExperimentData, store: FitStore, salt: int = 0, stop_after: int | None = None
) -> tuple[tuple[FoldOutcome, ...], Guesser]:
    guesser = Guesser(base.cases, salt, stop_after)
    return play_all(fit_plans(base), store, guesser, _silent), guesser


@pytest.fixture
def store(tmp_path: Path) -> FitStore:
    return FitStore(tmp_path)


@settings(max_examples=3)
@given(st.integers(0, 10_000))
def test_ratios_read_off_one_loop_are_those_of_a_loop_each(tmp_path_factory: pytest.TempPathFactory, salt: int) -> None:
    base = experiment_data(methods=("greedy-plain-crf", "greedy-selection"), decoding="viterbi", loss_ratios=RATIOS)
    together, _ = _play(base, FitStore(tmp_path_factory.mktemp("together")), salt)
    alone: list[FoldOutcome] = []
    for ratio in RATIOS:
        single = replace(base, experiment=base.experiment.model_copy(update={"loss_ratios": (ratio,)}))
        alone.extend(_play(single, FitStore(tmp_path_factory.mktemp("alone")), salt)[0])
    by_place = {(each.method, each.fold, each.loss_ratio): _told(each) for each in alone}
    assert {key: _told(each) for each in together for key in [each[:3]]} == by_place
    assert {each.rounds for each in together} != {0}


def test_a_run_that_was_cut_off_does_the_rest_only(store: FitStore, tmp_path: Path) -> None:
    base = experiment_data(loss_ratios=(1.0, 10.0), methods=("crf", "svm", "plain-crf"))
    other = FitStore(tmp_path / "other")
    other.folder.mkdir()
    whole, all_fits = _play(base, other)
    with pytest.raises(KeyboardInterrupt):
        _play(base, store, stop_after=30)
    resumed, rest = _play(base, store)
    assert list(map(_told, resumed)) == list(map(_told, whole))
    assert len(rest.done) == len(all_fits.done) - 30
    again, nothing = _play(base, store)
    assert again == resumed
    assert nothing.done == []


def test_first_fits_serve_all_methods_folds_and_ratios(store: FitStore) -> None:
    base = experiment_data(loss_ratios=(1.0, 10.0), folds=4, methods=("once-svm", "cost-svm", "greedy-svm"))
    first = {asked.key for plan in fit_plans(base) for asked in next(plan)}
    assert len(first) == 4 + 4 * 3 // 2


def test_nothing_is_learned_from_a_document_that_is_judged() -> None:
    base = experiment_data(methods=("crf", "selection"))
    for plan in fit_plans(base):
        for asked in next(plan):
            assert not set(asked.trained) & set(asked.held)


def test_baselines_are_attacked_at_the_ratios_asked_for(store: FitStore) -> None:
    told: dict[str, Any] = {"loss_ratios": (1.0, 5.0, 10.0), "methods": ("svm",)}
    some, _ = _play(experiment_data(attack_ratios=(5.0,), **told), store)
    everything, _ = _play(experiment_data(**told), store)
    for alone, whole in zip(some, everything, strict=True):
        is_attacked = alone.method != "cost-svm" or alone.loss_ratio == 5
        assert _told(alone) == _told(whole if is_attacked else whole._replace(attacks=()))
        assert (alone.attack is None) == (not is_attacked)


def test_no_fit_of_any_round_or_attacker_learns_from_what_it_predicts(store: FitStore) -> None:
    base = experiment_data(methods=("crf", "selection"), attackers=("svm",), loss_ratios=(10.0,))
    _, guesser = _play(base, store)
    assert len(guesser.asked) > 60
    for asked in guesser.asked:
        assert not set(asked.trained) & set(asked.held)
        assert len({base.folds[i] for i in asked.trained}) < base.count


def test_attackers_learn_and_look_at_what_is_published_and_left(store: FitStore) -> None:
    base = experiment_data(methods=("once-crf",), attackers=("svm",), loss_ratios=(10.0,))
    outcomes, guesser = _play(base, store)
    attacks = [asked for asked in guesser.asked if asked.learner == "svm"]
    assert {asked.held for asked in attacks} == {base.inside(fold) for fold in range(base.count)}
    published = {outcome.fold: outcome.published.views for outcome in outcomes}
    for asked in attacks:
        fold = base.folds[asked.held[0]]
        assert set(asked.trained) == set(base.outside(fold))
        assert [asked.state.views[i] for i in asked.held] == [published[fold][i] for i in asked.held]
        assert any(asked.state.views[i].removed for i in asked.trained)


def test_an_attacker_who_weighs_costs_is_not_the_papers(store: FitStore) -> None:
    [outcome, *_], _ = _play(experiment_data(methods=("once-svm",), attackers=("svm",), loss_ratios=(10.0,)), store)
    plain, weighed = (
        FoldAttack("svm", "viterbi", ConfusionCounts(0, 3, 1, 1)),
        FoldAttack("svm", "cost", ConfusionCounts(1, 0, 0, 4)),
    )
    assert outcome._replace(attacks=(weighed, plain)).attack == plain
    assert outcome._replace(attacks=(weighed,)).attack is None


def test_a_classifier_that_finds_nothing_ends_the_loop_at_once(store: FitStore) -> None:
    base = experiment_data(methods=("greedy-svm",), decoding="viterbi", loss_ratios=(5.0,))

    class Blind(Guesser):
        def _spans(self, asked: FitRequest, number: int, ratio: float | None, seen: int) -> Iterator[Any]:
            return iter(())

    outcomes = play_all(fit_plans(base), store, Blind(base.cases), _silent)
    assert {(each.rounds, each.ended) for each in outcomes} == {(0, True)}


def test_the_loop_ends_after_twenty_rounds(store: FitStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.app.experiments.greedy.fit_plans.is_stop", lambda *counts: False)
    base = experiment_data(methods=("greedy-svm",), decoding="viterbi", loss_ratios=(5.0,))
    outcomes, _ = _play(base, store)
    assert {(each.rounds, each.ended) for each in outcomes} == {(20, False)}


def test_counts_are_those_of_training(store: FitStore) -> None:
    base = experiment_data(methods=("once-svm",), loss_ratios=(1.0,))
    outcomes, guesser = _play(base, store)
    for outcome in outcomes:
        numbers = base.inside(outcome.fold)
        found = {i: tuple(guesser._spans(_asked(base, outcome), i, None, 1)) for i in numbers}
        cases = [replace(base.cases[i], view=outcome.published.views[i]) for i in numbers]
        expected, _ = tally_round(cases, [base.instance_sets[i] for i in numbers], tuple(found[i] for i in numbers))
        assert base.cells(outcome.published, found) == expected


def _asked(base: ExperimentData, outcome: FoldOutcome) -> FitRequest:
    return request_fit(outcome.published, "svm", base.outside(outcome.fold), base.inside(outcome.fold), ())


def test_the_paper_attacker_is_the_most_accurate_by_viterbi(store: FitStore) -> None:
    outcomes, _ = _play(experiment_data(methods=("once-crf",), loss_ratios=(10.0,)), store)
    for outcome in outcomes:
        plain = [each for each in outcome.attacks if each.decoding == "viterbi"]
        assert {each.attacker for each in plain} == {"crf", "svm", "adaboost", "ensemble"}
        assert outcome.attack
        assert outcome.attack.counts.errors == min(each.counts.errors for each in plain)


def test_one_shot_classifiers_and_the_papers_loop_decide_by_viterbi() -> None:
    names = {"once-crf", "cost-crf", "greedy-crf", "greedy-plain-crf"}
    expected: dict[Literal["viterbi", "cost"], set[str]] = {
        "cost": {"cost-crf", "greedy-crf"},
        "viterbi": {"cost-crf"},
    }
    for decoding, weighing in expected.items():
        told = GreedyExperimentSettings(labels=("NAME",), methods=tuple(names), decoding=decoding)
        assert {method.name for method in told.parsed() if told.weighs_costs(method)} == weighing


def test_methods_are_named_only_or_with_their_hypothesis() -> None:
    assert [each.name for each in parse_methods(["cost-crf", "plain-crf"])] == [
        "greedy-plain-crf",
        "once-plain-crf",
        "cost-crf",
        "cost-plain-crf",
    ]
    with pytest.raises(UsageError, match="got greedy-tree"):
        GreedyExperimentSettings(labels=("NAME",), methods=("greedy-tree",))


def test_all_bad_settings_are_reported_at_once() -> None:
    with pytest.raises(UsageError, match=r"(?s)--labels.*--attackers.*--folds.*--loss-ratios.*--iterations"):
        GreedyExperimentSettings(labels=(), folds=2, loss_ratios=(0.0,), attackers=("tree",), iterations=0)


def test_folds_do_not_depend_on_the_order_of_documents() -> None:
    documents = corpus()
    there, back = experiment_data(documents), experiment_data(documents[::-1])
    assert there.folds == back.folds[::-1]
    with pytest.raises(UsageError, match="at least 4 people"):
        experiment_data(documents[:3], folds=4)


def test_counts_on_training_documents_remove_what_the_round_s_own_model_finds_there(store: FitStore) -> None:
    base = experiment_data(methods=("greedy-svm",), loss_ratios=(20.0,), decoding="viterbi", counts="train")
    outcomes, guesser = _play(base, store)
    rounds = [asked for asked in guesser.asked if asked.learner == "svm" and len(asked.held) == len(base.cases)]
    assert rounds
    for outcome in outcomes:
        trained = base.outside(outcome.fold)
        first = next(
            asked
            for asked in rounds
            if asked.trained == trained and not any(view.removed for view in asked.state.views)
        )
        found = guesser.found(first)
        for number in trained:
            removed = outcome.published.views[number].removed
            covered = {place for span in removed for place in range(span.start, span.end)}
            assert not outcome.rounds or covered >= {p for span in found[number] for p in range(span.start, span.end)}


def test_counts_out_of_fold_and_on_training_documents_are_other_games(store: FitStore, tmp_path: Path) -> None:
    settings: dict[str, Any] = {
        "methods": ("greedy-svm", "once-selection"),
        "loss_ratios": RATIOS,
        "decoding": "viterbi",
    }
    out_of_fold, _ = _play(experiment_data(**settings), store)
    (tmp_path / "train").mkdir()
    on_training, guesser = _play(experiment_data(**settings, counts="train"), FitStore(tmp_path / "train"))
    assert [_told(each) for each in out_of_fold] != [_told(each) for each in on_training]
    # A fit of a round predicts all documents, so no fit has a part of the training documents only.
    assert {len(asked.trained) for asked in guesser.asked} == {6}
