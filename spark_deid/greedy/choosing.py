"""What a round decides by: a bias or a threshold, chosen out of fold, and not on the fold that is then counted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.core.span import Span
from spark_deid.core.words import count_words
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.fits import HeldOutPredictions, Predictions
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.greedy.scoring import NO_SCORES, RoundScores, score

Best = Callable[[Sequence[int]], DecodingRule]
"""Returns the decoding that does best on some cases, by their numbers."""


class DecodingChoice(NamedTuple):
    """The decoding that does best on all cases, and what each fold finds by the one that does best elsewhere."""

    decoding: DecodingRule
    predictions: Predictions


def choose_candidate(
    cases: Sequence[GameDocument], held: HeldOutPredictions, publish_budget: float | None = None
) -> DecodingChoice:
    """Choose by strict and binary F1 of all that was found so far, or by a publish budget.

    What a fold finds is predicted by the decoding that does best on the other folds, so that nothing is counted on what
    it was chosen on.
    """
    if len(held.predictions) == 1:
        [(decoding, predictions)] = held.predictions.items()
        return DecodingChoice(decoding, predictions)
    best = _by_budget(cases, held, publish_budget) if publish_budget is not None else _by_worth(cases, held)
    nested = choose_nested(held.parts, lambda parts: best([i for i, part in enumerate(held.parts) if part in parts]))
    predictions = tuple(held.predictions[nested.by_part[part]][i] for i, part in enumerate(held.parts))
    return DecodingChoice(nested.overall, predictions)


def _by_budget(cases: Sequence[GameDocument], held: HeldOutPredictions, budget: float) -> Best:
    """Find most, and with all that was found before still publish that much."""
    shares = {decoding: share_published(cases, spans) for decoding, spans in held.predictions.items()}
    return lambda numbers: within_budget(shares, numbers, budget)


def _by_worth(cases: Sequence[GameDocument], held: HeldOutPredictions) -> Best:
    """Take the best F1, strict and binary together; ties go to the mildest."""
    scores = {decoding: _score_each(cases, spans) for decoding, spans in held.predictions.items()}
    return lambda numbers: max(scores, key=lambda d: (_worth(scores[d], numbers), -abs(d.bias)))


def _score_each(cases: Sequence[GameDocument], predictions: Predictions) -> tuple[RoundScores, ...]:
    return tuple(
        score(case.view.text, case.whole, case.gold, (*case.found, *spans))
        for case, spans in zip(cases, predictions, strict=True)
    )


def _worth(scores: Sequence[RoundScores], numbers: Sequence[int]) -> float:
    together = sum((scores[i] for i in numbers), NO_SCORES)
    return round(together.strict.f1 + together.binary_token.f1, 9)


# A publish budget: how much of the words is to be published, instead of what a leak costs.


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

    ``counts`` are those of ``share_published``; the cases of these numbers are checked.
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


# Choices that are judged by what they were not chosen on: of a part, by what came of the other parts.


Choice = TypeVar("Choice")


class NestedChoice(NamedTuple, Generic[Choice]):
    """What is best by all parts, and for each part what is best by the others."""

    overall: Choice
    by_part: Mapping[int, Choice]


def choose_nested(parts: Iterable[int], best: Callable[[frozenset[int]], Choice]) -> NestedChoice[Choice]:
    """Choose for each part by the others only, and once by all; ``best`` is given the parts that count.

    A single part has no others, and what is chosen is what is best separately.

    >>> choose_nested([0, 0, 1, 2], lambda counted: max(counted))
    NestedChoice(overall=2, by_part={0: 2, 1: 2, 2: 1})
    """
    every = frozenset(parts)
    if len(every) == 1:
        overall = best(every)
        return NestedChoice(overall, dict.fromkeys(every, overall))
    return NestedChoice(best(every), {part: best(every - {part}) for part in sorted(every)})
