"""Operator: which shard owns which documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine import functions as F
from spark_deid.engine.resources import task_memory
from spark_deid.repeats.extension import MAX_BYTES
from spark_deid.repeats.findings import Batches, gather_documents
from spark_deid.repeats.settings import CountingUnit, RaritySettings
from spark_deid.repeats.shards.tries import MAX_SHARDS
from spark_deid.repeats.text import DocumentSegment, cut_segments

_CUT = pa.schema(
    [
        ("doc_id", pa.string()),
        ("subject_id", pa.string()),
        ("text", pa.string()),
        ("edits", pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))),
        ("unit", pa.string()),
        ("shard", pa.int32()),
        ("segment", pa.int32()),
        ("core", pa.int64()),
    ]
)


@dataclass(frozen=True)
class ShardedDocuments:
    """Documents with their ``shard`` of ``shards``, and which unit (``groups``, from 0 on) a shard has only some of.

    ``rows`` has doc_id, subject_id, text, edits, unit, shard, segment and core: where a document is cut, the number of
    the segment and how many of its bytes are searched in it, else -1. Raises SparkDeidError for more shards than can be
    merged.
    """

    rows: DataFrame
    shards: int
    groups: dict[int, int]

    def __post_init__(self) -> None:
        """Check that a range can number its shards."""
        if self.shards > MAX_SHARDS:
            raise SparkDeidError(
                f"rare text: {self.shards} shards are necessary, more than the limit of {MAX_SHARDS}. Give "
                "tasks more memory (spark.executor.pyspark.memory), so that shards are larger"
            )


class _Large(NamedTuple):
    """The shards of a unit that is too large for one: the first, and how many."""

    first: int
    number: int


def assign_shards(
    documents: DataFrame, rarity: RaritySettings, shards: int, *, max_bytes: int, placeholders: Sequence[str] = ()
) -> ShardedDocuments:
    """Assign every unit to a shard by what it states, so that copies of it meet; one action, to find large units.

    A unit of more than ``max_bytes`` gets separate shards, and a document of more is cut; what counts once for its
    unit is merged before it is added to others. Where every occurrence counts, documents are units and shards add up.
    """
    measured = _measured(documents, rarity.unit)
    large = _large(measured.where(F.col("bytes") > max_bytes), shards, max_bytes)
    columns = ("doc_id", "subject_id", "text", "edits", "unit")
    whole = (F.lit(-1).cast(kind).alias(name) for name, kind in (("segment", "int"), ("core", "bigint")))
    owner = F.pmod(F.col("key"), F.lit(shards)).cast("int").alias("shard")
    rows = measured.where(F.col("bytes") <= max_bytes).select(*columns, owner, *whole)
    if not large:
        return ShardedDocuments(rows, shards, {})
    function = partial(_cut_batches, large=large, max_bytes=max_bytes, cap=rarity.cap, placeholders=tuple(placeholders))
    cut_rows = measured.where(F.col("bytes") > max_bytes).select(*columns).mapInArrow(function, tables.ddl(_CUT))
    groups = {
        unit.first + place: -1 if rarity.unit is CountingUnit.OCCURRENCE else group
        for group, unit in enumerate(large.values())
        for place in range(unit.number)
    }
    return ShardedDocuments(rows.unionByName(cut_rows), shards + len(groups), groups)


def _measured(documents: DataFrame, unit: CountingUnit) -> DataFrame:
    """Add what counts as one, how many bytes that has, and a key that is the same where all it states is."""
    content = F.xxhash64("text", "edits")
    size = F.octet_length("text").cast("bigint")
    if unit is not CountingUnit.SUBJECT:
        return documents.withColumns({"unit": F.col("doc_id"), "bytes": size, "key": content})
    named = documents.withColumn("unit", F.coalesce(F.concat(F.lit("="), "subject_id"), F.lit("")))
    contents = F.xxhash64(F.sort_array(F.collect_set(content)))
    units = named.groupBy("unit").agg(F.sum(size).alias("bytes"), contents.alias("key"))
    return named.join(units, on="unit", how="inner")


def _large(rows: DataFrame, shards: int, max_bytes: int) -> dict[str, _Large]:
    large: dict[str, _Large] = {}
    first = shards
    for row in rows.select("unit", "bytes").distinct().orderBy("unit").collect():
        large[row["unit"]] = _Large(first, -(-row["bytes"] // max_bytes))
        first += large[row["unit"]].number
    return large


def _cut_batches(
    incoming: Batches, *, large: dict[str, _Large], max_bytes: int, cap: int, placeholders: tuple[str, ...]
) -> Batches:
    for batch in incoming:
        documents = gather_documents([batch], placeholders)
        names = zip(documents.ids.to_pylist(), documents.subjects, batch.column("unit").to_pylist(), strict=True)
        for (doc_id, subject_id, unit), data, excluded in zip(names, documents.texts, documents.excluded, strict=True):
            segments = (
                list(cut_segments(data, excluded, max_bytes=max_bytes, cap=cap))
                if len(data) > max_bytes
                else [DocumentSegment(data, -1, [*excluded])]
            )
            begin = crc32(doc_id.encode("utf-8", "surrogatepass"))
            for number, segment in enumerate(segments):
                row = {
                    "doc_id": doc_id,
                    "subject_id": subject_id,
                    "text": segment.data.decode("utf-8", "surrogatepass"),
                    "edits": [{"start": start, "end": end} for start, end in segment.excluded],
                    "unit": unit,
                    "shard": large[unit].first + (begin + number) % large[unit].number,
                    "segment": number if len(segments) > 1 else -1,
                    "core": segment.core,
                }
                yield pa.RecordBatch.from_pylist([row], schema=_CUT)


# Operator: how many shards a corpus needs.


BYTES_A_BYTE = 20
"""Memory that finding takes for a byte of text."""
SHARD_BYTES = 64_000_000


class ShardingPlan(NamedTuple):
    """How many shards and ranges of prefixes, and the folder, seen by every worker, that keeps each round's state.

    A unit of more than ``max_bytes`` gets separate shards, in addition.
    """

    shards: int
    ranges: int
    folder: str
    max_bytes: int = SHARD_BYTES


def choose_sharding(documents: DataFrame, shards: int, folder: str) -> ShardingPlan | None:
    """Choose as many shards as are asked for, else as text needs that fits in no task's memory; none where it fits.

    Raises UsageError for a folder that is not on a disk.
    """
    fits = bytes_that_fit(task_memory(documents.sparkSession))
    max_bytes = min(SHARD_BYTES, max(1, fits))
    if not shards:
        size = documents.agg(F.sum(F.octet_length("text"))).collect()[0][0] or 0
        if size <= fits:
            return None
        shards = -(-size // max_bytes)
    if not Path(folder).is_absolute():
        raise UsageError(
            f"{folder}: shards store their state in files. Choose a workspace on a disk that all workers see"
        )
    return ShardingPlan(shards, shards, folder, max_bytes)


def bytes_that_fit(memory: int) -> int:
    """Return how many bytes of text one task can search in that much memory; half of what a suffix array can number.

    The other half is for the ends of documents, of which there may be as many as bytes of text.

    >>> bytes_that_fit(20_000_000), bytes_that_fit(1 << 40) == (1 << 30) - 1
    (1000000, True)
    """
    return min(memory // BYTES_A_BYTE, MAX_BYTES // 2)
