"""A publish budget: how much of the words is to be published, instead of what a leak costs."""

from collections.abc import Mapping, Sequence

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.core.words import count_words
from spark_deid.greedy.cases import Case
from spark_deid.greedy.decoding import Decoding
from spark_deid.greedy.fits import Predictions


def check_budget(cases: Sequence[Case], budget: float) -> None:
    """Raise UsageError where the budget is above what perfect removal publishes: it would force leaks."""
    most = _published(cases, [case.gold for case in cases])
    if budget > most:
        raise UsageError(
            f"publish-budget: expected at most {most:.4f}, got {budget:g}: the other words are identifiers, "
            "and to publish more is to leak some of them"
        )


def within_budget(cases: Sequence[Case], predictions: Mapping[Decoding, Predictions], budget: float) -> Decoding:
    """Return the decoding of the lowest threshold that keeps the budget, else the highest, which finds least."""
    ordered = sorted(predictions, key=lambda decoding: decoding.threshold or 0.0)
    for decoding in ordered:
        removed = [(*case.view.removed, *spans) for case, spans in zip(cases, predictions[decoding], strict=True)]
        if _published(cases, removed) >= budget:
            return decoding
    return ordered[-1]


def _published(cases: Sequence[Case], removed: Sequence[Sequence[Span]]) -> float:
    """Return the publish ratio: words that no removed span touches over all words."""
    words = published = 0
    for case, spans in zip(cases, removed, strict=True):
        one, untouched = count_words(case.view.text, [(span.start, span.end) for span in spans])
        words, published = words + one, published + untouched
    return published / words if words else 1.0
