"""Count what the sharded search for rare text costs: processor time by stage, bytes sent, bytes of state.

    python benchmarks/shard_costs.py --megabytes 8 --shards 4

One process does the work of all shards in turn, without Spark, on a corpus of documentation.py. All figures are
a byte of text; bytes sent are compressed as in the operator.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from documentation import add_text_options, corpus

from spark_deid.repeats.extension import character_lengths, extension_lengths
from spark_deid.repeats.rare import cover_runs
from spark_deid.repeats.settings import Rarity, Unit
from spark_deid.repeats.shard import (
    Shard,
    answer,
    close_shard,
    ladder,
    leaves_of,
    open_shard,
    sample_keys,
    short_counts,
    split,
    take_answers,
)
from spark_deid.repeats.text import LaidOut, lay_out

CODEC = pa.Codec("zstd")


class Meter:
    """Seconds of processor time by stage, and other sums."""

    def __init__(self) -> None:
        self.sums: defaultdict[str, float] = defaultdict(float)

    def __call__(self, stage: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        made = work()
        self.sums[stage] += time.process_time() - began
        return made


def state(shard: Shard) -> int:
    return sum(a.nbytes for a in (shard.suffixes, shard.shared, shard.units, shard.placed))


def packed(arrays: tuple[np.ndarray, ...]) -> int:
    return len(CODEC.compress(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays), asbytes=True))


def search(texts: list[LaidOut], k: int, cap: int, meter: Meter) -> tuple[list[np.ndarray], list[float]]:
    shards = [meter("sort", lambda t=t: open_shard(t, unit=Unit.DOCUMENT, cap=cap)) for t in texts]
    begin = sum(len(shard.suffixes) for shard in shards)
    short = np.sum([short_counts(text, Unit.DOCUMENT) for text in texts], axis=0)
    splitters = split(np.concatenate([sample_keys(shard) for shard in shards]), len(shards))
    active = []
    for low, high in zip((0, *ladder(cap)), ladder(cap), strict=False):
        meter.sums["state"] += sum(state(shard) for shard in shards)
        sent = [meter("leaves", lambda s=s, a=low, b=high: leaves_of(s, splitters, low=a, high=b, k=k)) for s in shards]
        meter.sums["sent"] += sum(packed(part) for parts, _ in sent for part in parts)
        ranges = [
            meter("merge", lambda n=n, sent=sent: answer([parts[n] for parts, _ in sent], k=k))
            for n in range(len(splitters) + 1)
        ]
        meter.sums["returned"] += sum(packed((depths,)) for found in ranges for depths in found)
        shards = [
            meter(
                "take",
                lambda i=i, s=s, sent=sent, ranges=ranges, b=high: take_answers(
                    s, np.concatenate([found[i] for found in ranges]), sent[i][1], b
                ),
            )
            for i, s in enumerate(shards)
        ]
        active.append(sum(len(shard.suffixes) for shard in shards) / begin)
    return [meter("take", lambda s=s: close_shard(s, short, k=k, cap=cap)) for s in shards], active


def main() -> None:
    parser = argparse.ArgumentParser()
    add_text_options(parser, 8)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--cap", type=int, default=255)
    options = parser.parse_args()
    texts = corpus(options.input, options.megabytes)
    parts = [texts[i :: options.shards] for i in range(options.shards)]
    search([lay_out(texts[i : i + 5]) for i in (0, 5)], options.k, options.cap, Meter())  # compiles
    meter = Meter()
    laid_out = [lay_out(part) for part in parts]
    size = sum(text.size for text in laid_out)
    found, active = search(laid_out, options.k, options.cap, meter)
    rarity = Rarity(k=options.k, cap=options.cap)
    for text, lengths in zip(laid_out, found, strict=True):
        meter("cover", lambda t=text, g=lengths: cover_runs(t, character_lengths(t, g), rarity))
    whole = lay_out([text for part in parts for text in part])
    one = Meter()
    expected = one("one task", lambda: extension_lengths(whole, k=options.k, unit=Unit.DOCUMENT, cap=options.cap))
    times = {name: meter.sums.pop(name) for name in ("sort", "leaves", "merge", "take", "cover")}
    figures = {
        "bytes": size,
        "same": bool(np.array_equal(np.concatenate(found), expected)),
        "nanoseconds": {name: round(1e9 * value / size) for name, value in (times | one.sums).items()},
        "bytes_a_byte": {name: round(value / size, 2) for name, value in meter.sums.items()},
        "active": [round(share, 4) for share in active],
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
