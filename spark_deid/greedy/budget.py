"""A publish budget: how much of the words is to be published, instead of what a leak costs."""

from collections.abc import Mapping, Sequence

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.core.span import Span
from spark_deid.core.words import count_words
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.fits import Predictions
from spark_deid.greedy.game_documents import GameDocument


def check_budget(cases: Sequence[GameDocument], budget: float) -> None:
    """Raise UsageError where the budget is above what perfect removal publishes: it would force leaks."""
    most = _ratio(np.array([_words(case, case.gold) for case in cases], np.int64))
    if budget > most:
        raise UsageError(
            f"publish-budget: expected at most {most:.4f}, got {budget:g}: the other words are identifiers, "
            "and to publish more is to leak some of them"
        )


def share_published(cases: Sequence[GameDocument], predictions: Predictions) -> Int64s:
    """Count words, and those that neither what was removed before nor these predictions touch: ``[case, 2]``."""
    removed = [(*case.view.removed, *spans) for case, spans in zip(cases, predictions, strict=True)]
    return np.array([_words(case, spans) for case, spans in zip(cases, removed, strict=True)], np.int64)


def within_budget(counts: Mapping[DecodingRule, Int64s], numbers: Sequence[int], budget: float) -> DecodingRule:
    """Return the decoding of the lowest threshold that keeps the budget, else the highest, which finds least.

    ``counts`` are those of ``share_published``; the cases of these numbers are looked at.
    """
    ordered = sorted(counts, key=lambda decoding: decoding.threshold or 0.0)
    for decoding in ordered:
        if _ratio(counts[decoding][list(numbers)]) >= budget:
            return decoding
    return ordered[-1]


def _words(case: GameDocument, spans: Sequence[Span]) -> tuple[int, int]:
    return count_words(case.view.text, [(span.start, span.end) for span in spans])


def _ratio(counts: Int64s) -> float:
    """Return the publish ratio: words that no removed span touches over all words."""
    words, published = counts.sum(0).tolist()
    return published / words if words else 1.0
