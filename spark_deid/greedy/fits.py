"""The fits of a round: one a fold, and one on all that remains, each in a separate process."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import DecodingRule, decode_as, feasible_candidates, list_candidates
from spark_deid.greedy.game.counts import Offsets
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.learners.base import FittedModel, ModelLearner, TrainingExample
from spark_deid.text.view import TextView

Predictions = tuple[tuple[Span, ...], ...]
"""The spans found in each of some views."""


class FitTask(NamedTuple):
    """Fit a learner, and predict the views of the cases ``held`` under every decoding; ``keep`` the model or not."""

    name: str
    learner: ModelLearner
    examples: tuple[TrainingExample, ...]
    held: tuple[int, ...]
    views: tuple[TextView, ...]
    decodings: tuple[DecodingRule, ...]
    seed: int
    keep: bool


class FoldFit(NamedTuple):
    """The model where it was to be kept; tokens and predictions of the views, in their order."""

    model: FittedModel | None
    tokens: tuple[tuple[Offsets, Offsets], ...]
    predictions: dict[DecodingRule, Predictions]
    seconds: float


class HeldOutPredictions(NamedTuple):
    """Tokens and predictions for every case, put together from the folds; ``parts`` shows by which fit."""

    parts: tuple[int, ...]
    tokens: tuple[tuple[Offsets, Offsets], ...]
    predictions: dict[DecodingRule, Predictions]


def plan_fits(cases: Sequence[GameDocument], learner: ModelLearner, config: TrainConfig) -> tuple[FitTask, ...]:
    """Return the folds' tasks, then the one that makes the round's model.

    The model is last: where the folds' counts end the loop, no one needs it. It predicts its own training data only
    where that is where hits are counted.
    """
    everything = tuple(range(len(cases)))
    examples = tuple(case.example for case in cases)
    decodings = list_candidates(config)

    def task(name: str, learned: Sequence[int], held: tuple[int, ...], *, keep: bool) -> FitTask:
        views = tuple(cases[i].view for i in held)
        return FitTask(name, learner, tuple(examples[i] for i in learned), held, views, decodings, config.seed, keep)

    if config.counts == "train":
        return (task("model", everything, everything, keep=True),)
    folds = assign_folds([case.group for case in cases], config.folds, config.seed)
    count = max(folds) + 1
    tasks = []
    for fold in range(count):
        held = tuple(i for i in everything if folds[i] == fold)
        others = tuple(i for i in everything if folds[i] != fold)
        tasks.append(task(f"fold {fold + 1} of {count}", others, held, keep=False))
    return (*tasks, task("model", everything, (), keep=True))


def fit(task: FitTask) -> FoldFit:
    """Do one task; the result holds plain values, so that it can come from another process."""
    began = time.perf_counter()
    model = task.learner.fit(task.examples, seed=task.seed)
    predictions = {
        decoding: _predict(decode_as(model, decoding), task.views)
        for decoding in feasible_candidates(model, task.decodings)
    }
    tokens = tuple(model.tokens(view) for view in task.views)
    return FoldFit(model if task.keep else None, tokens, predictions, time.perf_counter() - began)


def hold_together(tasks: Sequence[FitTask], done: Mapping[int, FoldFit]) -> HeldOutPredictions | None:
    """Put together what the folds found, in the order of cases; None while one that counts is not done."""
    counted = [number for number, task in enumerate(tasks) if task.held]
    if any(number not in done for number in counted):
        return None
    places = sorted((case, number, index) for number in counted for index, case in enumerate(tasks[number].held))
    decodings = done[counted[0]].predictions
    return HeldOutPredictions(
        tuple(number for _, number, _ in places),
        tuple(done[number].tokens[index] for _, number, index in places),
        {d: tuple(done[number].predictions[d][index] for _, number, index in places) for d in decodings},
    )


def _predict(model: FittedModel, views: tuple[TextView, ...]) -> Predictions:
    return tuple(model.predict(view) for view in views)


# Divide documents into folds: the documents of one person remain together.


def assign_folds(groups: Sequence[str], folds: int, seed: int) -> tuple[int, ...]:
    """Return the fold of each document, by its group (its subject, or itself), regardless of the order of documents.

    Groups are dealt out in the order of a keyed hash, so folds differ by at most one group; no more folds are made
    than there are groups.

    >>> assign_folds(["a", "b", "a", "c"], 2, seed=0)
    (0, 0, 0, 1)
    """
    key = seed.to_bytes(16, "little", signed=True)
    ordered = sorted(set(groups), key=lambda group: (keyed_hash(key, "fold", group), group))
    place = {group: index % folds for index, group in enumerate(ordered)}
    return tuple(place[group] for group in groups)
