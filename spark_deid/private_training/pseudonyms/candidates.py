"""The words that may stand for a word: its nearest, without those that are passed over."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.private_training.embeddings.neighbours import NearestRows, nearest
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.text.base_letters import same_letters

_SPARE = 16
_MORE = 4
_LEAST_HELD = 3
"""Letters of a word from which on it counts as held by another: shorter ones stand in any."""

NeighbourSearch = Callable[[EmbeddingStore, Int64s, int, Bools], NearestRows]
"""What finds so many nearest of the vectors of rows, among the rows that are eligible."""


class CandidateRows(NamedTuple):
    """The rows of words that may stand for each row, nearest first, ABSENT where there are fewer.

    ``subwords`` counts of each row the words that hold it, among as many nearest, whatever is passed over.
    """

    rows: Int32s
    subwords: Int64s


def candidates_of(
    store: EmbeddingStore,
    rows: Sequence[int] | Int64s,
    settings: NeighbourSettings,
    search: NeighbourSearch = nearest,
) -> CandidateRows:
    """Find the candidates of rows of a store; where many are passed over, it is looked further for these rows."""
    wanted = np.asarray(rows, np.int64)
    found = np.full((len(wanted), settings.neighbours), ABSENT, np.int32)
    subwords = np.zeros(len(wanted), np.int64)
    eligible = store.eligible()
    most = int(eligible.sum())
    lacking = np.arange(len(wanted))
    fetch = settings.neighbours * (2 if settings.passes_over_subwords else 1) + _SPARE
    while len(lacking):
        near = search(store, wanted[lacking], min(fetch, most), eligible)
        lacks = []
        for place, others, similar in zip(lacking.tolist(), near.rows, near.similarities, strict=True):
            kept, subwords[place] = _kept(store, int(wanted[place]), others, similar, settings)
            found[place, : len(kept)] = kept
            if len(kept) < settings.neighbours:
                lacks.append(place)
        lacking = np.array(lacks if fetch < most else [], np.int64)
        fetch *= _MORE
    return CandidateRows(found, subwords)


def _kept(
    store: EmbeddingStore, row: int, others: Int64s, similarities: "np.ndarray", settings: NeighbourSettings
) -> tuple[list[int], int]:
    """Return the candidates among near rows, and how many of as many nearest hold the word."""
    word = same_letters(store.word(row))
    itself = [row] if settings.include_self and store.extents[row] else []
    kept, seen, subwords = itself, 0, 0
    for other, similar in zip(others.tolist(), similarities.tolist(), strict=True):
        if other == ABSENT:
            break
        written = same_letters(store.word(other))
        if other == row or written == word:
            continue
        seen += 1
        subwords += seen <= settings.neighbours and bool(word) and word in written
        if len(kept) < settings.neighbours and not _is_passed_over(word, written, similar, settings):
            kept.append(other)
    return kept, subwords


def _is_passed_over(word: str, other: str, similar: float, settings: NeighbourSettings) -> bool:
    if 1 - similar < settings.least_distance:
        return True
    return settings.passes_over_subwords and (_holds(other, word) or _holds(word, other))


def _holds(word: str, part: str) -> bool:
    return len(part) >= _LEAST_HELD and part in word
