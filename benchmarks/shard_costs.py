"""Count what the sharded search for rare text costs: processor time by stage, bytes sent, bytes of state.

    python benchmarks/shard_costs.py --megabytes 8 --shards 4

One process does the work of all shards in turn, without Spark, on a corpus of documentation.py. All figures are
a byte of text; bytes sent are compressed as in the operator.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from documentation import add_text_options, corpus

from spark_deid.repeats.extension import character_lengths, extension_lengths
from spark_deid.repeats.rare import cover_text
from spark_deid.repeats.settings import Rarity, Unit
from spark_deid.repeats.shard import (
    ALONE,
    FIRST_DEPTH,
    SAMPLES_A_RANGE,
    Active,
    Weights,
    answer,
    close_shard,
    next_depth,
    open_shard,
    ranges_of,
    sample,
    split,
    take_answers,
    trie_of,
)
from spark_deid.repeats.shard_tasks import depth_type
from spark_deid.repeats.text import LaidOut, lay_out

CODEC = pa.Codec("zstd")


class Meter:
    """Seconds of processor time by stage, and other sums."""

    def __init__(self) -> None:
        self.sums: defaultdict[str, float] = defaultdict(float)

    def __call__(self, stage: str, work: Callable[..., Any], *given: Any, **named: Any) -> Any:
        began = time.process_time()
        made = work(*given, **named)
        self.sums[stage] += time.process_time() - began
        return made


def state(active: Active) -> int:
    return sum(a.nbytes for a in (active.suffixes, active.shared, active.units))


def packed(arrays: Iterable[np.ndarray]) -> bytes:
    return CODEC.compress(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays), asbytes=True)


def search(texts: list[LaidOut], k: int, cap: int, meter: Meter) -> tuple[list[np.ndarray], dict[int, float]]:
    weights = [Weights(np.ones(len(text.units), np.int64), False) for text in texts]
    shards = [
        meter("sort", open_shard, t, w, unit=Unit.DOCUMENT, cap=cap, cores=np.diff(t.bounds) - 1)
        for t, w in zip(texts, weights, strict=True)
    ]
    begin, size = sum(len(shard.suffixes) for shard in shards), sum(text.size for text in texts)
    rounds: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in shards]
    active, low, high = {}, 0, min(FIRST_DEPTH, cap)
    while any(len(shard.suffixes) for shard in shards) and low < cap:
        share = sum(len(shard.suffixes) for shard in shards) / size
        high = next_depth(low, cap, share) if low else high
        meter.sums["state"] += sum(state(shard) for shard in shards)
        drawn = [sample(*each, depth=high, number=SAMPLES_A_RANGE) for each in zip(texts, shards, strict=True)]
        splitters = split(drawn, max(1, round(min(1, 2 * share) * len(shards))))
        tries = [
            meter("leaves", trie_of, *each, splitters, low=low, high=high, k=k)
            for each in zip(texts, shards, weights, strict=True)
        ]
        sent = [meter("leaves", ranges_of, *each, splitters) for each in zip(texts, shards, tries, strict=True)]
        narrow = depth_type(high)
        for part in (part for parts in sent for part in parts):
            arrays = (part.shared.astype(narrow), part.lengths.astype(narrow), part.symbols, part.counts)
            meter.sums["sent"] += len(meter("pack", packed, arrays))
        alone = [ALONE] * len(sent)
        ranges = [
            meter("merge", answer, [parts[n] for parts in sent], alone, splitters, n, low=low, high=high, k=k)
            for n in range(len(splitters.bounds))
        ]
        for i, (shard, trie) in enumerate(zip(list(shards), tries, strict=True)):
            answered = np.concatenate([found[i] for found in ranges])
            meter.sums["returned"] += len(packed((answered.astype(narrow),)))
            depths, shards[i] = meter("take", take_answers, shard, answered, trie.begins, high)
            meter.sums["state"] += depths.nbytes
            rounds[i].append((shard.suffixes, depths))
        active[high] = round(sum(len(shard.suffixes) for shard in shards) / begin, 4)
        low = high
    closed = [meter("take", close_shard, text.size, taken) for text, taken in zip(texts, rounds, strict=True)]
    return closed, active


def main() -> None:
    parser = argparse.ArgumentParser()
    add_text_options(parser, 8)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--cap", type=int, default=255)
    options = parser.parse_args()
    texts = corpus(options.input, options.megabytes)
    parts = [texts[i :: options.shards] for i in range(options.shards)]
    warm = [lay_out(texts[i : i + 5]) for i in (0, 5)]
    found, _ = search(warm, options.k, options.cap, Meter())  # compiles
    cover_text(warm[0], character_lengths(warm[0], found[0]), Rarity(k=options.k, cap=options.cap))
    meter = Meter()
    laid_out = [lay_out(part) for part in parts]
    size = sum(text.size for text in laid_out)
    found, active = search(laid_out, options.k, options.cap, meter)
    rarity = Rarity(k=options.k, cap=options.cap)
    for text, lengths in zip(laid_out, found, strict=True):
        meter("cover", cover_text, text, character_lengths(text, lengths), rarity)
    whole = lay_out([text for part in parts for text in part])
    one = Meter()
    expected = one("one task", extension_lengths, whole, k=options.k, unit=Unit.DOCUMENT, cap=options.cap)
    times = {name: meter.sums.pop(name) for name in ("sort", "leaves", "pack", "merge", "take", "cover")}
    figures = {
        "bytes": size,
        "same": bool(np.array_equal(np.concatenate(found), expected)),
        "nanoseconds": {name: round(1e9 * value / size) for name, value in (times | one.sums).items()},
        "bytes_a_byte": {name: round(value / size, 2) for name, value in meter.sums.items()},
        "active behind depth": active,
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
