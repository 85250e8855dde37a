"""Operators: find spans, decide about them, and rewrite; three steps, in one pass or separately."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, named_of, tuples_of
from spark_deid.core.columns import cut_by_size
from spark_deid.core.corpus import StoredFrame
from spark_deid.core.document import NO_META, Document, LinkedMention
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import detector_of, is_allowed
from spark_deid.engine import functions as F
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_partitions, run_tasks
from spark_deid.rewriting.counts import RewrittenCounts, count_rewritten
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.document_finders import NO_FINDERS, DocumentFinders
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.storage.parts import Parts, PartsWriter, in_pieces, read_aligned

_TOGETHER = 250
_STORED = {"decisions": tables.DECISIONS, "spans": tables.SPANS, "edits": tables.EDITS}


class EditingRules(NamedTuple):
    """What edits are decided by: rules, the detectors whose spans they go for, and other names for labels."""

    rules: PreparedRules
    detectors: frozenset[str]
    labels: Mapping[str, str] = MappingProxyType({})


def store_annotated(
    spark: SparkSession, read: Sequence[Parts], folder: str, finding: DocumentFinders, editing: EditingRules | None
) -> tuple[StoredFrame, Mapping[str, Mapping[str, int]]]:
    """Write documents with what finders find in them (columns of ANNOTATED), and return them as Spark reads them.

    With ``editing`` they have the edits that consist of it too (columns of DECIDED). ``read`` are the parts of a
    stored corpus. The spans are counted as well, by source and label. Runs one action.
    """
    store = partial(_store_searched, folder=folder, finding=finding, editing=editing)
    stored = run_tasks(spark, store, read)
    found: dict[str, dict[str, int]] = {}
    for (source, label), number in sum((counted for _, counted in stored), Counter[tuple[str, str]]()).items():
        found.setdefault(source, {})[label] = number
    frame = read_parts(spark, (parts["annotated"] for parts, _ in stored), _searched(editing))
    return StoredFrame(frame, tuple(parts for parts, _ in stored)), found


def read_annotated(spark: SparkSession, parts: Sequence[Parts], *, has_mentions: bool = False) -> DataFrame:
    """Return documents with spans, and with mentions, as Spark reads them from the parts of several tables."""
    schema = tables.ANNOTATED
    if has_mentions:
        schema = schema.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    if not parts:
        return spark.createDataFrame([], tables.ddl(schema))
    read = partial(_read_numbered, parts=tuple(parts), schema=schema)
    return spark.range(0, len(parts), 1, len(parts)).mapInArrow(read, tables.ddl(schema))


def _read_numbered(
    incoming: Iterator[pa.RecordBatch], *, parts: tuple[Parts, ...], schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    for number in (number for batch in incoming for number in batch.column(0).to_pylist()):
        for group in read_aligned(parts[number]):
            for batch in in_pieces([group], _TOGETHER):
                yield batch.select(schema.names).cast(schema)


def decide_edits(annotated: DataFrame, editing: EditingRules) -> DataFrame:
    """Decide the edits of annotated documents, without rewriting (columns of DECIDED)."""
    decide_batches = partial(_decide_batches, finding=NO_FINDERS, editing=editing, rewrites=False)
    schema = tables.DECIDED
    if tables.MENTIONS in annotated.columns:
        schema = schema.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    return annotated.select(*_annotated_columns(annotated)).mapInArrow(decide_batches, tables.ddl(schema))


def store_decisions(
    spark: SparkSession,
    read: Sequence[Parts],
    editing: EditingRules,
    folders: Mapping[str, str],
    *,
    finding: DocumentFinders = NO_FINDERS,
) -> tuple[Parts, ...]:
    """Find spans, decide edits, rewrite and write: decisions, and the tables of their spans and edits beside them.

    ``read`` are the parts of a stored corpus, ``folders`` local paths of ``decisions``, ``spans`` and ``edits``. Runs
    one action, in which each document is checked once.
    """
    store = partial(_store_part, finding=finding, editing=editing, folders=folders)
    return tuple(run_tasks(spark, store, read))


def store_decided(annotated: DataFrame, editing: EditingRules, folders: Mapping[str, str]) -> tuple[Parts, ...]:
    """Decide the edits of annotated documents that Spark has, rewrite and write, as ``store_decisions`` does."""
    store = partial(_store, finding=NO_FINDERS, editing=editing, folders=folders)
    stored = run_partitions(annotated.select(*_annotated_columns(annotated)), store)
    return tuple(parts for parts in stored if parts["decisions"].rows)


def _annotated_columns(annotated: DataFrame) -> list[str]:
    """Return the columns that decisions consist of: mentions as well, where people were linked."""
    return [*tables.ANNOTATED.names, *(name for name in (tables.MENTIONS,) if name in annotated.columns)]


def published_of_decisions(decisions: DataFrame) -> DataFrame:
    """Write the rewritten texts of decisions as documents."""
    columns = {name: F.col("published" if name == "text" else name) for name in tables.DOCUMENTS.names}
    return decisions.select(*(column.alias(name) for name, column in columns.items()))


def rewrite(documents: DataFrame, edits: DataFrame) -> DataFrame:
    """Apply the edits table to the texts; every other column of the documents passes."""
    joined = documents.join(_nest(edits, "edits", tables.EDITS), on="doc_id", how="left")
    schema = documents.schema
    rewritten = joined.select(*documents.columns, "edits").mapInArrow(
        _rewrite_batches, f"{_ddl_of(documents)}, `edits` int"
    )
    return rewritten.select(*schema.names)


def _nest(rows: DataFrame, name: str, schema: pa.Schema) -> DataFrame:
    struct = F.struct(*(F.col(column) for column in schema.names if column != "doc_id"))
    return rows.groupBy("doc_id").agg(F.sort_array(F.collect_list(struct)).alias(name))


def _ddl_of(frame: DataFrame) -> str:
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)


def _annotate_batches(incoming: Iterator[pa.RecordBatch], *, finding: DocumentFinders) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        spans = lists_of(finding.found_in(batch), tables.SPAN_STRUCT) if not finding.is_empty else batch.column("spans")
        yield batch.set_column(batch.schema.get_field_index("spans"), "spans", spans)


def _searched(editing: EditingRules | None) -> pa.Schema:
    return tables.DECIDED if editing else tables.ANNOTATED


def _store_searched(
    parts: Parts, *, folder: str, finding: DocumentFinders, editing: EditingRules | None
) -> tuple[Parts, Counter[tuple[str, str]]]:
    counted: Counter[tuple[str, str]] = Counter()
    with PartsWriter({"annotated": folder}, {"annotated": _searched(editing)}) as writer:
        found = _annotate_batches(read_aligned(parts), finding=finding)
        for batch in _decide_batches(found, finding=NO_FINDERS, editing=editing, rewrites=False) if editing else found:
            writer.write({"annotated": batch})
            counted.update(_sources_and_labels(batch.column("spans")))
        return writer.close(), counted


def _sources_and_labels(cells: pa.ListArray) -> Mapping[tuple[str, str], int]:
    """Count the spans of all cells by source and label."""
    structs = cells.flatten()
    keys = ["source", "label"]
    found = pa.table({key: structs.field(key) for key in keys}).group_by(keys, use_threads=False)
    counted = found.aggregate([([], "count_all")])
    return dict(
        zip(
            zip(*(counted[key].to_pylist() for key in keys), strict=True), counted["count_all"].to_pylist(), strict=True
        )
    )


def _store_part(parts: Parts, *, finding: DocumentFinders, editing: EditingRules, folders: Mapping[str, str]) -> Parts:
    return _store(read_aligned(parts), finding=finding, editing=editing, folders=folders)


def _store(
    incoming: Iterator[pa.RecordBatch],
    *,
    finding: DocumentFinders,
    editing: EditingRules,
    folders: Mapping[str, str],
) -> Parts:
    with PartsWriter(folders, _STORED) as writer:
        for batch in _decide_batches(incoming, finding=finding, editing=editing, rewrites=True):
            writer.write({"decisions": batch, **tables_of(batch)})
        return writer.close()


def tables_of(decisions: pa.RecordBatch) -> dict[str, pa.RecordBatch]:
    """Write the spans and the edits of decisions as rows of their tables."""
    return {name: _exploded(decisions, name, tables.TABLES[name]) for name in ("spans", "edits")}


def _exploded(decisions: pa.RecordBatch, name: str, schema: pa.Schema) -> pa.RecordBatch:
    cells = decisions.column(name)
    structs = cells.flatten()
    ids = decisions.column("doc_id").take(pc.list_parent_indices(cells))
    columns = dict(zip((field.name for field in structs.type), structs.flatten(), strict=True))
    return pa.RecordBatch.from_arrays([ids, *(columns[n] for n in schema.names if n != "doc_id")], schema=schema)


def _decide_batches(
    incoming: Iterator[pa.RecordBatch], *, finding: DocumentFinders, editing: EditingRules, rewrites: bool
) -> Iterator[pa.RecordBatch]:
    """Decide batch by batch, of each some documents at a time: as tuples, spans and edits take much memory."""
    is_edited = _memo(editing.detectors)
    for batch in incoming:
        lows = range(0, max(batch.num_rows, 1), _TOGETHER)
        pieces = [_decided(batch.slice(low, _TOGETHER), finding, editing, is_edited, rewrites=rewrites) for low in lows]
        # Several batches where a column passes what one array of text can hold.
        yield from pieces if len(pieces) == 1 else pa.Table.from_batches(pieces).combine_chunks().to_batches()


def _decided(
    batch: pa.RecordBatch, finding: DocumentFinders, editing: EditingRules, is_edited: "_memo", *, rewrites: bool
) -> pa.RecordBatch:
    found, documents = finding.found_in(batch), _documents(batch)
    if labels := editing.labels:
        found = [[span._replace(label=labels.get(span.label, span.label)) for span in e] for e in found]
        documents = [_renamed(each, labels) for each in documents]
    decided = [
        decide(document, [span for span in spans if is_edited[span.source]], editing.rules)
        for document, spans in zip(documents, found, strict=True)
    ]
    arrays = [
        *(batch.column(name) for name in tables.DOCUMENTS.names),
        lists_of(found, tables.SPAN_STRUCT),
        lists_of((each.edits for each in decided), tables.EDIT_STRUCT),
        lists_of((each.handed_back for each in decided), tables.HANDED_BACK_STRUCT),
    ]
    if not rewrites:
        names = list(tables.DECIDED.names)
        if tables.MENTIONS in batch.schema.names:
            arrays, names = [*arrays, batch.column(tables.MENTIONS)], [*names, tables.MENTIONS]
        return pa.RecordBatch.from_arrays(arrays, names=names)
    texts = [document.text for document in documents]
    published = [apply_edits(text, each.edits) for text, each in zip(texts, decided, strict=True)]
    arrays += [pa.array(published, type=pa.string()), *_counted(texts, arrays[-3], arrays[-2])]
    return pa.RecordBatch.from_arrays(arrays, names=tables.DECISIONS.names)


class _memo(dict[str, bool]):
    """Return for sources whether their detector's spans are edited; there are few sources and many spans."""

    def __init__(self, detectors: frozenset[str]) -> None:
        super().__init__()
        self._detectors = detectors

    def __missing__(self, source: str) -> bool:
        self[source] = known = detector_of(source) in self._detectors and not is_allowed(source)
        return known


def _documents(batch: pa.RecordBatch) -> list[Document]:
    ids, subjects, texts, metas = (batch.column(name).to_pylist() for name in tables.DOCUMENTS.names)
    return [
        Document(doc_id, text, subject_id, meta=dict(meta) if meta else NO_META, mentions=mentions)
        for doc_id, subject_id, text, meta, mentions in zip(
            ids, subjects, texts, metas, _mentions_in(batch), strict=True
        )
    ]


def _renamed(document: Document, labels: Mapping[str, str]) -> Document:
    """Return a document whose mentions have other names for labels, as its spans do."""
    mentions = tuple(each._replace(label=labels.get(each.label, each.label)) for each in document.mentions)
    return document._replace(mentions=mentions)


def _mentions_in(batch: pa.RecordBatch) -> Iterator[tuple[LinkedMention, ...]]:
    if tables.MENTIONS not in batch.schema.names:
        return repeat((), batch.num_rows)
    return (tuple(map(LinkedMention._make, rows)) for rows in tuples_of(batch.column(tables.MENTIONS)))


def _counted(texts: list[str], spans: pa.ListArray, edits: pa.ListArray) -> Iterator[pa.Array]:
    """Return the columns of what is counted of rewritten texts, some documents at a time."""
    nothing = RewrittenCounts(*[np.zeros(0, np.int64)] * len(RewrittenCounts._fields))
    some = (
        count_rewritten(texts[low:high], spans.slice(low, high - low), edits.slice(low, high - low))
        for low, high in cut_by_size([*map(len, texts)])
    )
    yield from (pa.array(np.concatenate(columns), pa.int64()) for columns in zip(nothing, *some, strict=True))


def _rewrite_batches(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        texts = batch.column("text").to_pylist()
        cells = list(named_of(batch.column("edits"), Edit))
        rewritten = [apply_edits(text, edits) for text, edits in zip(texts, cells, strict=True)]
        edited = pa.array(list(map(len, cells)), type=pa.int32())
        batch = batch.set_column(batch.schema.get_field_index("text"), "text", pa.array(rewritten, type=pa.string()))
        yield batch.set_column(batch.schema.get_field_index("edits"), "edits", edited)
