"""Predicted spans as rows of hashed attributes, to be told right from wrong."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.core.span import Span
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.kernels.hashing import finish, salt, step
from spark_deid.text.token_columns.table import TrainingKnowledge
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

PLACES = ("first", "second", "last")
"""The tokens of a span that are looked at."""
LONGEST = 6
ABOUT = 5
"""Attributes of the span itself."""
CONFIDENCE_BINS = np.array([-4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])
"""Borders of the log odds that the model which predicted a span gave its tokens."""
_SALTS = np.array([salt(f"candidate {place}") for place in PLACES], np.uint64)


class SpanCandidates(NamedTuple):
    """Spans of a view by their tokens: ``firsts`` and ``ends``, and the attributes ``[attribute, span]``."""

    firsts: Int64s
    ends: Int64s
    attributes: UInt64s


@compiled
def _gather(attributes: UInt64s, begin: int, places: Int64s, salt: np.uint64, out: UInt64s) -> None:
    """Write the attributes of the tokens at ``places``, mixed with a salt, where they stand in this piece."""
    for c in range(len(places)):
        i = places[c] - begin
        if 0 <= i < attributes.shape[1]:
            for f in range(attributes.shape[0]):
                h = attributes[f, i]
                out[f, c] = finish(step(salt, h)) if h != np.uint64(0) else np.uint64(0)


def candidates(
    extractor: FeatureExtractor,
    view: TextView,
    tokens: ViewTokens,
    known: TrainingKnowledge,
    spans: Sequence[Span],
    odds: Float64s,
) -> SpanCandidates:
    """Describe spans by their first, second and last tokens, label, length, and the odds of their tokens.

    ``odds[token]`` are the log odds that a token carries any label, as the model that predicted the spans has them.
    """
    firsts = np.searchsorted(tokens.ends, [span.start for span in spans], side="right")
    ends = np.searchsorted(tokens.starts, [span.end for span in spans], side="left")
    second = np.where(ends - firsts > 1, firsts + 1, -1)
    height = len(extractor.templates.sizes)
    places = np.zeros((len(PLACES) * height, len(spans)), np.uint64)
    for begin, _, attributes in extractor.sequences(view, tokens, known):
        for number, where in enumerate((firsts, second, ends - 1)):
            _gather(attributes, begin, where, _SALTS[number], places[number * height : (number + 1) * height])
    return SpanCandidates(firsts, ends, np.concatenate([places, _about(spans, firsts, ends, odds)]))


def secret_rows(extractor: FeatureExtractor) -> Bools:
    """Tell which rows of a candidate's attributes carry words."""
    return np.concatenate([np.tile(extractor.templates.secret, len(PLACES)), np.zeros(ABOUT, np.bool_)])


def _about(spans: Sequence[Span], firsts: Int64s, ends: Int64s, odds: Float64s) -> UInt64s:
    """Return attributes of the spans themselves: how sure the model was, each alone and by label."""
    rows = np.zeros((ABOUT, len(spans)), np.uint64)
    for c, (span, first, end) in enumerate(zip(spans, firsts.tolist(), ends.tolist(), strict=True)):
        length = min(end - first, LONGEST)
        mean, least = (
            int(np.searchsorted(CONFIDENCE_BINS, value)) for value in (odds[first:end].mean(), odds[first:end].min())
        )
        stated = (span.label, f"length {length}", f"mean {mean}", f"least {least}", f"{span.label} mean {mean}")
        rows[:, c] = [salt(f"candidate {word}") for word in stated]
    return rows
