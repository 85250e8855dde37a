"""Count what the sharded search for rare text costs: processor time by stage, bytes sent, bytes of state.

    python benchmarks/shard_costs.py --input corpus/documentation --megabytes 30 --shards 4

One process does the tasks of all shards and ranges in turn, files and compression included, without Spark. All figures
are a byte of text.
"""

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from documentation import add_text_options, corpus

from spark_deid.repeats.extension import extension_lengths
from spark_deid.repeats.rare import find_rare
from spark_deid.repeats.settings import CountingUnit, RaritySettings
from spark_deid.repeats.shards.cut_documents import find_in_shard
from spark_deid.repeats.shards.opening import open_rows
from spark_deid.repeats.shards.rounds import answer_range, send_leaves, write_answers
from spark_deid.repeats.shards.search import SearchRound, ShardSearch
from spark_deid.repeats.shards.tries import FIRST_DEPTH, SAMPLES_A_RANGE, LeafSample, choose_splitters, next_depth
from spark_deid.repeats.text import lay_out

STAGES = ("open", "send", "answer", "take", "find")


class Meter:
    """Seconds of processor time by stage, and other sums."""

    def __init__(self) -> None:
        self.sums: defaultdict[str, float] = defaultdict(float)

    def __call__(self, stage: str, work: Callable[[], Any]) -> Any:
        began = time.process_time()
        made = work()
        self.sums[stage] += time.process_time() - began
        return made


def batch_of(texts: Sequence[tuple[int, str]]) -> pa.RecordBatch:
    """Return documents as the operator provides them to the task that opens their shard."""
    size = len(texts)
    columns = {
        "doc_id": pa.array([f"{number:08}" for number, _ in texts]),
        "subject_id": pa.nulls(size, pa.string()),
        "text": pa.array([text for _, text in texts]),
        "edits": pa.nulls(size, pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))),
        "segment": pa.array([-1] * size, pa.int32()),
        "core": pa.array([-1] * size, pa.int64()),
    }
    return pa.RecordBatch.from_pydict(columns)


def run(texts: Sequence[str], shards: int, rarity: RaritySettings, meter: Meter, folder: str) -> dict[str, Any]:
    """Search as the operator does, a task after the other; return rounds, what stayed active, and what was found."""
    search = ShardSearch(folder, 0, rarity, {}, SAMPLES_A_RANGE)
    batches = [batch_of(list(enumerate(texts))[number::shards]) for number in range(shards)]
    rows = [meter("open", lambda n=n, b=b: open_rows([b], n, search, ())) for n, b in enumerate(batches)]
    size = sum(row.size for row in rows)
    told = []
    number = low = 0
    while low < rarity.cap and any(row.active for row in rows):
        share = sum(row.active for row in rows) / size
        high = next_depth(low, rarity.cap, share) if number else min(FIRST_DEPTH, rarity.cap)
        ranges = max(1, min(shards, round(2 * share * shards)))
        splitters = choose_splitters([LeafSample(row.prefixes, row.leaves) for row in rows if row.prefixes], ranges)
        step = SearchRound(number, low, high)
        for n in range(shards):
            meter.sums["sent"] += meter("send", lambda n=n, t=step, s=splitters: send_leaves(n, search, t, s))
        for place in range(len(splitters.bounds)):
            meter.sums["returned"] += meter(
                "answer", lambda r=place, t=step, s=splitters: answer_range(r, range(shards), search, t, s)
            )
        rows = [
            meter("take", lambda n=n, t=step, s=splitters: write_answers(n, len(s.bounds), search, t))
            for n in range(shards)
        ]
        told.append({"depth": high, "active": round(sum(row.active for row in rows) / size, 4)})
        number, low = number + 1, high
    found = [
        batch for n in range(shards) for batch in meter("find", lambda n=n: list(find_in_shard(n, search, number)))
    ]
    written = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    meter.sums["state"] = written - meter.sums["sent"] - meter.sums["returned"]
    return {"rounds": told, "found": pa.Table.from_batches(found)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_text_options(parser, 30)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--cap", type=int, default=255)
    options = parser.parse_args()
    texts = corpus(options.input, options.megabytes)
    rarity = RaritySettings(k=options.k, cap=options.cap, unit=CountingUnit.DOCUMENT)
    meter = Meter()
    with tempfile.TemporaryDirectory() as small, tempfile.TemporaryDirectory() as folder:
        run(texts[:20], 2, rarity, Meter(), small)  # compiles
        came = run(texts, options.shards, rarity, meter, folder)
    size = sum(len(text.encode()) + 1 for text in texts)
    text = lay_out(texts)
    one = Meter()
    one("one task, lengths", lambda: extension_lengths(text, k=rarity.k, unit=rarity.unit, cap=rarity.cap))
    expected = one("one task, whole", lambda: find_rare(text, rarity))
    found = came["found"].sort_by("doc_id")
    starts = np.concatenate([np.asarray(part) for part in found["starts"].to_pylist()]) if len(texts) else []
    figures = {
        "bytes": size,
        "same": bool(np.array_equal(starts, expected.runs.starts)),
        "nanoseconds": {name: round(1e9 * meter.sums.pop(name) / size) for name in STAGES}
        | {name: round(1e9 * value / size) for name, value in one.sums.items()},
        "bytes a byte": {name: round(value / size, 2) for name, value in meter.sums.items()},
        "rounds": came["rounds"],
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
