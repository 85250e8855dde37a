"""Long texts in windows that overlap, so that each token is judged with what stands around it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float32s, Int64s

OVERLAP = 4
"""A window shares the fourth part of its tokens with the next."""


class TokenWindow(NamedTuple):
    """The tokens of a window: their ids, and the place of each in the text's tokens; -1 of special ones."""

    ids: Int64s
    places: Int64s


def windows_of(ids: Sequence[int], before: Sequence[int], after: Sequence[int], longest: int) -> Iterator[TokenWindow]:
    """Cut a text's tokens into windows of at most ``longest`` with the special tokens around each.

    >>> [window.places.tolist() for window in windows_of(range(7), [101], [102], 6)]
    [[-1, 0, 1, 2, 3, -1], [-1, 3, 4, 5, 6, -1]]
    """
    size = longest - len(before) - len(after)
    step = size - size // OVERLAP
    for start in range(0, max(1, len(ids) - size // OVERLAP), step):
        own = np.asarray(ids[start : start + size], np.int64)
        places = np.arange(start, start + len(own), dtype=np.int64)
        yield TokenWindow(
            np.concatenate([np.asarray(before, np.int64), own, np.asarray(after, np.int64)]),
            np.concatenate([np.full(len(before), -1), places, np.full(len(after), -1)]),
        )


def join_windows(windows: Sequence[TokenWindow], scores: Sequence[Float32s], tokens: int) -> Float32s:
    """Return each token's scores in the window where it is furthest from a border (tokens x classes)."""
    classes = scores[0].shape[1]
    found = np.zeros((tokens, classes), np.float32)
    distance = np.full(tokens, -1, np.int64)
    for window, own in zip(windows, scores, strict=True):
        real = np.flatnonzero(window.places >= 0)
        places = window.places[real]
        first, last = int(places[0]) if len(places) else 0, int(places[-1]) if len(places) else 0
        # Beyond the text's own ends nothing stands that a wider window would show.
        left = np.where(first == 0, tokens, places - first)
        right = np.where(last == tokens - 1, tokens, last - places)
        away = np.minimum(left, right)
        better = away > distance[places]
        found[places[better]] = own[real[better]]
        distance[places[better]] = away[better]
    return found
