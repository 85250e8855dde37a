"""What a worker does for a round: fit on some examples, then predict others under every decoding."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.greedy.copies import with_copies
from spark_deid.greedy.decoding import Decoding, choices, decoded
from spark_deid.greedy.game import Offsets
from spark_deid.learners.base import Example, Learner, Model
from spark_deid.text.view import View


Predictions = tuple[tuple[Span, ...], ...]
"""The spans found in each of some views."""


class FitTask(NamedTuple):
    """Fit a learner; ``held_out`` is predicted afterwards, ``keep`` names the fit that gives the round's model."""

    learner: Learner
    examples: tuple[Example, ...]
    held_out: tuple[View, ...]
    decodings: tuple[Decoding, ...]
    seed: int
    keep: bool


class Fit(NamedTuple):
    """The fitted model where it was to be kept; tokens and predictions of the views, in their order."""

    model: Model | None
    tokens: tuple[tuple[Offsets, Offsets], ...]
    predictions: dict[Decoding, Predictions]
    seconds: float


def fit(task: FitTask) -> Fit:
    """Do one task; the result holds plain values, so that it can come from another process."""
    began = time.perf_counter()
    model = task.learner.fit(task.examples, seed=task.seed)
    predictions = _predictions(model, choices(model, task.decodings), task.held_out)
    tokens = tuple(model.tokens(view) for view in task.held_out)
    return Fit(model if task.keep else None, tokens, predictions, time.perf_counter() - began)


def _predictions(model: Model, decodings: Sequence[Decoding], views: Sequence[View]) -> dict[Decoding, Predictions]:
    """Predict the views under every decoding; those that differ in copies alone share one prediction."""
    plain: dict[Decoding, Predictions] = {}
    for decoding in decodings:
        base = decoding._replace(copied=0)
        if base not in plain:
            follower = decoded(model, base)
            plain[base] = tuple(follower.predict(view) for view in views)
    return {decoding: _copied(plain[decoding._replace(copied=0)], decoding, views) for decoding in decodings}


def _copied(predictions: Predictions, decoding: Decoding, views: Sequence[View]) -> Predictions:
    if not decoding.copied:
        return predictions
    return tuple(with_copies(view, spans, decoding.copied) for view, spans in zip(views, predictions, strict=True))
