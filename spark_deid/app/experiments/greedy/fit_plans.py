"""The fits of one method on one fold: fit, remove, and again, then the attack; for one loss ratio, or for all at once.

With Viterbi the rounds do not depend on the loss ratio, only the stop does: the loop is played to the largest ratio,
and what the others publish is read off the rounds it kept.
"""

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.app.experiments.greedy.fits import (
    CorpusState,
    ExperimentData,
    FitFindings,
    FitRequest,
    Ratio,
    Spans,
    request_fit,
)
from spark_deid.app.experiments.greedy.settings import MAX_ROUNDS, ExperimentMethod
from spark_deid.greedy.choosing import choose_nested
from spark_deid.greedy.game.attacker import best_classifier
from spark_deid.greedy.game.counts import NO_COUNTS, ConfusionCounts, is_stop

FitPlan = Generator[tuple[FitRequest, ...], tuple[FitFindings, ...], tuple["FoldOutcome", ...]]
"""Asks for fits, is sent what they found, and ends with an outcome a loss ratio."""


class FoldAttack(NamedTuple):
    """What an attacker finds in what was published of a fold."""

    attacker: str
    decoding: str
    counts: ConfusionCounts


class FoldOutcome(NamedTuple):
    """A method on a fold at a loss ratio.

    ``rounds`` were kept; None for methods without rounds. ``ended`` states whether the stop test ended the loop.
    ``published`` is what remains of the fold's documents; ``attacks`` is empty where no one attacks it.
    """

    method: str
    fold: int
    loss_ratio: float
    rounds: int | None
    ended: bool
    published: CorpusState
    attacks: tuple[FoldAttack, ...]
    seconds: float

    @property
    def attack(self) -> FoldAttack | None:
        """Return the paper's attack: of the most accurate attacker, by Viterbi."""
        plain = [each for each in self.attacks if each.decoding == "viterbi"]
        return plain[best_classifier([each.counts for each in plain])] if plain else None


class FoldRound(NamedTuple):
    """What a round found, its counts, the learner that played it, and the seconds of its fits.

    Counts and findings are those out of fold, or with `counts: train` those on training documents, found in all.
    """

    learner: str
    counts: ConfusionCounts
    found: dict[int, Spans]
    seconds: float


class LearnerEntry(NamedTuple):
    """What a learner found for a round, and its counts, by fold."""

    learner: str
    found: Mapping[int, Mapping[int, Spans]]
    counts: Mapping[int, ConfusionCounts]


def plan_game(data: ExperimentData, method: ExperimentMethod, fold: int, ratios: Sequence[float]) -> FitPlan:
    """Plan the game of a method on a fold for loss ratios: one only where its classifiers weigh costs."""
    weighed: Ratio = ratios[0] if data.experiment.weighs_costs(method) else None
    limit = MAX_ROUNDS if method.kind == "greedy" else 1
    trained, held = data.outside(fold), data.inside(fold)
    weighed_ratios = () if weighed is None else (weighed,)
    states = [CorpusState(tuple(case.view for case in data.cases))]
    rounds: list[FoldRound] = []
    while len(states) <= limit:
        state = states[-1]
        rounds.append((yield from _contest(data, method, fold, state, weighed)))
        if method.kind == "greedy" and _fails(rounds[-1], max(ratios)):
            break
        if data.experiment.counts == "train":
            states.append(state.without(rounds[-1].found))
            continue
        [full] = yield (request_fit(state, rounds[-1].learner, trained, held, weighed_ratios),)
        rounds[-1] = rounds[-1]._replace(seconds=rounds[-1].seconds + full.seconds)
        states.append(state.without({**rounds[-1].found, **full.predictions[weighed]}))
    kept = {ratio: _kept(rounds, ratio) if method.kind == "greedy" else 1 for ratio in ratios}
    attacked = {ratio: count for ratio, count in kept.items() if data.experiment.is_attacked(method, ratio)}
    attacks = yield from _attack(data, method, fold, states, attacked)
    return tuple(
        FoldOutcome(
            method=method.name,
            fold=fold,
            loss_ratio=ratio,
            rounds=kept[ratio] if method.kind == "greedy" else None,
            ended=kept[ratio] < len(rounds) or method.kind != "greedy",
            published=states[kept[ratio]],
            attacks=attacks.get(ratio, ()),
            seconds=sum(each.seconds for each in rounds[: kept[ratio] + 1]),
        )
        for ratio in ratios
    )


def fit_plans(data: ExperimentData) -> tuple[FitPlan, ...]:
    """Return a plan a game of an experiment."""
    ratios = data.experiment.loss_ratios
    together = [(ratio,) for ratio in ratios]
    return tuple(
        plan_game(data, method, fold, part)
        for method in data.experiment.parsed()
        for fold in range(data.count)
        for part in (together if data.experiment.weighs_costs(method) else [ratios])
    )


def _contest(
    data: ExperimentData, method: ExperimentMethod, fold: int, state: CorpusState, weighed: Ratio
) -> Generator[tuple[FitRequest, ...], tuple[FitFindings, ...], FoldRound]:
    """Let a round's learners play, out of fold or as the settings have it."""
    if data.experiment.counts == "train":
        return (yield from _contest_on_training(data, method, fold, state, weighed))
    others = [other for other in range(data.count) if other != fold]
    weighed_ratios = () if weighed is None else (weighed,)
    wanted = [
        _inner(data, learner, fold, other, state, weighed_ratios) for learner in method.learners for other in others
    ]
    ahead = (
        ()
        if len(method.learners) > 1
        else (request_fit(state, method.learners[0], data.outside(fold), data.inside(fold), weighed_ratios),)
    )
    done = yield (*wanted, *ahead)
    entries = []
    for place, learner in enumerate(method.learners):
        part = done[place * len(others) : (place + 1) * len(others)]
        found = {
            other: {i: each.predictions[weighed][i] for i in data.inside(other)}
            for other, each in zip(others, part, strict=True)
        }
        counts = {other: data.cells(state, found[other]) for other in others}
        entries.append(LearnerEntry(learner, found, counts))
    return play_best(entries, others)._replace(seconds=sum(each.seconds for each in done[: len(wanted)]))


def _contest_on_training(
    data: ExperimentData, method: ExperimentMethod, fold: int, state: CorpusState, weighed: Ratio
) -> Generator[tuple[FitRequest, ...], tuple[FitFindings, ...], FoldRound]:
    """Let learners play on the documents that they learn from (Algorithm 1), and find what they find in all others.

    The learner with the lowest number of errors on the training documents plays the round.
    """
    trained, everything = data.outside(fold), tuple(range(len(data.cases)))
    weighed_ratios = () if weighed is None else (weighed,)
    done = yield tuple(request_fit(state, learner, trained, everything, weighed_ratios) for learner in method.learners)
    counts = [data.cells(state, {i: each.predictions[weighed][i] for i in trained}) for each in done]
    best = best_classifier(counts)
    found = dict(done[best].predictions[weighed])
    return FoldRound(method.learners[best], counts[best], found, sum(each.seconds for each in done))


def play_best(entries: Sequence[LearnerEntry], folds: Sequence[int]) -> FoldRound:
    """Let the learner with the fewest errors play: of each fold, the one with the fewest on the others."""

    def best(counted: frozenset[int]) -> int:
        return best_classifier([sum((each.counts[fold] for fold in counted), NO_COUNTS) for each in entries])

    nested = choose_nested(folds, best)
    played = {fold: entries[number] for fold, number in nested.by_part.items()}
    return FoldRound(
        entries[nested.overall].learner,
        sum((each.counts[fold] for fold, each in played.items()), NO_COUNTS),
        {i: spans for fold, each in played.items() for i, spans in each.found[fold].items()},
        0.0,
    )


def _inner(
    data: ExperimentData, learner: str, fold: int, other: int, state: CorpusState, ratios: Sequence[float]
) -> FitRequest:
    """Ask for a fit without two folds.

    At the beginning the two change places for another game, so that one fit serves both, and all loss ratios.
    """
    trained = data.outside(fold, other)
    if not any(view.removed for view in state.views):
        return request_fit(state, learner, trained, tuple(sorted((*data.inside(fold), *data.inside(other)))), ratios)
    return request_fit(state, learner, trained, data.inside(other), ratios)


def _attack(
    data: ExperimentData, method: ExperimentMethod, fold: int, states: Sequence[CorpusState], kept: Mapping[float, int]
) -> Generator[tuple[FitRequest, ...], tuple[FitFindings, ...], dict[float, tuple[FoldAttack, ...]]]:
    """Let attackers learn on what the method leaves of the other folds, and look at what it publishes of this one."""
    attackers = data.experiment.attackers_of(method)
    readers = {rounds: [ratio for ratio in kept if kept[ratio] == rounds] for rounds in sorted(set(kept.values()))}
    places = [(rounds, attacker) for rounds in readers for attacker in attackers]
    done = yield tuple(
        request_fit(states[rounds], attacker, data.outside(fold), data.inside(fold), readers[rounds])
        for rounds, attacker in places
    )
    attacks: dict[float, tuple[FoldAttack, ...]] = dict.fromkeys(kept, ())
    for (rounds, attacker), found in zip(places, done, strict=True):
        plain = data.cells(states[rounds], found.predictions[None])
        for ratio in readers[rounds]:
            weighed = data.cells(states[rounds], found.predictions[ratio])
            attacks[ratio] += (FoldAttack(attacker, "viterbi", plain), FoldAttack(attacker, "cost", weighed))
    return attacks


def _fails(played: FoldRound, ratio: float) -> bool:
    return is_stop(played.counts.true_positives, played.counts.false_positives, ratio)


def _kept(rounds: Sequence[FoldRound], ratio: float) -> int:
    """Return how many rounds come before the first that fails the stop test."""
    failing = np.array([_fails(each, ratio) for each in rounds])
    return int(failing.argmax()) if failing.any() else len(rounds)
