"""Extension lengths of a whole corpus, a range of suffixes at a time, in several threads.

The suffixes are dealt out to ranges by their first bytes, and each range is sorted as deep as it matters and counted by
itself. The path from the root of all to a range is counted separately. Threads let go of the interpreter's lock.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, pairwise, takewhile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt16s, UInt64s
from spark_deid.core.numerics.compilation import in_threads
from spark_deid.repeats.kernels.extension import followed_by_occurrences, followed_by_units, place_extensions
from spark_deid.repeats.kernels.loading import WORD
from spark_deid.repeats.kernels.marks import HIDDEN
from spark_deid.repeats.kernels.ranges import BYTES, RangePieces, count_in_ranges, deal_to_ranges, words_at
from spark_deid.repeats.kernels.refining import OCCURRENCES, UNITS, refine_items, unpack_items
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout

# Cut the order of suffixes into ranges of about equal size, after a sample.


SAMPLES_A_RANGE = 64
_STEP = (5**0.5 - 1) / 2
"""Multiples of it, modulo 1, are spread evenly and fall in with no period of a text."""


class PrefixRanges(NamedTuple):
    """A trie whose leaves are in ranges, as ``kernels.ranges`` has it.

    Node i has ``parents[i]`` above it and is ``node_depths[i]`` bytes deep. All suffixes of range i have ``depths[i]``
    bytes in common; they are about the fraction ``shares[i]`` of all.
    """

    children: Int32s
    parents: list[int]
    node_depths: list[int]
    depths: list[int]
    shares: list[float]

    def known(self, counts: Int64s, k: int) -> UInt16s:
        """Return for each node how deep k share what leads to it, where ``counts`` are how many pass each."""
        known = np.zeros(len(self.parents), np.uint16)
        for node, (parent, depth) in enumerate(zip(self.parents, self.node_depths, strict=True)):
            known[node] = depth if counts[node] >= k else known[parent]
        return known


def cut_ranges(text: TextLayout, *, size: int, cap: int) -> PrefixRanges:
    """Cut the suffixes of a text into ranges of about ``size``, which differ in their first ``cap`` bytes, or 8.

    A range can be larger if more suffixes begin with equal bytes.
    """
    number = SAMPLES_A_RANGE * (text.size // size + 1)
    places = (np.arange(1, min(number, text.size) + 1) * _STEP % 1 * text.size).astype(np.int64)
    words = np.sort(words_at(text.data, places))
    return _Cutter(words, size / max(text.size, 1) * len(places), min(cap, WORD)).cut()


class _Leaves(NamedTuple):
    """Neighbouring bytes at a node, of which but the last has no samples."""

    node: int
    path: bytes
    begin: int
    end: int
    samples: int


class _Cutter:
    """Grows a trie over sorted words, of which a leaf shall have at most ``max_samples``."""

    def __init__(self, words: UInt64s, max_samples: float, depth: int) -> None:
        self.columns = words[:, None] >> np.arange(8 * (WORD - 1), -1, -8, dtype=np.uint64) & np.uint64(BYTES - 1)
        self.max_samples, self.depth = max_samples, depth
        self.parents: list[int] = []
        self.node_depths: list[int] = []
        self.links: list[tuple[int, int, int]] = []

    def cut(self) -> PrefixRanges:
        paths: list[list[bytes]] = []
        samples: list[int] = []
        links = []
        for leaves in self._leaves(0, b"", 0, len(self.columns)):
            if not samples or samples[-1] + leaves.samples / 2 >= self.max_samples:
                paths.append([])
                samples.append(0)
            samples[-1] += leaves.samples
            paths[-1] += [leaves.path + bytes([byte]) for byte in (leaves.begin, leaves.end - 1)]
            links.append((leaves, len(paths) - 1))
        children = np.empty((len(self.parents), BYTES), np.int32)
        for leaves, number in links:
            children[leaves.node, leaves.begin : leaves.end] = number
        for node, byte, child in self.links:
            children[node, byte] = -child
        depths = [_common(several[0], several[-1]) for several in paths]
        shares = [number / max(len(self.columns), 1) for number in samples]
        return PrefixRanges(children.ravel(), self.parents, self.node_depths, depths, shares)

    def _leaves(self, parent: int, path: bytes, begin: int, end: int) -> Iterator[_Leaves]:
        """Yield the leaves below a new node, to which ``path`` leads and ``begin`` to ``end`` of the words belong."""
        node = len(self.parents)
        self.parents.append(parent)
        self.node_depths.append(len(path))
        if node:
            self.links.append((parent, path[-1], node))
        counts = np.bincount(self.columns[begin:end, len(path)].astype(np.int64), minlength=BYTES)
        first = 0
        for byte in np.flatnonzero(counts).tolist():
            count = int(counts[byte])
            if count > self.max_samples and byte < HIDDEN and len(path) + 1 < self.depth:
                if first < byte:
                    yield _Leaves(node, path, first, byte, 0)
                yield from self._leaves(node, path + bytes([byte]), begin, begin + count)
            else:
                yield _Leaves(node, path, first, byte + 1, count)
            first = byte + 1
            begin += count
        if first < BYTES:
            yield _Leaves(node, path, first, BYTES, 0)


def _common(one: bytes, other: bytes) -> int:
    """Return how many first bytes of text two paths have in common; only the last of a path may be a mark."""
    equal = takewhile(lambda pair: pair[0] == pair[1] < HIDDEN, zip(one, other, strict=False))
    return sum(1 for _ in equal)


A_SUFFIX, A_UNIT = 36, 4
"""Bytes of memory that a range in work takes for each suffix in it, and for each unit there is."""
SMALL = 1 << 26
"""That many bytes the ranges in work may take in however small a text."""
COUNTED = {CountingUnit.OCCURRENCE: OCCURRENCES, CountingUnit.DOCUMENT: UNITS, CountingUnit.SUBJECT: UNITS}


class SuffixRanges(NamedTuple):
    """Suffixes as items, those of range i from ``bounds[i]`` on, and how deep is known already that each is shared."""

    items: UInt64s
    bounds: Int64s
    placed: UInt16s


def cut_pieces(text: TextLayout, number: int) -> list[RangePieces]:
    """Cut a text into parts of about equal size, each a list of pieces; units are in order within all of them."""
    order = np.argsort(text.units, kind="stable")
    ends = np.cumsum(np.diff(text.bounds)[order])
    cuts = np.unique(np.concatenate([[0], ends, text.size * np.arange(1, number) // number]))
    document = np.searchsorted(ends, cuts[:-1], side="right")
    sizes = np.diff(cuts)
    begins = text.bounds[1:][order][document] - (ends[document] - cuts[:-1])
    parts = np.searchsorted(cuts[:-1], text.size * np.arange(number + 1) // number)
    units = text.units[order][document]
    return [RangePieces(begins[a:b], begins[a:b] + sizes[a:b], units[a:b]) for a, b in pairwise(parts.tolist())]


def at_once(ranges: PrefixRanges, text: TextLayout, threads: int) -> int:
    """Return how many ranges may be in work at once: as many as there are threads, or as the memory allows, or none.

    Together they may take 9 bytes per byte of text: text, items and lengths leave that much of 20.
    """
    max_bytes = max(9 * text.size, SMALL)
    largest = sorted(ranges.shares, reverse=True)[:threads]
    units = int(text.units.max(initial=0)) + 1
    taken = accumulate(A_SUFFIX * share * text.size + A_UNIT * units for share in largest)
    return sum(1 for _ in takewhile(lambda room: room <= max_bytes, taken))


def extensions_by_ranges(
    text: TextLayout, ranges: PrefixRanges, *, k: int, unit: CountingUnit, cap: int, threads: int
) -> UInt16s:
    """Return for every byte that begins a character how far the text can be followed before fewer than k share it.

    ``cap`` is below PENDING, and ``threads`` not above what ``at_once`` states. Takes about 11 bytes a byte of text,
    and what is in work.
    """
    divided = deal_suffixes(text, ranges, k=k, unit=unit, threads=threads)
    sizes = np.diff(divided.bounds)
    # The largest first, so that none begins when the others are done.
    queue = deque(np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)].tolist())
    number = int(text.units.max(initial=0)) + 1

    def work(_: int) -> None:
        room: list[NDArray[Any]] = []
        for chosen in _taken(queue):
            items = divided.items[divided.bounds[chosen] : divided.bounds[chosen + 1]]
            room = room or [np.empty(len(items), kind) for kind in (np.uint16, *[np.uint64] * 3, *[np.int32] * 2)]
            shared, words, more_words, more_items, suffixes, units = (array[: len(items)] for array in room)
            counted = COUNTED[unit]
            refine_items(
                text.data, items, ranges.depths[chosen], cap, k, counted, shared, words, more_words, more_items
            )
            unpack_items(items, suffixes, units)
            if unit is CountingUnit.OCCURRENCE:
                lengths = followed_by_occurrences(shared, k, cap)
            else:
                lengths = followed_by_units(shared, units, k, number, cap)
            place_extensions(lengths, shared, suffixes, divided.placed)

    in_threads(work, range(threads), threads=threads)
    return divided.placed


def _taken(queue: deque[int]) -> Iterator[int]:
    while queue:
        with suppress(IndexError):
            yield queue.popleft()


def deal_suffixes(text: TextLayout, ranges: PrefixRanges, *, k: int, unit: CountingUnit, threads: int) -> SuffixRanges:
    """Deal all suffixes that begin with a character out to ranges, in the order of their units."""
    counted = COUNTED[unit]
    parts = cut_pieces(text, threads)
    nodes = len(ranges.parents)
    sizes = np.zeros((threads, len(ranges.depths)), np.int64)
    counts = np.zeros((threads, nodes), np.int64)
    firsts, lasts = np.full((threads, nodes), -1, np.int64), np.full((threads, nodes), -1, np.int64)

    def count(i: int) -> None:
        count_in_ranges(text.data, parts[i], ranges.children, counted, sizes[i], firsts[i], lasts[i], counts[i])

    in_threads(count, range(threads), threads=threads)
    bounds = np.concatenate([[0], np.cumsum(sizes.sum(axis=0))])
    before = bounds[:-1] + np.cumsum(sizes, axis=0) - sizes
    total = counts.sum(axis=0) - (0 if unit is CountingUnit.OCCURRENCE else _twice(firsts, lasts))
    divided = SuffixRanges(np.empty(bounds[-1], np.uint64), bounds, np.zeros(text.size, np.uint16))
    known = ranges.known(total, k)

    def deal_part(i: int) -> None:
        deal_to_ranges(text.data, parts[i], ranges.children, known, before[i], divided.items, divided.placed)

    in_threads(deal_part, range(threads), threads=threads)
    return divided


def _twice(firsts: Int64s, lasts: Int64s) -> Int64s:
    """Return for each node how many units more than one part counted: of two parts, the last and the first at once."""
    twice = np.zeros(firsts.shape[1], np.int64)
    last = np.full(firsts.shape[1], -1, np.int64)
    for first, after in zip(firsts, lasts, strict=True):
        twice += (first >= 0) & (first == last)
        last = np.where(after >= 0, after, last)
    return twice
