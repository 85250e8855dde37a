"""Find what is rare in a corpus and what to hide of it, in one process."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt16s
from spark_deid.repeats.extension import character_lengths, count_sorted, extension_lengths, sort_suffixes
from spark_deid.repeats.kernels.characters import runs_of
from spark_deid.repeats.kernels.greedy import cover_greedily, ended_by_cap
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.kernels.optimal import cover_optimally
from spark_deid.repeats.settings import CountedText, CoveringMethod, RaritySettings
from spark_deid.repeats.text import TextLayout, in_documents
from spark_deid.repeats.tokens import hide_whole, word_tokens

Lengths = UInt16s


class HiddenRuns(NamedTuple):
    """Runs of hidden characters: those of document i are numbers ``before[i]`` to ``before[i + 1]``."""

    before: Int64s
    starts: Int32s
    ends: Int32s

    def of(self, document: int) -> list[tuple[int, int]]:
        """Return the runs of one document, as intervals of its characters."""
        place = slice(int(self.before[document]), int(self.before[document + 1]))
        return list(zip(self.starts[place].tolist(), self.ends[place].tolist(), strict=True))


class RareText(NamedTuple):
    """What to hide, and the extension lengths by character of the text as it came."""

    runs: HiddenRuns
    lengths: Lengths


def find_rare(text: TextLayout, rarity: RaritySettings, *, threads: int = 1) -> RareText:
    """Find the runs to hide, so that every substring of what remains is in at least k units.

    With ``CountedText.PUBLISHED`` what remains is counted and covered again until nothing more is hidden. That ends:
    each count but the last hides one character more at least, and there are finitely many.
    """
    tokens = word_tokens(text) if rarity.whole_tokens < 1 else None
    lengths = _count(text, rarity, threads)
    hidden = _cover(text, lengths, rarity, tokens, threads)
    while rarity.counted is CountedText.PUBLISHED:
        more = _cover(text, _count(text.hiding(hidden), rarity, threads), rarity, tokens, threads)
        if np.array_equal(more, hidden):
            break
        hidden = more
    return RareText(hidden_runs(text, hidden), lengths)


def cover_text(text: TextLayout, lengths: Lengths, rarity: RaritySettings) -> Bools:
    """Return which characters are hidden, where ``lengths`` were counted elsewhere; tokens are those of ``text``."""
    return _cover(text, lengths, rarity, word_tokens(text) if rarity.whole_tokens < 1 else None, 1)


def hidden_runs(text: TextLayout, hidden: Bools) -> HiddenRuns:
    """Return hidden characters as runs."""
    return HiddenRuns(*runs_of(hidden, text.characters))


def cover_rare(data: UInt8s, lengths: Lengths, *, covering: CoveringMethod, min_length: int, cap: int) -> Bools:
    """Return which characters a covering hides.

    ``lengths`` are extension lengths by character of the text whose bytes are ``data``, counted up to ``cap`` bytes.
    """
    if covering is CoveringMethod.GREEDY:
        return cover_greedily(lengths, ended_by_cap(data, lengths, cap), min_length)
    return cover_optimally(lengths, min_length)


def count_cut(data: UInt8s, lengths: Lengths, cap: int) -> int:
    """Return the number of repeats that the cap ended. Those that begin one character after another count as one."""
    capped = ended_by_cap(data, lengths, cap)
    return int(capped[:1].sum() + (capped[1:] & ~capped[:-1]).sum())


def _cover(text: TextLayout, lengths: Lengths, rarity: RaritySettings, tokens: Int64s | None, threads: int) -> Bools:
    hidden = np.empty(len(lengths), np.bool_)

    def fill(first: int, last: int) -> None:
        part, place = (slice(*bounds[[first, last]].tolist()) for bounds in (text.characters, text.bounds))
        hidden[part] = cover_rare(
            text.data[place], lengths[part], covering=rarity.covering, min_length=rarity.min_length, cap=rarity.cap
        )

    in_documents(fill, text, threads=threads)
    return hidden if tokens is None else hide_whole(tokens, hidden, rarity.whole_tokens)


def _count(text: TextLayout, rarity: RaritySettings, threads: int) -> Lengths:
    extensions = extension_lengths(text, k=rarity.k, unit=rarity.unit, cap=rarity.cap, threads=threads)
    return character_lengths(text, extensions, threads=threads)


# How much is hidden for every pair of a k and a minimum length, from one suffix array.


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
