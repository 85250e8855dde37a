"""The skip the text: at every place, search for the runs that begin there.

Tables of a million runs lie far from the processor. So each step asks for the memory of the next one, for many places,
and no step waits for it.
"""

from typing import NamedTuple

import numpy as np
from numba.cpython.unsafe.numbers import trailing_zeros

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, prefetch
from spark_deid.repeats.recount.hashing import fill_prefixes, hash_range
from spark_deid.repeats.recount.index import IN_LIST, RunIndex, bit, node_key, node_slot, run_slot
from spark_deid.repeats.recount.prefilter import WindowPlaces, prefilter, prefilter_again

U = np.uint64
RECORD = 4
"""Words of a run's record: its two hashes, its count, and the owner that it was counted for last."""
AHEAD = 12


class PrefixHashes(NamedTuple):
    """Hashes of a window's prefixes, and the powers of the bases of the first two."""

    guides: UInt64s
    first: UInt64s
    second: UInt64s
    first_powers: UInt64s
    second_powers: UInt64s


class RunCandidates(NamedTuple):
    """Strings of the window that may be runs: where, how long, and their first hashes."""

    places: Int64s
    lengths: Int64s
    first: UInt64s


@compiled
def count_pieces(
    data: UInt8s,
    pieces: tuple[Int64s, Int64s, Int64s],
    begin: Int,
    bases: UInt64s,
    powers: tuple[UInt64s, UInt64s],
    index: RunIndex,
    records: UInt64s,
    max_count: Int,
    window: Int,
    patience: Int,
) -> tuple[int, Int]:
    """Count runs in pieces from number ``begin`` on; return how many pieces are done, and what remains of patience.

    ``pieces`` are starts, ends and owners. A run counts once for an owner, whose pieces are neighbours, and below 0 at
    every place, up to ``max_count`` times. Finding one that counts no more costs patience, and the pass ends behind the
    piece in which it falls below 0. A long piece is checked a window at a time.
    """
    starts, ends, owners = pieces
    # Windows overlap by the longest run, so a run that crosses a border is found in the window where it begins.
    step = max(window, index.longest)
    size = 0
    for piece in range(begin, len(owners)):
        size = max(size, min(step + index.longest, ends[piece] - starts[piece]))
    size += 1
    hashes = PrefixHashes(
        np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(size, np.uint64), powers[0], powers[1]
    )
    opened = WindowPlaces(np.empty(size, np.int64), np.empty(size, np.uint64))
    chosen = WindowPlaces(np.empty(size, np.int64), np.empty(size, np.uint64))
    max_candidates = 4096
    found = RunCandidates(
        np.empty(max_candidates, np.int64), np.empty(max_candidates, np.int64), np.empty(max_candidates, np.uint64)
    )
    for piece in range(begin, len(owners)):
        if patience < 0:
            return piece, patience
        for start in range(starts[piece], ends[piece], step):
            end = min(start + step + index.longest, ends[piece])
            fill_prefixes(data, start, end, bases, hashes.guides, hashes.first, hashes.second)
            places, gate = min(step, ends[piece] - start), -1
            for row in range(len(index.levels)):
                # A run must fit in the window, so the last places have no candidates of this level.
                reach = min(places, end - start - index.levels[row, 0] + 1)
                if index.levels[row, 3] < 0:
                    gate = prefilter(hashes.guides, reach, index, row, opened)
                    continue
                if gate < 0:
                    number = prefilter(hashes.guides, reach, index, row, chosen)
                else:
                    number = prefilter_again(hashes.guides, opened.places[:gate], reach, index, row, chosen)
                patience -= _count_at(
                    chosen, number, end - start, owners[piece], hashes, index, row, found, records, max_count
                )
    return len(owners), patience


@compiled
def _count_at(
    chosen: WindowPlaces,
    number: Int,
    size: Int,
    owner: Int,
    hashes: PrefixHashes,
    index: RunIndex,
    row: Int,
    found: RunCandidates,
    records: UInt64s,
    max_count: Int,
) -> int:
    """Count the runs that begin at chosen places of a window of ``size`` bytes; return how many count no more."""
    places, values = chosen
    lists, marks, width = index.lists, index.marks, index.levels[row, 0]
    first, powers = hashes.first, hashes.first_powers
    # `values` has heads first. From here on it has the lengths that a node lists.
    number = _resolve(places, values, number, index, row)
    mask = U(8 * len(marks) - 1)
    # Candidates are collected before they are counted, so that memory of many is fetched at once.
    spent = candidates = 0
    for i in range(number):
        place, lengths = places[i], values[i]
        cell = np.int64(lengths & ~IN_LIST) if lengths & IN_LIST else np.int64(-1)
        while True:
            length = np.int64(lists[cell]) if cell >= 0 else width + np.int64(trailing_zeros(lengths))  # type: ignore[call-arg]
            if length == 0 or place + length > size:
                break
            if candidates == len(found.places):
                spent += _count(candidates, owner, hashes, index, found, records, max_count)
                candidates = 0
            hashed = hash_range(first, place, place + length, powers[length])
            found.places[candidates], found.lengths[candidates], found.first[candidates] = place, length, hashed
            prefetch(marks, np.int64((hashed & mask) >> U(3)))
            candidates += 1
            if cell >= 0:
                cell += 1
            else:
                lengths &= lengths - U(1)
                if lengths == 0:
                    break
    return spent + _count(candidates, owner, hashes, index, found, records, max_count)


@compiled
def _resolve(places: Int64s, heads: UInt64s, number: Int, index: RunIndex, row: Int) -> int:
    """Replace heads by the lengths that nodes have of them, leaving out unknown ones; return how many remain."""
    nodes, lists, level = index.nodes, index.lists, index.levels[row, 3]
    known = 0
    for i in range(min(AHEAD, number)):
        prefetch(nodes, node_slot(nodes, node_key(heads[i], level)))
    for i in range(number):
        if i + AHEAD < number:
            prefetch(nodes, node_slot(nodes, node_key(heads[i + AHEAD], level)))
        key = node_key(heads[i], level)
        slot = node_slot(nodes, key)
        while nodes[slot] != key and nodes[slot + 1] != 0:
            slot = (slot + 2) & (len(nodes) - 1)
        lengths = nodes[slot + 1]
        if lengths != 0:
            places[known], heads[known] = places[i], lengths
            known += 1
            if lengths & IN_LIST:
                prefetch(lists, np.int64(lengths & ~IN_LIST))
    return known


@compiled
def _count(
    number: Int,
    owner: Int,
    hashes: PrefixHashes,
    index: RunIndex,
    found: RunCandidates,
    records: UInt64s,
    max_count: Int,
) -> int:
    """Count the candidates that are runs, by both hashes; return how many of them count no more."""
    places, lengths, first = found
    slots = index.slots
    mask = len(slots) - 1
    number = _marked(number, index, found)
    for i in range(number):
        run = slots[run_slot(slots, first[i])]
        if run >= 0:
            prefetch(records, np.int64(run) * RECORD)
    spent = 0
    for i in range(number):
        hashed = first[i]
        slot = run_slot(slots, hashed)
        while slots[slot] >= 0:
            record = np.int64(slots[slot]) * RECORD
            if records[record] == hashed:
                end = places[i] + lengths[i]
                also = hash_range(hashes.second, places[i], end, hashes.second_powers[lengths[i]])
                if records[record + 1] == also:
                    if records[record + 2] >= U(max_count):
                        spent += 1
                    # Pieces of one owner are adjacent, so the last counted owner shows whether this one was counted.
                    elif owner < 0 or records[record + 3] != U(owner):
                        records[record + 2] += U(1)
                        records[record + 3] = U(owner)
                    break
            slot = (slot + 1) & mask
    return spent


@compiled
def _marked(number: Int, index: RunIndex, found: RunCandidates) -> int:
    """Keep the candidates whose hash is marked, and ask for their slots."""
    places, lengths, first = found
    marks, slots = index.marks, index.slots
    mask = U(8 * len(marks) - 1)
    kept = 0
    for i in range(number):
        hashed = first[i]
        places[kept], lengths[kept], first[kept] = places[i], lengths[i], hashed
        if bit(marks, 0, hashed & mask):
            prefetch(slots, run_slot(slots, hashed))
            kept += 1
    return kept
