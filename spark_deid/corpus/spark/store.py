"""Store an input: workers parse it and write what they read as parts of tables, each document once."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.errors import CorpusError
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import NO_OPTIONS, find_format
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.items import RANGE_BYTES, InputItem
from spark_deid.corpus.local import nothing_readable
from spark_deid.corpus.spark.parse import ParserInput, open_input, parse_items
from spark_deid.corpus.spark.read import inventory_of, mark_duplicates, without_torn
from spark_deid.engine import functions as F
from spark_deid.engine.keeping import kept_tables
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions, run_tasks
from spark_deid.storage.parts import PartFile, Parts, PartsWriter, remove_parts
from spark_deid.storage.s3 import S3Settings

DOCUMENTS, IMPORTED, REJECTS = "documents", "imported", "rejects"
_IMPORTED = pa.schema([tables.ANNOTATED.field("spans")])
_IDS = pa.schema([tables.DOCUMENTS.field("doc_id")])
_SCHEMAS = {DOCUMENTS: tables.DOCUMENTS, IMPORTED: _IMPORTED, REJECTS: tables.REJECTS}
_SUMMED = ("whitespace", "utf16", "mended", "relabelled", "left_out", "base64")
_REJECTED = ("reason", "records", "number")
_PART_CHARACTERS = 16 << 20


class WrittenBatch(NamedTuple):
    """The parts that a task wrote: documents with their imported annotations, rejects, and counts of both.

    ``reasons`` counts the records that rejects represent. ``is_torn`` is whether a reject represents an unknown number
    of records of a file of which others may be read.
    """

    read: tuple[Parts, ...]
    rejects: tuple[PartFile, ...]
    counts: Counter[str]
    reasons: Counter[str]
    is_torn: bool = False


@dataclass(frozen=True)
class StoredCorpus:
    """The parts of an input's tables, what was counted, and the version of a Delta table.

    ``read`` has parts of ``documents`` and, group of rows by group, of ``imported``: the spans of each document.
    """

    read: tuple[Parts, ...]
    rejects: tuple[PartFile, ...]
    inventory: FileInventory
    delta_version: int | None = None


class NothingReadable(CorpusError):
    """An input in which nothing is readable, and the parts of its rejects."""

    def __init__(self, message: str, rejects: tuple[PartFile, ...]) -> None:
        super().__init__(message)
        self.rejects = rejects


def store_corpus(
    spark: SparkSession,
    path: str,
    format: str,
    folders: Mapping[str, str],
    *,
    options: Mapping[str, str] = NO_OPTIONS,
    labels: Mapping[str, str] = NO_OPTIONS,
    range_bytes: int = RANGE_BYTES,
) -> StoredCorpus:
    """Read a file, a folder or a glob, each record once, as a document or as a reject, and write what was read.

    ``folders`` are local paths of ``documents``, ``imported`` and ``rejects``; ``labels`` are other names for labels of
    imported annotations. Runs one action to read and write, one that compares ids, and one more that counts lines where
    a file of lines is larger than ``range_bytes``, or than a core's part of the input. If ids repeat or a file is torn,
    everything is read and written again. Of records with one ``doc_id`` the first is kept, of a torn file none.

    Raises NothingReadable where nothing is, UsageError for an unknown format or option.
    """
    kernel = replace(find_format(format, options), labels=dict(labels))
    given = open_input(spark, path, kernel, options, range_bytes)
    written = _store(given, folders)
    repeated = _count_repeated(spark, written)
    if repeated or written.is_torn:
        _remove(written)
        written = _store_parsed(given, folders, repeated, is_torn=written.is_torn)
    inventory = inventory_of(given.listing, written.counts, dict(written.reasons))
    if not inventory.documents:
        raise NothingReadable(nothing_readable(path, format, inventory), written.rejects)
    return StoredCorpus(written.read, written.rejects, inventory, given.listing.delta_version)


def store_frame(annotated: DataFrame, folders: Mapping[str, str]) -> tuple[Parts, ...]:
    """Write documents with spans that Spark has (columns of ANNOTATED) as parts of ``documents`` and ``imported``.

    Runs one action. Ids are taken as they are.
    """
    rows = annotated.select(*tables.ANNOTATED.names)
    stored = run_partitions(rows, partial(_write_annotated, folders=dict(folders)))
    return tuple(parts for task in stored for parts in task)


def _store(given: ParserInput, folders: Mapping[str, str]) -> WrittenBatch:
    if given.frame is not None:
        return _store_parsed(given, folders, 0)
    store = partial(_store_items, format=given.format, s3=given.s3, folders=dict(folders))
    return _together(run_tasks(given.spark, store, given.groups))


def _store_parsed(
    given: ParserInput, folders: Mapping[str, str], repeated: int, *, is_torn: bool = False
) -> WrittenBatch:
    """Store parsed rows that Spark has, without torn files and repeated ids; all are parsed once."""
    with kept_tables(on_disk=True) as keep:
        parsed = keep(given.parsed())
        whole = without_torn(parsed) if is_torn else parsed
        return _together(run_partitions(mark_duplicates(whole, repeated), partial(_write, folders=dict(folders))))


def _count_repeated(spark: SparkSession, written: WrittenBatch) -> int:
    """Count the documents whose id an earlier one has, by the ids that were written."""
    if not written.read:
        return 0
    ids = read_parts(spark, (parts[DOCUMENTS] for parts in written.read), _IDS)
    counted = ids.groupBy("doc_id").count().where(F.col("count") > 1)
    return int(counted.agg(F.coalesce(F.sum(F.col("count") - 1), F.lit(0))).collect()[0][0])


def _remove(written: WrittenBatch) -> None:
    remove_parts((*written.read, *({REJECTS: part} for part in written.rejects)))


def _together(written: Sequence[WrittenBatch]) -> WrittenBatch:
    read: list[Parts] = []
    rejects: list[PartFile] = []
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for each in written:
        read += each.read
        rejects += each.rejects
        counts += each.counts
        reasons += each.reasons
    is_torn = any(each.is_torn for each in written)
    return WrittenBatch(tuple(read), tuple(rejects), counts, reasons, is_torn)


def _store_items(
    items: Sequence[InputItem], *, format: CorpusFormat, s3: S3Settings, folders: Mapping[str, str]
) -> WrittenBatch:
    return _write(parse_items(items, format=format, s3=s3), folders=folders)


def _write(batches: Iterable[pa.RecordBatch], *, folders: Mapping[str, str]) -> WrittenBatch:
    """Write parsed batches; a part ends where its texts are many enough for a task."""
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    is_torn = False
    read, rejected = _Rolled(folders, DOCUMENTS, IMPORTED), _Rolled(folders, REJECTS)
    for batch in batches:
        is_read = pc.is_null(batch.column("reason"))
        documents, rejects = batch.filter(is_read), batch.filter(pc.invert(is_read))
        counts += _counts_of(documents)
        for reason, records, number in zip(*(rejects.column(name).to_pylist() for name in _REJECTED), strict=True):
            reasons[reason] += 1 if records is None else records
            counts["unknown"] += records is None
            is_torn |= records is None and number > 0
        read.write(documents, _characters(documents))
        rejected.write(rejects, 0)
    rejected_parts = tuple(parts[REJECTS] for parts in rejected.close())
    return WrittenBatch(tuple(read.close()), rejected_parts, counts, reasons, is_torn)


def _write_annotated(batches: Iterable[pa.RecordBatch], *, folders: Mapping[str, str]) -> tuple[Parts, ...]:
    written = _Rolled(folders, DOCUMENTS, IMPORTED)
    for batch in batches:
        written.write(batch, _characters(batch))
    return tuple(written.close())


def _characters(documents: pa.RecordBatch) -> int:
    return int(pc.sum(pc.utf8_length(documents.column("text"))).as_py() or 0)


def _counts_of(documents: pa.RecordBatch) -> Counter[str]:
    summed = {name: pc.sum(documents.column(name)).as_py() or 0 for name in _SUMMED}
    annotations = pc.sum(pc.list_value_length(documents.column("spans"))).as_py() or 0
    named = pc.count(documents.column("subject_id")).as_py()
    return Counter(summed | {"documents": documents.num_rows, "named": named, "annotations": annotations})


class _Rolled:
    """Parts of some tables, of about _PART_CHARACTERS each; none where nothing is written."""

    def __init__(self, folders: Mapping[str, str], *names: str) -> None:
        self._schemas = {name: _SCHEMAS[name] for name in names}
        self._folders = {name: folders[name] for name in names}
        self._writer: PartsWriter | None = None
        self._characters = 0
        self._ended: list[Parts] = []

    def write(self, rows: pa.RecordBatch, characters: int) -> None:
        if not rows.num_rows:
            return
        if self._writer is None or self._characters + characters > _PART_CHARACTERS:
            self.close()
            self._writer, self._characters = PartsWriter(self._folders, self._schemas), 0
        self._writer.write({name: _chosen(rows, schema) for name, schema in self._schemas.items()})
        self._characters += characters

    def close(self) -> list[Parts]:
        if self._writer is not None:
            self._ended.append(self._writer.close())
            self._writer = None
        return self._ended


def _chosen(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Select a table's columns; Spark names the items of lists and maps by other words, so types are cast."""
    return rows.select(schema.names).cast(schema)
