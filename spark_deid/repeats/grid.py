"""How much is hidden for every pair of a k and a minimum length, from one suffix array."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.repeats.extension import character_lengths, count_sorted, sort_suffixes
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.rare import Lengths, cover_rare
from spark_deid.repeats.settings import RaritySettings
from spark_deid.repeats.text import TextLayout

GRID = pa.schema([("k", pa.int32()), ("min_length", pa.int32()), ("characters", pa.int64()), ("hidden", pa.int64())])


class RarityGrid(NamedTuple):
    """The values to try."""

    k: tuple[int, ...] = (2, 3, 4, 6, 8, 12, 18)
    min_length: tuple[int, ...] = (1, 3, 6, 9, 12, 20)


def sweep_grid(text: TextLayout, rarity: RaritySettings, grid: RarityGrid) -> Iterator[tuple[int, int, int, int]]:
    """Yield k, minimum length, characters of text and how many of them a covering hides, in the original's counts.

    ``rarity`` gives all but these two; tokens are not completed.
    """
    suffixes = sort_suffixes(text, unit=rarity.unit, cap=rarity.cap)
    for k in grid.k:
        lengths = character_lengths(text, count_sorted(suffixes, text, k=k, cap=rarity.cap))
        for row in hidden_by_length(text, lengths, replace(rarity, k=k), grid):
            yield k, *row


def hidden_by_length(
    text: TextLayout, lengths: Lengths, rarity: RaritySettings, grid: RarityGrid, times: Int64s | None = None
) -> Iterator[tuple[int, int, int]]:
    """Yield minimum length, characters of text, and the number that a covering hides. ``lengths`` are those of one k.

    Document i counts ``times[i]`` times, or once.
    """
    copies = np.ones(len(text.units), np.int64) if times is None else times
    is_text = lengths <= MAX_LENGTH
    characters = _by_document(is_text, text) @ copies
    for min_length in grid.min_length:
        hidden = cover_rare(
            text.data[: text.size], lengths, covering=rarity.covering, min_length=min_length, cap=rarity.cap
        )
        yield min_length, int(characters), int(_by_document(hidden & is_text, text) @ copies)


def _by_document(flags: Bools, text: TextLayout) -> Int64s:
    return np.add.reduceat(flags, text.characters[:-1], dtype=np.int64) if len(text.units) else np.zeros(0, np.int64)
