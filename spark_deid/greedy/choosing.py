"""What a round decides by: a bias or a threshold, chosen out of fold, and not on the fold that is then counted."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from spark_deid.greedy.budget import share_published, within_budget
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.fits import HeldOutPredictions, Predictions
from spark_deid.greedy.game_documents import GameDocument
from spark_deid.greedy.nested_selection import choose_nested
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
    """Find most, and with all that was found before still publish so much."""
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
