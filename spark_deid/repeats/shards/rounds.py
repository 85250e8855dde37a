"""One round: what a shard sends, what a range answers, and what a shard takes from it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import UInt8s
from spark_deid.repeats.kernels.trie import RangeSplitters
from spark_deid.repeats.shards.files import read_message, write_messages
from spark_deid.repeats.shards.opening import OpenedShard, describe_shard
from spark_deid.repeats.shards.search import SearchRound, ShardSearch
from spark_deid.repeats.shards.tries import (
    ALONE,
    RangeLeaves,
    depth_type,
    merge_range,
    range_leaves,
    sample_prefixes,
    take_answers,
    trie_of,
)

_CODEC = "zstd"
_SIZES = 4
"""Numbers of 8 bytes that a message to a range begins with: leaves, edges, and bytes of both splitters."""


def send_leaves(number: int, search: ShardSearch, step: SearchRound, splitters: RangeSplitters) -> int:
    """Build a shard's trie for a round, and write to each range what is of it; return the bytes."""
    shard = search.shard(number)
    text, active = shard.read_text(), shard.read_active(step.number)
    trie = trie_of(text, active, shard.read_weights(), splitters, low=step.low, high=step.high, k=search.rarity.k)
    shard.write_begins(step.number, trie.begins)
    return write_messages(
        shard.sent(step.number), [_packed(leaves) for leaves in range_leaves(text, active, trie, splitters)]
    )


def answer_range(
    place: int, shards: Sequence[int], search: ShardSearch, step: SearchRound, splitters: RangeSplitters
) -> int:
    """Merge what all shards sent to a range, and write an answer to each; return the bytes."""
    groups = [search.groups.get(number, ALONE) for number in shards]
    received = [_unpacked(read_message(search.shard(n).sent(step.number), place), step.high) for n in shards]
    found = merge_range(received, groups, splitters, place, low=step.low, high=step.high, k=search.rarity.k)
    answers = [b""] * (max(shards) + 1)
    for number, depths in zip(shards, found, strict=True):
        # The size goes first: what is compressed does not show it.
        answers[number] = np.int64(len(depths)).tobytes() + _compressed([depths])
    return write_messages(search.answers(step, place), answers)


def write_answers(number: int, ranges: int, search: ShardSearch, step: SearchRound) -> OpenedShard:
    """Write the answers to a shard, in order of ranges, and what goes into the next round."""
    answers = [read_message(search.answers(step, place), number) for place in range(ranges)]
    narrow = depth_type(step.high)
    sizes = [int(np.frombuffer(message, np.int64, 1)[0]) for message in answers]
    depths_of = [_decompressed(m, 8, size * narrow.itemsize) for m, size in zip(answers, sizes, strict=True)]
    answered = np.concatenate([depths.view(narrow) for depths in depths_of])
    shard = search.shard(number)
    active = shard.read_active(step.number)
    begins = shard.read_begins(step.number, len(active.suffixes))
    depths, kept = take_answers(active, answered, begins, step.high)
    shard.write_depths(step.number, depths)
    shard.write_active(step.number + 1, kept)
    text = shard.read_text()
    depth = min(search.rarity.cap, 2 * step.high)
    return describe_shard(number, text.size, kept, sample_prefixes(text, kept, depth=depth, number=search.samples))


def _packed(sent: RangeLeaves) -> bytes:
    sizes = [len(sent.shared), len(sent.symbols), len(sent.left), len(sent.right)]
    leaves = [sent.shared, sent.lengths, sent.symbols, sent.counts]
    return b"".join(
        [np.array(sizes, np.int64).tobytes(), sent.left.tobytes(), sent.right.tobytes(), _compressed(leaves)]
    )


def _unpacked(message: bytes, high: int) -> RangeLeaves:
    narrow = depth_type(high)
    leaves, edges, *paths = np.frombuffer(message, np.int64, _SIZES).tolist()
    begin = 8 * _SIZES
    left, right = np.split(np.frombuffer(message, np.uint8, sum(paths), offset=begin), [paths[0]])
    data = _decompressed(message, begin + sum(paths), 2 * (leaves * narrow.itemsize + edges))
    depths, symbols, counts = np.split(data, [2 * leaves * narrow.itemsize, len(data) - edges])
    shared, lengths = np.split(depths.view(narrow), 2)
    return RangeLeaves(shared, lengths, symbols, counts, left, right)


def _compressed(arrays: Sequence[NDArray[Any]]) -> bytes:
    joined = np.concatenate([np.ascontiguousarray(array).view(np.uint8) for array in arrays])
    packed: bytes = pa.Codec(_CODEC).compress(joined, asbytes=True)
    return packed


def _decompressed(message: bytes, begin: int, size: int) -> UInt8s:
    data = pa.Codec(_CODEC).decompress(memoryview(message)[begin:], decompressed_size=size)
    return np.frombuffer(data, np.uint8)
