"""Operators: an input to tables, and tables to an output."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from pyspark.sql import Column, DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.errors import CorpusError
from spark_deid.corpus.formats import NO_OPTIONS, find_format
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.items import RANGE_BYTES, InputListing, unlabelled_ids
from spark_deid.corpus.local import DUPLICATE, nothing_readable
from spark_deid.corpus.spark.parse import PARSED, open_input
from spark_deid.corpus.spark.write import write_corpus
from spark_deid.engine import functions as F

__all__ = ["CorpusReading", "as_it_is", "read_corpus", "tables_of", "write_corpus"]

_MOST_BROADCAST = 100_000  # ids
_COUNTS = ("whitespace", "utf16", "mended", "relabelled", "left_out", "base64", "named", "annotations")


@dataclass(frozen=True)
class CorpusReading:
    """The tables of an input (spans have the source ``gold``), what was counted, and the version of a Delta table.

    ``annotated`` holds documents and spans together, a list per document; ``unlabelled`` are the ids of documents that
    lack their file of annotations.
    """

    documents: DataFrame
    spans: DataFrame
    annotated: DataFrame
    rejects: DataFrame
    inventory: FileInventory
    delta_version: int | None = None
    unlabelled: frozenset[str] = frozenset()


def as_it_is(rows: DataFrame) -> DataFrame:
    """Return the rows: the stage of a reading that materializes nothing."""
    return rows


def read_corpus(
    spark: SparkSession,
    path: str,
    format: str,
    *,
    options: Mapping[str, str] = NO_OPTIONS,
    stage: Callable[[DataFrame], DataFrame] = as_it_is,
    range_bytes: int = RANGE_BYTES,
) -> CorpusReading:
    """Read a file, a folder or a glob, each record once, as a document or as a reject.

    The driver lists names and sizes; workers open files. Runs one action for the inventory, one more that counts
    lines where a file of lines is larger than ``range_bytes``, or than a core's fraction of the input, and what
    ``stage`` does: it gets the parsed rows (columns of PARSED) and may write them and return what it wrote, so that
    nothing is parsed more than once.

    Raises CorpusError where nothing is readable, UsageError for an unknown format or option.
    """
    kernel = find_format(format, options)
    given = open_input(spark, path, kernel, options, range_bytes)
    reading = tables_of(stage(given.parsed()), given.listing)
    if not reading.inventory.documents:
        raise CorpusError(nothing_readable(path, format, reading.inventory))
    return replace(reading, unlabelled=unlabelled_ids(given.listing.items, kernel))


def tables_of(parsed: DataFrame, listing: InputListing) -> CorpusReading:
    """Make the tables of parsed rows (columns of PARSED), of records with one ``doc_id`` the first.

    Runs one action, and two more if a file is torn.
    """
    inventory, is_torn = _inventory(listing, parsed)
    if is_torn:
        parsed = without_torn(parsed)
        inventory, _ = _inventory(listing, parsed)
    marked = mark_duplicates(parsed, inventory.rejects.get(DUPLICATE.reason, 0))
    kept = marked.where(F.col("reason").isNull())
    return CorpusReading(
        documents=kept.select(*tables.DOCUMENTS.names),
        spans=_explode_spans(kept),
        annotated=kept.select(*tables.DOCUMENTS.names, "spans"),
        rejects=marked.where(F.col("reason").isNotNull()).select(*tables.REJECTS.names),
        inventory=inventory,
        delta_version=listing.delta_version,
    )


def _torn() -> Column:
    """Return the condition of ``reading.is_torn``."""
    return F.col("reason").isNotNull() & F.col("records").isNull() & (F.col("number") > 0)


def without_torn(parsed: DataFrame) -> DataFrame:
    """Drop the documents of torn files, whose rejects represent them. Runs one action."""
    torn = [row["name"] for row in parsed.where(_torn()).select("name").distinct().collect()]
    return parsed.where(F.col("reason").isNotNull() | ~F.col("name").isin(torn)) if torn else parsed


def _inventory(listing: InputListing, parsed: DataFrame) -> tuple[FileInventory, bool]:
    """Count the records, of those with one ``doc_id`` the first; and return whether a file is torn."""
    named = F.col("subject_id").isNotNull().cast("long").alias("named")
    annotations = F.size("spans").cast("long").alias("annotations")
    first = F.struct(
        "name", "number", "whitespace", "utf16", "mended", "relabelled", "left_out", "base64", named, annotations
    )
    unknown = F.col("reason").isNotNull() & F.col("records").isNull()
    records = parsed.groupBy("doc_id", "reason").agg(
        F.sum(F.coalesce("records", F.lit(1))).alias("represented"),
        F.count_if(unknown).alias("unknown"),
        F.max(_torn()).alias("torn"),
        F.min(first).alias("first"),
    )
    summed = {name: F.sum(f"first.{name}").alias(name) for name in _COUNTS}
    counted = records.groupBy("reason").agg(
        F.count("doc_id").alias("ids"),
        *(F.sum(name).alias(name) for name in ("represented", "unknown")),
        F.max("torn").alias("torn"),
        *summed.values(),
    )
    rows = {row["reason"]: row.asDict() for row in counted.collect()}
    read = rows.pop(None, dict.fromkeys(("ids", "represented", *_COUNTS), 0))
    rejects = Counter({reason: row["represented"] for reason, row in rows.items()})
    if repeated := read["represented"] - read["ids"]:
        rejects[DUPLICATE.reason] += repeated
    unknown_rejects = sum(row["unknown"] for row in rows.values())
    sums = {name: read[name] for name in _COUNTS} | {"documents": read["ids"], "unknown": unknown_rejects}
    return inventory_of(listing, sums, rejects), any(row["torn"] for row in rows.values())


def inventory_of(listing: InputListing, sums: Mapping[str, int], rejects: Mapping[str, int]) -> FileInventory:
    """Put together what was listed and what was counted of records; a count that is absent is 0."""
    return FileInventory(
        files=listing.files,
        bytes=listing.bytes,
        hidden=listing.hidden,
        ignored=listing.ignored,
        skipped=listing.skipped,
        documents=sums.get("documents", 0),
        rejects=rejects,
        documents_with_subject=sums.get("named", 0),
        annotations=sums.get("annotations", 0),
        whitespace_annotations=sums.get("whitespace", 0),
        utf16_annotations=sums.get("utf16", 0),
        mended_annotations=sums.get("mended", 0),
        relabelled_annotations=sums.get("relabelled", 0),
        attachments=sums.get("left_out", 0),
        base64_values=sums.get("base64", 0),
        unknown_rejects=sums.get("unknown", 0),
    )


def mark_duplicates(parsed: DataFrame, duplicates: int) -> DataFrame:
    """Reject every record whose ``doc_id`` one earlier by name and number has."""
    if not duplicates:
        return parsed
    place = F.struct("name", "number", "source")
    ids = parsed.where(F.col("reason").isNull()).groupBy("doc_id")
    repeated = ids.agg(F.count("*").alias("records"), F.min(place).alias("first")).where(F.col("records") > 1)
    repeated = repeated.select("doc_id", "first")
    if duplicates <= _MOST_BROADCAST:
        repeated = F.broadcast(repeated)
    joined = parsed.join(repeated, on="doc_id", how="left")
    later = F.col("first").isNotNull() & (F.struct("name", "number", "source") != F.col("first"))
    detail = F.format_string(DUPLICATE.detail, F.col("first.source"))
    return (
        joined.withColumn("reason", F.when(later, F.lit(DUPLICATE.reason)).otherwise(F.col("reason")))
        .withColumn("detail", F.when(later, detail).otherwise(F.col("detail")))
        .withColumn("records", F.when(later, F.lit(1)).otherwise(F.col("records")))
        .select(*PARSED.names)
    )


def _explode_spans(rows: DataFrame) -> DataFrame:
    exploded = rows.select("doc_id", F.explode("spans").alias("span"))
    return exploded.select(*(_span_column(name) for name in tables.SPANS.names))


def _span_column(name: str) -> Column:
    return F.col(name) if name == "doc_id" else F.col(f"span.{name}").alias(name)
