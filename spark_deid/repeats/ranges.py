"""Cut the order of suffixes into ranges of about equal size, after a sample."""

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt16s, UInt64s
from spark_deid.repeats.kernels.loading import WORD
from spark_deid.repeats.kernels.marks import HIDDEN
from spark_deid.repeats.kernels.ranges import BYTES, words_at
from spark_deid.repeats.text import TextLayout

SAMPLES_A_RANGE = 64
_STEP = (5**0.5 - 1) / 2
"""Multiples of it, modulo 1, are spread evenly and fall in with no period of a text."""


class PrefixRanges(NamedTuple):
    """A trie whose leaves are in ranges, as ``kernels.ranges`` has it.

    Node i has ``parents[i]`` above it and is ``node_depths[i]`` bytes deep. All suffixes of range i have ``depths[i]``
    bytes in common; they are about the share ``shares[i]`` of all.
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

    More than that can be in one where so many begin alike.
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
    """Return how many bytes of text two paths begin with alike; only the last of a path may be a mark."""
    equal = takewhile(lambda pair: pair[0] == pair[1] < HIDDEN, zip(one, other, strict=False))
    return sum(1 for _ in equal)
