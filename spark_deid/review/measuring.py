"""Figures of models from held-back documents only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.labels import NAME_LABELS
from spark_deid.core.span import Span
from spark_deid.core.words import word_borders
from spark_deid.evaluation.score import evaluate
from spark_deid.private_training.privacy.verdict import exact_interval

RESAMPLES, CONFIDENCE = 2_000, 0.95


def layer_figures(documents: Sequence[Document], predicted: Mapping[str, Sequence[Span]]) -> dict[str, Any]:
    """Return scores of predicted spans, and the words of names that no predicted span touches.

    Args:
        documents: Held-back documents that are done, with the spans of people.
        predicted: The spans of a model by document id; other documents are not counted.

    Returns:
        Plain values: ``documents``, ``precision``, ``recall`` and ``f1`` of exact spans, ``name_words``, ``missed``
        and ``interval``, the 95% interval of the fraction that is missed; ``by_document`` has the missed words.
    """
    known = [each for each in documents if each.doc_id in predicted]
    if not known:
        return {"documents": 0}
    scores = evaluate((each.text, each.spans, predicted[each.doc_id]) for each in known).micro("strict")
    counts = [_missed_words(each, predicted[each.doc_id]) for each in known]
    missed, total = (sum(column) for column in zip(*counts, strict=True))
    return {
        "documents": len(known),
        **{name: round(scores[name], 4) for name in ("precision", "recall", "f1")},
        "name_words": total,
        "missed": missed,
        "interval": _interval(counts) if total else None,
        "by_document": {each.doc_id: count[0] for each, count in zip(known, counts, strict=True)},
    }


def _missed_words(document: Document, predicted: Sequence[Span]) -> tuple[int, int]:
    """Return the words of names that no predicted span touches, and all words of names."""
    labels = {span.label for span in document.spans}
    names = [span for span in document.spans if span.label in NAME_LABELS or not labels & NAME_LABELS]
    places = {place for span in names for place in _words_of(document.text, span)}
    missed = [
        (start, end) for start, end in places if not any(span.start < end and start < span.end for span in predicted)
    ]
    return len(missed), len(places)


def _words_of(text: str, span: Span) -> list[tuple[int, int]]:
    starts, ends = word_borders(text[span.start : span.end])
    return [(span.start + int(start), span.start + int(end)) for start, end in zip(starts, ends, strict=True)]


def _interval(counts: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Return the wider one of two 95% intervals: of independent words, and of documents drawn again."""
    table = np.array(counts)
    draws = np.random.default_rng(0).integers(0, len(table), (RESAMPLES, len(table)))
    sums = table[draws].sum(axis=1)
    fractions = sums[:, 0] / np.maximum(sums[:, 1], 1)
    low, high = np.quantile(fractions, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    exact_low, exact_high = exact_interval(int(table[:, 0].sum()), int(table[:, 1].sum()))
    return round(min(float(low), exact_low), 4), round(max(float(high), exact_high), 4)
