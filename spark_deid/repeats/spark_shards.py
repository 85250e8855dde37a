"""Operator: what is rare, found in shards that no task holds together."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import pyarrow as pa
from numpy.typing import NDArray
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.errors import UsageError
from spark_deid.repeats.extension import character_lengths
from spark_deid.repeats.findings import FINDINGS, findings, gather, lay_out_batch
from spark_deid.repeats.kernels.trie import Leaves
from spark_deid.repeats.rare import cover_runs
from spark_deid.repeats.settings import Counted, Rarity, Unit
from spark_deid.repeats.shard import (
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
from spark_deid.repeats.shard_files import read_ids, read_round, write_round, write_text
from spark_deid.repeats.spark import find_in_one_task

_OPENED = pa.schema([("shard", pa.int32()), ("short", pa.binary()), ("keys", pa.binary())])
_SENT = pa.schema(
    [("range", pa.int32()), ("shard", pa.int32()), ("sizes", pa.list_(pa.int64())), ("leaves", pa.binary())]
)
_ANSWERED = pa.schema([("shard", pa.int32()), ("range", pa.int32()), ("size", pa.int64()), ("depths", pa.binary())])
_TAKEN = pa.schema([("shard", pa.int32()), ("active", pa.int64())])
_CODEC = "zstd"


BYTES_A_BYTE = 20
"""Memory that finding takes for a byte of text."""
SHARD_BYTES = 64_000_000


class Sharding(NamedTuple):
    """How many shards and ranges of prefixes, and the folder, seen by every worker, that keeps each round's state."""

    shards: int
    ranges: int
    folder: str


def find_rare_text(
    documents: DataFrame, rarity: Rarity, *, shards: int, folder: str, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find rare text in one task, or in shards: as many as asked for, else where the text fits in no task's memory.

    ``folder`` keeps the shards' state. The result does not depend on the choice (columns of FINDINGS).
    """
    shards = shards or _shards_needed(documents)
    if not shards:
        return find_in_one_task(documents, rarity, placeholders=placeholders)
    if "://" in folder:
        raise UsageError(f"{folder}: shards keep their state in files; name a workspace on a disk that all workers see")
    return find_in_shards(documents, rarity, Sharding(shards, shards, folder), placeholders=placeholders)


def _shards_needed(documents: DataFrame) -> int:
    size = documents.agg(F.sum(F.octet_length("text"))).collect()[0][0] or 0
    fits = _task_memory(documents.sparkSession) // BYTES_A_BYTE
    return 0 if size <= fits else -(-size // min(SHARD_BYTES, max(1, fits)))


def _task_memory(spark: SparkSession) -> int:
    """Return the bytes of memory that a task's Python may take: half of what is free here, or a worker's overhead."""
    settings = spark.sparkContext.getConf()
    if (settings.get("spark.master") or "").startswith("local"):
        return psutil.virtual_memory().available // 2
    words = settings.get("spark.executor.pyspark.memory") or settings.get("spark.executor.memoryOverhead") or "384m"
    jvm: Any = spark.sparkContext._jvm
    return int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsMb(words)) << 20


def find_in_shards(
    documents: DataFrame, rarity: Rarity, sharding: Sharding, *, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find what ``find_in_one_task`` finds, for any number of shards and ranges (columns of FINDINGS).

    Shards own whole units, so a person's documents must fit in one task. Runs an action to open the shards and one a
    round; the driver holds splitters, counts of pairs of bytes, and a sample of keys. What a round left is in files,
    so a lost worker costs one round. Raises UsageError where counts are to hold in the published text.
    """
    if rarity.counted is Counted.PUBLISHED:
        raise UsageError("repeats: strict: published counts again and again, and works in one task alone")
    spark = documents.sparkSession
    opened = _open(documents, rarity, sharding, placeholders)
    numbers = [row["shard"] for row in opened]
    short = np.sum([np.frombuffer(row["short"], np.int64) for row in opened], axis=0)
    splitters = split(np.concatenate([np.frombuffer(row["keys"], np.int64) for row in opened]), sharding.ranges)
    rounds = 0
    for low, high in zip((0, *ladder(rarity.cap)), ladder(rarity.cap), strict=False):
        step = Step(sharding.folder, rounds, low, high, rarity.k)
        rounds += 1
        if not _run(_pinned(spark, numbers), step, splitters):
            break
    function = partial(_close_batches, folder=sharding.folder, rounds=rounds, short=short, rarity=rarity)
    return _pinned(spark, numbers).mapInArrow(function, tables.ddl(FINDINGS))


class Step(NamedTuple):
    """One round: where its state lies, its number, between which depths it goes, and k."""

    folder: str
    number: int
    low: int
    high: int
    k: int

    def place(self, shard: int) -> Path:
        """Return the folder of a shard."""
        return shard_folder(self.folder, shard)


def shard_folder(folder: str, shard: int) -> Path:
    """Return the folder of a shard."""
    return Path(folder) / f"shard-{shard}"


def _pinned(spark: SparkSession, numbers: Sequence[int]) -> DataFrame:
    """Return a row a shard, each in a partition of its own: no shuffle makes them, so nothing joins them."""
    shards = spark.range(0, len(numbers), 1, numPartitions=max(1, len(numbers)))
    names = F.array(*(F.lit(number) for number in numbers))
    return shards.select(F.element_at(names, (F.col("id") + 1).cast("int")).cast("int").alias("shard"))


def _open(documents: DataFrame, rarity: Rarity, sharding: Sharding, placeholders: Sequence[str]) -> list[Row]:
    unit = F.coalesce(F.col("subject_id"), F.lit("")) if rarity.unit is Unit.SUBJECT else F.col("doc_id")
    columns = documents.select("doc_id", "subject_id", "text", "edits", unit.alias("unit"))
    # A number given in so many words is one that adaptive execution keeps.
    sharded = columns.repartition(sharding.shards, "unit").sortWithinPartitions("unit", "doc_id")
    function = partial(_open_batches, folder=sharding.folder, rarity=rarity, placeholders=tuple(placeholders))
    return sharded.mapInArrow(function, tables.ddl(_OPENED)).collect()


def _run(shards: DataFrame, step: Step, splitters: NDArray[np.int64]) -> int:
    """Carry a round out and return how many suffixes are still active."""
    sent = shards.mapInArrow(partial(_send_batches, step=step, splitters=splitters), tables.ddl(_SENT))
    answered = _grouped(sent, "range", "shard").mapInArrow(partial(_answer_batches, k=step.k), tables.ddl(_ANSWERED))
    take = partial(_take_batches, step=step, splitters=splitters)
    taken = _grouped(answered, "shard", "range").mapInArrow(take, tables.ddl(_TAKEN))
    return sum(row["active"] for row in taken.collect())


def _open_batches(
    incoming: Iterator[pa.RecordBatch], *, folder: str, rarity: Rarity, placeholders: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    batches = [batch for batch in incoming if batch.num_rows]
    context = TaskContext.get()
    if not batches or context is None:
        return
    batch = gather(batches, placeholders)
    text = lay_out_batch(batch, rarity.unit)
    shard = open_shard(text, unit=rarity.unit, cap=rarity.cap)
    place = shard_folder(folder, context.partitionId())
    write_text(place, text, batch.ids.to_pylist())
    write_round(place, 0, shard)
    row = (context.partitionId(), short_counts(text, rarity.unit).tobytes(), sample_keys(shard).tobytes())
    yield pa.RecordBatch.from_arrays([pa.array([value]) for value in row], schema=_OPENED)


def _send_batches(
    incoming: Iterator[pa.RecordBatch], *, step: Step, splitters: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for number in batch.column("shard").to_pylist():
            parts, _ = _leaves(step, number, splitters)
            for place, part in enumerate(parts):
                blob = b"".join(np.ascontiguousarray(array).tobytes() for array in part)
                row = {"range": place, "shard": number, "sizes": [len(part.shared), len(part.bytes)]}
                row["leaves"] = pa.Codec(_CODEC).compress(blob, asbytes=True)
                yield pa.RecordBatch.from_pylist([row], schema=_SENT)


def _leaves(step: Step, number: int, splitters: NDArray[np.int64]) -> tuple[list[Leaves], NDArray[np.int32]]:
    shard = read_round(step.place(number), step.number)
    return leaves_of(shard, splitters, low=step.low, high=step.high, k=step.k)


def _grouped(rows: DataFrame, key: str, order: str) -> DataFrame:
    """Bring rows of one key together and in order."""
    return rows.repartition(key).sortWithinPartitions(key, order)


def _groups(incoming: Iterator[pa.RecordBatch], key: str) -> Iterator[list[dict[str, Any]]]:
    rows = (row for batch in incoming for row in batch.to_pylist())
    for _, group in groupby(rows, itemgetter(key)):
        yield list(group)


def _answer_batches(incoming: Iterator[pa.RecordBatch], *, k: int) -> Iterator[pa.RecordBatch]:
    codec = pa.Codec(_CODEC)
    for rows in _groups(incoming, "range"):
        depths = answer([_unpacked(row["sizes"], row["leaves"]) for row in rows], k=k)
        for row, found in zip(rows, depths, strict=True):
            blob = codec.compress(found.tobytes(), asbytes=True)
            answered = {"shard": row["shard"], "range": row["range"], "size": len(found), "depths": blob}
            yield pa.RecordBatch.from_pylist([answered], schema=_ANSWERED)


def _unpacked(sizes: Sequence[int], blob: bytes) -> Leaves:
    leaves, edges = sizes
    data = pa.Codec(_CODEC).decompress(blob, decompressed_size=4 * leaves + 2 * edges, asbytes=True)
    wide = np.frombuffer(data, np.uint16, 2 * leaves)
    narrow = np.frombuffer(data, np.uint8, 2 * edges, offset=4 * leaves)
    return Leaves(wide[:leaves], wide[leaves:], narrow[:edges], narrow[edges:])


def _take_batches(
    incoming: Iterator[pa.RecordBatch], *, step: Step, splitters: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    codec = pa.Codec(_CODEC)
    for rows in _groups(incoming, "shard"):
        number = rows[0]["shard"]
        depths = [codec.decompress(row["depths"], decompressed_size=2 * row["size"], asbytes=True) for row in rows]
        _, leaf_of = _leaves(step, number, splitters)
        shard = read_round(step.place(number), step.number)
        shard = take_answers(shard, np.frombuffer(b"".join(depths), np.uint16), leaf_of, step.high)
        write_round(step.place(number), step.number + 1, shard)
        yield pa.RecordBatch.from_pylist([{"shard": number, "active": len(shard.suffixes)}], schema=_TAKEN)


def _close_batches(
    incoming: Iterator[pa.RecordBatch], *, folder: str, rounds: int, short: NDArray[np.int64], rarity: Rarity
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for number in batch.column("shard").to_pylist():
            place = shard_folder(folder, number)
            shard = read_round(place, rounds)
            extensions = close_shard(shard, short, k=rarity.k, cap=rarity.cap)
            lengths = character_lengths(shard.text, extensions)
            ids = pa.chunked_array([pa.array(read_ids(place), pa.string())])
            yield from findings(ids, shard.text, cover_runs(shard.text, lengths, rarity), lengths)
