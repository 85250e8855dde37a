"""Check decisions and score them, in one pass over what was written."""

from collections.abc import Iterator, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import spans_in, to_batch, tuples_of
from spark_deid.evaluation.counts import Cell, Counts, count_documents
from spark_deid.evaluation.score import Scores
from spark_deid.guarantees.coverage import Faults, Replaced, add, faults_of
from spark_deid.plan.corpus import Corpus
from spark_deid.release.spark.content import Content, agree, check_release, measure
from spark_deid.rewriting.spark.operators import (
    edits_of_decisions,
    names_source,
    published_of_decisions,
    spans_of_decisions,
)

_COUNTS = pa.schema([*((name, pa.string()) for name in Cell._fields), ("value", pa.int64())])
_FAULTS = "faults"
_COLUMNS = ("text", "published", "spans", "edits")


class Recounted(NamedTuple):
    """What is wrong, the scores if asked for, and whether the rows of decisions say what the tables say."""

    faults: Faults
    scores: Scores | None
    agreed: bool


def recount(
    decisions: DataFrame, corpus: Corpus, content: Content, *, sources: Sequence[str], scored: bool
) -> Recounted:
    """Count what is wrong with decisions (columns of DECISIONS) and, if asked for, score edited spans against gold.

    Texts, spans and edits of a document stand in one row, so nothing is joined. That a row has what the workspace's
    tables say of its document is shown by sums of hashes; ``content`` is the measure of the documents table. Where
    these differ the tables are joined and every document checked: what they say decides. Runs three Spark jobs, and
    one more where the hashes differ.
    """
    function = partial(_recount_batches, sources=tuple(sources), scored=scored)
    counted = decisions.select(*_COLUMNS).mapInArrow(function, tables.ddl(_COUNTS))
    rows = counted.groupBy(*Cell._fields).agg(F.sum("value").alias("value")).collect()
    cells = {Cell(row["measure"], row["label"], row["kind"]): int(row["value"]) for row in rows}
    faults = Faults(**{name: cells.pop(Cell(_FAULTS, "", name), 0) for name in Faults._fields})
    agreed = _shows_tables(decisions, corpus, content)
    if not agreed:
        published = published_of_decisions(decisions)
        faults = check_release(corpus.documents, published, corpus.spans, corpus.edits, sources=sources)
    return Recounted(faults, Scores(Counts(MappingProxyType(cells))) if scored else None, agreed)


def _shows_tables(decisions: DataFrame, corpus: Corpus, content: Content) -> bool:
    """Tell whether decisions say of documents, spans and edits what the workspace's tables say, each document once."""
    if measure(decisions) != content or content.ids != content.documents:
        return False
    shown = {"spans": spans_of_decisions(decisions), "edits": edits_of_decisions(decisions), "about": _about(decisions)}
    return agree(shown, {"spans": corpus.spans, "edits": corpus.edits, "about": _about(corpus.documents)})


def _about(documents: DataFrame) -> DataFrame:
    """Select what a release may let out of documents besides their texts."""
    return documents.select("doc_id", "subject_id", F.map_entries("meta").alias("meta"))


def _recount_batches(
    incoming: Iterator[pa.RecordBatch], *, sources: tuple[str, ...], scored: bool
) -> Iterator[pa.RecordBatch]:
    is_edited = cache(partial(names_source, sources=sources))
    for batch in incoming:
        texts, published = (batch.column(name).to_pylist() for name in ("text", "published"))
        spans = list(spans_in(batch.column("spans")))
        edits = [[Replaced(*edit) for edit in cell] for cell in tuples_of(batch.column("edits"))]
        applied = [[span for span in found if is_edited(span.source)] for found in spans]
        faults = Faults()
        for text, rewritten, found, decided in zip(texts, published, applied, edits, strict=True):
            faults = add(faults, faults_of(text, rewritten, [(span.start, span.end) for span in found], decided))
        rows = [(_FAULTS, "", name, value) for name, value in faults._asdict().items() if value]
        if scored:
            gold = ([span for span in found if span.source == "gold"] for found in spans)
            counts = count_documents(zip(texts, gold, applied, strict=True))
            rows += [(*cell, value) for cell, value in counts.cells.items()]
        yield to_batch(rows, _COUNTS)
