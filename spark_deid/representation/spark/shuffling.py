"""Operators: documents to sentences in an order drawn by a key, and these to new documents."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b, sha256
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, named_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.errors import GateRefused
from spark_deid.numerics.arrays import Int64s
from spark_deid.representation.pseudonyms.sentences import sentences_of
from spark_deid.representation.word_tokens import LETTERS, tokens_of
from spark_deid.storage.parts import PartFile, PartsWriter, read_groups
from spark_deid.storage.spark.tasks import read_parts, run_tasks

PLACED = pa.struct([("start", pa.int32()), ("end", pa.int32()), ("label", pa.string())])
"""A span of what is shared: nothing tells who found it."""
SENTENCES = pa.schema(
    [
        ("place", pa.string()),
        ("doc_id", pa.string()),
        ("text", pa.string()),
        ("spans", pa.list_(PLACED)),
        ("words", pa.list_(pa.string())),
    ]
)
"""Sentences between two stages: their place in the order, the document that they are of, the words of pseudonyms."""
SHARED = pa.schema([("doc_id", pa.string()), ("text", pa.string()), ("spans", pa.list_(PLACED))])
_DOCUMENTS = 100
_BUCKET = 3
"""Digits of a place by which sentences are numbered apart: 4096 buckets of the same size, whatever the input."""


def store_sentences(spark: SparkSession, decided: Sequence[PartFile], folder: str, key: bytes) -> tuple[DataFrame, int]:
    """Cut published texts into sentences (columns of SENTENCES) with the spans of their edits; return them, and count.

    Runs one action. Raises GateRefused where a character that is no white space, or a span, went astray.
    """
    draws = blake2b(b"representation sentences", key=sha256(key).digest(), digest_size=32).digest()
    stored = run_tasks(spark, partial(_store_part, folder=folder, key=draws), list(decided))
    if any(lost for _, lost in stored):
        raise GateRefused("nothing is released: sentences do not hold all of the texts that they were cut from")
    parts = [part for part, _ in stored if part.rows]
    return read_parts(spark, parts, SENTENCES), sum(part.rows for part in parts)


def gather(sentences: DataFrame, each: int) -> DataFrame:
    """Join sentences, in the order of their places, to documents of so many (columns of SHARED); runs one action."""
    bucketed = sentences.select("place", "text", "spans", F.substring("place", 1, _BUCKET).alias("bucket"))
    counted: dict[str, int] = dict(bucketed.groupBy("bucket").count().collect())
    names = sorted(counted)
    firsts = [*zip(names, accumulate((counted[name] for name in names), initial=0), strict=False)]
    starts = sentences.sparkSession.createDataFrame(firsts, "bucket string, first long")
    bucketed = bucketed.join(F.broadcast(starts), on="bucket", how="inner")
    within = F.row_number().over(Window.partitionBy("bucket").orderBy("place")) - 1
    numbered = bucketed.select((F.col("first") + within).cast("long").alias("number"), "text", "spans")
    grouped = numbered.groupBy(F.floor(F.col("number") / each).cast("long").alias("document")).agg(
        F.sort_array(F.collect_list(F.struct("number", "text", "spans"))).alias("sentences")
    )
    return grouped.select("document", "sentences.text", "sentences.spans").mapInArrow(_join, tables.ddl(SHARED))


def _store_part(part: PartFile, *, folder: str, key: bytes) -> tuple[PartFile, int]:
    lost = 0
    with PartsWriter({"sentences": folder}, {"sentences": SENTENCES}) as writer:
        for batch in _pieces(read_groups(part.path, ["doc_id", "published", "text", "edits"])):
            ids, texts = batch.column("doc_id").to_pylist(), batch.column("published").to_pylist()
            edits = named_of(batch.column("edits"), LabelledEdit)
            rows = []
            for doc_id, text, own in zip(ids, texts, edits, strict=True):
                cut = list(_sentences(doc_id, text, own, key))
                lost += abs(_visible(text) - sum(_visible(row[2]) for row in cut))
                lost += abs(len(own) - sum(len(row[3]) for row in cut))
                rows += cut
            writer.write({"sentences": _sentence_batch(rows)})
        return writer.close()["sentences"], lost


def _pieces(groups: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield a few documents at a time: their sentences take ten times the memory of their texts."""
    for group in groups:
        for first in range(0, group.num_rows, _DOCUMENTS):
            yield group.slice(first, _DOCUMENTS)


SentenceRow = tuple[str, str, str, list[tuple[int, int, str]], list[str]]


def _sentences(doc_id: str, text: str, edits: Sequence[LabelledEdit], key: bytes) -> Iterator[SentenceRow]:
    spans = []
    shift = 0
    for edit in sorted(edits):
        start = edit.start + shift
        shift += len(edit.replacement) - (edit.end - edit.start)
        spans.append((start, edit.end + shift, edit.label))
    place = 0
    for number, (start, end) in enumerate(sentences_of(text, [(one, other) for one, other, _ in spans])):
        own = []
        while place < len(spans) and spans[place][1] <= end:
            own.append((spans[place][0] - start, spans[place][1] - start, spans[place][2]))
            place += 1
        words = [
            text[token.start : token.end].casefold()
            for one, other, _ in own
            for token in tokens_of(text, start + one, start + other)
            if token.kind == LETTERS and token.end - token.start > 1
        ]
        stream = f"{doc_id}\0{number}".encode("utf-8", "surrogatepass")
        yield blake2b(stream, key=key, digest_size=16).hexdigest(), doc_id, text[start:end], own, words


def _sentence_batch(rows: Sequence[SentenceRow]) -> pa.RecordBatch:
    columns = [*zip(*rows, strict=True)] if rows else [()] * len(SENTENCES)
    plain = [pa.array(columns[number], pa.string()) for number in range(3)]
    words = pa.array(list(columns[4]), SENTENCES.field("words").type)
    return pa.RecordBatch.from_arrays([*plain, lists_of(columns[3], PLACED), words], schema=SENTENCES)


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _join(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        yield joined(batch)


def joined(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Join the sentences of documents by line breaks (columns of SHARED); the id of a new document is its number.

    ``batch`` has ``document`` and, in lists of the same lengths, ``text`` and ``spans``.
    """
    texts, spans = batch.column("text"), batch.column("spans")
    sizes = pc.utf8_length(texts.flatten()).to_numpy().astype(np.int64) + 1
    ends = np.concatenate([[0], np.cumsum(sizes)])
    sentences = _offsets(texts)
    starts = ends[:-1] - np.repeat(ends[sentences[:-1]], np.diff(sentences))
    own = spans.flatten()
    placed = own.flatten()
    shift = np.repeat(starts, np.diff(_offsets(own)))
    moved = [
        pa.array((placed.field(name).to_numpy() + shift).astype(np.int32), pa.int32()) for name in ("start", "end")
    ]
    structs = pa.StructArray.from_arrays([*moved, placed.field("label")], fields=list(PLACED))
    offsets = pa.array(_offsets(own)[_offsets(spans)].astype(np.int32))
    ids = pa.array([f"{number + 1:08d}" for number in batch.column("document").to_pylist()], pa.string())
    columns = [ids, pc.binary_join(texts, "\n"), pa.ListArray.from_arrays(offsets, structs)]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(columns, SHARED, strict=True)], schema=SHARED
    )


def _offsets(lists: pa.ListArray) -> Int64s:
    """Return where each list begins among the values of all, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(pc.list_value_length(lists).to_numpy())]).astype(np.int64)
