"""Operators: what a corpus contains, and whether what is to be published covers what was detected."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial, reduce
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.core.hashing import fingerprint
from spark_deid.guarantees.coverage import Faults, Replaced, add, faults_of, is_exempt

_FAULTS = pa.schema([(name, pa.int32()) for name in Faults._fields])
_LANES = 8
_DIGITS = 64 // _LANES


class Content(NamedTuple):
    """How much a corpus holds, and one digest of it that no order or partitioning changes.

    ``subjects`` counts the documents that name a person, ``ids`` the different ids of documents.
    """

    documents: int
    characters: int
    subjects: int
    digest: str
    ids: int


def measure(documents: DataFrame) -> Content:
    """Count a corpus and digest its ids and texts; one Spark job.

    The digest is a sum of the documents' sha256 in eight lanes of 32 bits: two documents exchanged for two others do
    not cancel out, as they could in an exclusive or.
    """
    length = F.char_length("doc_id").cast("string")
    digest = F.sha2(F.concat(length, F.lit(":"), "doc_id", "text"), 256)
    characters = F.char_length("text").alias("characters")
    rows = documents.select("doc_id", "subject_id", characters, digest.alias("digest"))
    row = rows.agg(
        F.count(F.lit(1)),
        F.coalesce(F.sum("characters"), F.lit(0)),
        F.count("subject_id"),
        F.count_distinct("doc_id"),
        *_lane_sums("digest"),
    ).collect()[0]
    lanes = [int(value or 0) for value in row[4:]]
    return Content(row[0], row[1], row[2], fingerprint([row[0], *lanes]), row[3])


def _lane_sums(digest: str) -> list[Column]:
    lanes = (F.substring(digest, 1 + lane * _DIGITS, _DIGITS) for lane in range(_LANES))
    return [F.sum(F.conv(lane, 16, 10).cast("bigint")) for lane in lanes]


def agree(left: Mapping[str, DataFrame], right: Mapping[str, DataFrame]) -> bool:
    """Tell whether tables hold the same rows, whatever their order, under every name; one Spark job.

    Equal tables always agree. Others do by chance alone: their rows are hashed with 64 bits, and the sums of both
    halves of the hashes compared.
    """
    hashed = [
        frame.select(F.lit(side).alias("side"), F.lit(name).alias("name"), _row_hash(frame).alias("hash"))
        for side, frames in (("left", left), ("right", right))
        for name, frame in frames.items()
    ]
    low, high = F.col("hash").bitwiseAND(0xFFFFFFFF), F.shiftrightunsigned("hash", 32)
    sums = reduce(DataFrame.unionAll, hashed).groupBy("side", "name").agg(F.count("*"), F.sum(low), F.sum(high))
    found = {(row[0], row[1]): tuple(row[2:]) for row in sums.collect()}
    return set(left) == set(right) and all(found.get(("left", n)) == found.get(("right", n)) for n in left)


def _row_hash(frame: DataFrame) -> Column:
    """Hash a row; that a column is null is part of it, since the hash passes nulls over."""
    return F.xxhash64(*(column for name in frame.columns for column in (F.col(name), F.col(name).isNull())))


def check_release(
    documents: DataFrame,
    published: DataFrame,
    spans: DataFrame,
    edits: DataFrame,
    *,
    exempt: Sequence[str],
    placeholders: Sequence[str],
) -> Faults:
    """Count what is wrong with what is to be published; one Spark job.

    ``published`` has the columns ``doc_id`` (the original one) and ``text``. Spans of every source must be covered but
    those of detectors that are ``exempt``; ``placeholders`` are techniques that may write what stood there. Every
    document, span and edit is looked at, those without a counterpart too.
    """
    joined = (
        documents.select("doc_id", F.col("text").alias("original"))
        .join(published.select("doc_id", F.col("text").alias("published")), on="doc_id", how="full")
        .join(_nest(spans, "spans", ("start", "end", "source")), on="doc_id", how="full")
        .join(_nest(edits, "edits", Replaced._fields), on="doc_id", how="full")
    )
    check = partial(_check_batches, exempt=tuple(exempt), placeholders=tuple(placeholders))
    rows = joined.mapInArrow(check, tables.ddl(_FAULTS))
    totals = rows.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in Faults._fields)).collect()[0]
    return Faults(*(int(total) for total in totals))


def _nest(rows: DataFrame, name: str, columns: Sequence[str]) -> DataFrame:
    return rows.groupBy("doc_id").agg(F.collect_list(F.struct(*columns)).alias(name))


def _check_batches(
    incoming: Iterator[pa.RecordBatch], *, exempt: tuple[str, ...], placeholders: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    is_free = cache(partial(is_exempt, exempt=exempt))
    for batch in incoming:
        total = Faults()
        texts = (batch.column(name).to_pylist() for name in ("original", "published"))
        rows = zip(*texts, tuples_of(batch.column("spans")), tuples_of(batch.column("edits")), strict=True)
        for original, published, spans, edits in rows:
            marked = [(start, end) for start, end, source in spans if not is_free(source)]
            total = add(
                total, faults_of(original, published, marked, [Replaced(*edit) for edit in edits], placeholders)
            )
        yield to_batch([total], _FAULTS)
