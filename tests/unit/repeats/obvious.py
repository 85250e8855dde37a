"""The same figures by plain counting of every substring, for small corpora."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from spark_deid.app.experiments.repeats.curves import unit_counts
from spark_deid.core.edit import Edit
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout
from spark_deid.repeats.tokens import hide_tokens, hide_whole, word_tokens, yield_documents


def pieces_of(text: str, excluded: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut a text where something is excluded, or a star is."""
    cut = {i for start, end in excluded for i in range(start, end)} | {i for i, c in enumerate(text) if c == "★"}
    borders = [-1, *sorted(cut), len(text)]
    return [(a + 1, b) for a, b in pairwise(borders) if b > a + 1]


def count_substrings(
    texts: Sequence[str], excluded: Sequence[Sequence[tuple[int, int]]], units: Sequence[int], unit: CountingUnit
) -> dict[str, int]:
    found: defaultdict[str, set[object]] = defaultdict(set)
    for number, text in enumerate(texts):
        for start, end in pieces_of(text, excluded[number]):
            for i, j in combinations(range(start, end + 1), 2):
                found[text[i:j]].add((number, i) if unit is CountingUnit.OCCURRENCE else units[number])
    return {substring: len(owners) for substring, owners in found.items()}


def extension_lengths(
    texts: Sequence[str],
    excluded: Sequence[Sequence[tuple[int, int]]],
    units: Sequence[int],
    unit: CountingUnit,
    k: int,
    cap: int,
) -> list[list[int]]:
    """Follow every character while k units share what was followed and it has at most ``cap`` bytes; -1: no text."""
    counts = count_substrings(texts, excluded, units, unit)
    lengths = []
    for number, text in enumerate(texts):
        one = [-1] * len(text)
        for start, end in pieces_of(text, excluded[number]):
            for i in range(start, end):
                j = i
                while j < end and counts[text[i : j + 1]] >= k and len(text[i : j + 1].encode()) <= cap:
                    j += 1
                one[i] = j - i
        lengths.append(one)
    return lengths


def random_corpus(
    random: np.random.Generator, *, documents: int = 6, longest: int = 16
) -> tuple[list[str], list[list[tuple[int, int]]], list[int]]:
    """Draw a corpus of few characters, some of several bytes, with excluded intervals, stars and shared people."""
    alphabet = ["a", "ab", "abc", "aé日", "日本語", "a😀b", "ab\0", "ab★"][random.integers(8)]
    number = int(random.integers(1, documents + 1))
    texts = ["".join(random.choice(list(alphabet), int(random.integers(0, longest)))) for _ in range(number)]
    if number > 2 and random.random() < 0.5:
        texts[1] = texts[0] + texts[2]
    excluded = []
    for text in texts:
        borders = sorted(set(random.integers(0, len(text) + 1, 2).tolist())) if random.random() < 0.3 else []
        excluded.append([(borders[0], borders[1])] if len(borders) == 2 else [])
    return texts, excluded, random.integers(0, max(1, number - 1), number).tolist()


def published_runs(published: str, edits: Iterable[Edit], excluded: Sequence[str]) -> Iterator[str]:
    """Yield what a released text shows between replacements; what is hidden is so by the stars that are there."""
    position = shift = 0
    for edit in sorted(edits):
        start, end = edit.start + shift, edit.start + shift + len(edit.replacement)
        if set(edit.replacement) != {"★"}:
            yield from _without(published[position:start], excluded)
            position = end
        shift = end - edit.end
    yield from _without(published[position:], excluded)


def evidence(original: str, edits: Iterable[Edit], excluded: Sequence[str]) -> Iterator[str]:
    """Yield the stretches of an original that no edit replaces, unless by stars."""
    replaced = {i for edit in edits if set(edit.replacement) != {"★"} for i in range(edit.start, edit.end)}
    kept = "".join("\0" if i in replaced else character for i, character in enumerate(original))
    yield from (piece for part in kept.split("\0") for piece in _without(part, excluded))


def _without(text: str, excluded: Sequence[str]) -> Iterator[str]:
    words = sorted(("★", *excluded), key=len, reverse=True)
    yield from filter(None, re.split("|".join(map(re.escape, words)), text))


def count_runs(runs: Sequence[str], pieces: Sequence[str], owners: Sequence[int]) -> list[int]:
    """Count the owners of pieces that hold each run; below 0 every place is an owner."""
    return [
        len(
            {
                (owner, place if owner < 0 else 0, number if owner < 0 else 0)
                for number, (piece, owner) in enumerate(zip(pieces, owners, strict=True))
                for place in range(len(piece))
                if piece.startswith(run, place)
            }
        )
        for run in runs
    ]


def hide_rare_words(text: TextLayout, *, k: int, unit: CountingUnit) -> NDArray[np.bool_]:
    """Hide the word tokens that fewer than k units have; nothing else is hidden."""
    tokens = word_tokens(text)
    whole = "\0".join(yield_documents(text))
    words = [whole[start:end] for start, end in tokens.tolist()]
    counts = unit_counts(words, text, tokens[:, 0], unit)
    return hide_tokens(tokens[counts < k], np.zeros(int(text.characters[-1]), np.bool_))


def hide_agreed(
    text: TextLayout, one: NDArray[np.bool_], other: NDArray[np.bool_], *, share: float
) -> NDArray[np.bool_]:
    """Hide the word tokens of which both methods hide more than ``share`` (the paper's MR+Word); nothing else."""
    tokens = word_tokens(text)
    nothing = np.zeros(len(one), np.bool_)
    one, other = (hide_whole(tokens, flags, share) for flags in (one, other))
    both = one & other
    return hide_tokens(tokens[[bool(both[start:end].all()) for start, end in tokens.tolist()]], nothing)


def maximal_repeats(lengths: NDArray[np.uint16], min_length: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and ends of the maximal repeats of at least ``min_length`` characters, in order.

    A repeat is maximal that can be longer at neither end: the extension of its start reaches further than that of the
    character before. Generalizes the maximum repeats of Ilie and Smyth (2011) to k, as Matsubara and Hasida's
    Algorithm 1 does, without its array of starts by end.
    """
    starts, ends = np.empty(len(lengths), np.int64), np.empty(len(lengths), np.int64)
    count = 0
    reached = np.int64(0)
    for i in range(len(lengths)):
        length = np.int64(lengths[i]) if lengths[i] <= MAX_LENGTH else np.int64(0)
        if i + length > reached:
            reached = i + length
            if length >= min_length:
                starts[count], ends[count] = i, reached
                count += 1
    return starts[:count].copy(), ends[:count].copy()


def greedy_covering(text: str, lengths: Sequence[int], min_length: int, cap: int) -> list[bool]:
    """Return which characters Algorithm 3 keeps if repeats that the cap cut are one. Length -1: no text."""

    def is_capped(i: int) -> bool:
        end = i + lengths[i]
        return lengths[i] > 0 and end < len(text) and lengths[end] >= 0 and len(text[i : end + 1].encode()) > cap

    repeats: list[list[int]] = []
    for i in (i for i, length in enumerate(lengths) if length >= 0):
        if repeats and i and i - 1 in repeats[-1][2:] and is_capped(i - 1):
            repeats[-1][2:] = [*repeats[-1][2:], i]
            repeats[-1][1] = max(repeats[-1][1], i + lengths[i])
        elif i + lengths[i] > max((j + lengths[j] for j in range(i) if lengths[j] >= 0), default=0):
            repeats.append([i, i + lengths[i], i])
    kept = [False] * len(text)
    for start, end, *_ in sorted(repeats, key=lambda repeat: (repeat[0] - repeat[1], repeat[0])):
        if end - start < min_length or any(kept[max(start - 1, 0) : end + 1]):
            continue
        while start < end:
            until = min(start + lengths[start], end)
            if until - start >= min_length:
                kept[start:until] = [True] * (until - start)
                start = until
            start += 1
    return kept
