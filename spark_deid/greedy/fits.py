"""What a worker does for a round: fit on some examples, then predict others under every decoding."""

import time
from typing import NamedTuple

from spark_deid.core.span import Span
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
    predictions = {
        decoding: _predict(decoded(model, decoding), task.held_out) for decoding in choices(model, task.decodings)
    }
    tokens = tuple(model.tokens(view) for view in task.held_out)
    return Fit(model if task.keep else None, tokens, predictions, time.perf_counter() - began)


def _predict(model: Model, views: tuple[View, ...]) -> Predictions:
    return tuple(model.predict(view) for view in views)
