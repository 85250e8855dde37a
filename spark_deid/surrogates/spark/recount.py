"""Operators: made-up replacements of a corpus, recounted by persons and documents."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, named_of, spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.surrogates.recounting import (
    InventedEdit,
    SurrogateFaults,
    count_date_faults,
    count_faults,
    count_spared,
    offsets_by_person,
    remaining_terms,
)
from spark_deid.surrogates.settings import SHIFT, SURROGATE
from spark_deid.surrogates.spark.assigning import read_assigned_texts

if TYPE_CHECKING:
    from spark_deid.surrogates.recounting import SurrogateClaim

_EDIT = pa.struct(
    [("technique", pa.string()), ("is_name", pa.bool_()), ("before", pa.string()), ("after", pa.string())]
)
REPLACED = pa.schema([("person", pa.string()), ("scope", pa.string()), ("edits", pa.list_(_EDIT))])
"""The distinct invented edits of a document, with its person, or itself if it names none; or what an older version
assigned (technique OLDER)."""
OLDER = "older"
SPARED, REPLACED_VALUE = "spared", "replaced"
"""Techniques of rows other than made-up edits: a place of a spared term, and a value that was replaced."""
_DOCUMENT, _SUBJECT = "document ", "subject "
_FAULTS = pa.schema([(name, pa.int64()) for name in SurrogateFaults._fields])


def recount(corpus: Corpus, claim: "SurrogateClaim", moved: DataFrame | None = None) -> SurrogateFaults:
    """Count what is wrong with made-up replacements in what was decided; one query, which moves each edit once.

    ``moved`` is metadata before and after (``doc_id, subject_id, before, after``), whose dates are those of its person.
    """
    spans = ("spans",) if claim.spares else ()
    decisions = corpus.decisions.select("doc_id", "subject_id", "text", "edits", *spans)
    if claim.infers:
        linked = corpus.entities.groupBy("doc_id").agg(F.min("subject_id").alias("inferred"))
        decisions = decisions.join(linked, on="doc_id", how="left")
    rows = decisions.mapInArrow(partial(_edit_batches, claim=claim), tables.ddl(REPLACED))
    if moved is not None:
        document = F.concat(F.lit(_DOCUMENT), "doc_id")
        person = F.coalesce(F.concat(F.lit(_SUBJECT), "subject_id"), document)
        scope = person if claim.by_subject else document
        results = (F.lit(SHIFT).alias("technique"), F.lit(False).alias("is_name"), "before", "after")
        edits = F.array(F.struct(*results)).alias("edits")
        rows = rows.unionByName(moved.select(person.alias("person"), scope.alias("scope"), edits))
    if claim.continued is not None:
        rows = rows.unionByName(_older_rows(rows.sparkSession, claim.continued))
    grouped = sort_partitions(rows.repartition("person"), "person", "scope")
    count = partial(_count_batches, days=claim.days, offsets=claim.offsets, moves_by_document=claim.moves_by_document)
    counted = grouped.mapInArrow(count, tables.ddl(_FAULTS))
    row = counted.agg(*(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _FAULTS.names)).collect()[0]
    return SurrogateFaults(*(int(value) for value in row))


def _older_rows(spark: SparkSession, workspace: str) -> DataFrame:
    """Return the surrogates that older versions assigned, as edits of their scopes, which are people or documents."""
    one = F.struct(
        F.lit(OLDER).alias("technique"),
        F.lit(False).alias("is_name"),
        F.col("value").alias("before"),
        F.col("text").alias("after"),
    )
    older = read_assigned_texts(spark, workspace, SURROGATE).where("is_older")
    return older.select(F.col("scope").alias("person"), "scope", F.array(one).alias("edits"))


def _edit_batches(incoming: Iterator[pa.RecordBatch], *, claim: "SurrogateClaim") -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, subjects, texts = (batch.column(name).to_pylist() for name in ("doc_id", "subject_id", "text"))
        inferred = batch.column("inferred").to_pylist() if claim.infers else [None] * len(ids)
        people = [*map(_person, ids, subjects, inferred)]
        scopes = people if claim.by_subject else [f"{_DOCUMENT}{doc_id}" for doc_id in ids]
        cells = zip(texts, named_of(batch.column("edits"), LabelledEdit), strict=True)
        found = ([*dict.fromkeys(_edits(*each, claim=claim))] for each in cells)
        if claim.spares:
            spared = [*map(_spared, spans_in(batch.column("spans")))]
            named = named_of(batch.column("edits"), LabelledEdit)
            more = (_compared(*each, claim=claim) for each in zip(texts, spared, named, strict=True))
            found = ([*one, *other] for one, other in zip(found, more, strict=True))
        edits = lists_of(found, _EDIT)
        arrays = [pa.array(people, pa.string()), pa.array(scopes, pa.string()), edits]
        yield pa.RecordBatch.from_arrays(arrays, schema=REPLACED)


def _person(doc_id: str, subject: str | None, inferred: str | None) -> str:
    """Return whose a document is: the input's person, else an inferred one, by key or first document, else its own."""
    if subject is None and inferred is not None and inferred.startswith(_DOCUMENT):
        return inferred
    known = inferred if subject is None else subject
    return f"{_DOCUMENT}{doc_id}" if known is None else f"{_SUBJECT}{known}"


def _edits(
    text: str, edits: Iterable[LabelledEdit], *, claim: "SurrogateClaim"
) -> Iterator[tuple[str, bool, str, str]]:
    for start, end, technique, replacement, label in edits:
        if technique in claim.techniques:
            yield SHIFT if label in claim.dates else technique, label in claim.names, text[start:end], replacement


def _spared(spans: Iterable[Span]) -> list[Span]:
    return [span for span in spans if span.source.endswith("/allowed")]


def _compared(
    text: str, spared: list[Span], edits: Sequence[LabelledEdit], *, claim: "SurrogateClaim"
) -> Iterator[tuple[str, bool, str, str]]:
    """Yield each place of a spared term, and the distinct replaced values without dates, by any technique."""
    yield from ((SPARED, False, text[span.start : span.end], "") for span in remaining_terms(spared, edits))
    values = dict.fromkeys(text[edit.start : edit.end] for edit in edits if not claim.moves(edit.label))
    yield from ((REPLACED_VALUE, False, value, "") for value in values)


def _count_batches(
    incoming: Iterator[pa.RecordBatch], *, days: int, offsets: str | None, moves_by_document: bool
) -> Iterator[pa.RecordBatch]:
    known = None if offsets is None else offsets_by_person(offsets)
    for person, of_person in groupby(_documents(incoming), key=itemgetter(0)):
        counted = []
        moved: dict[InventedEdit, None] = {}
        terms: list[str] = []
        values: dict[str, None] = {}
        for _, of_scope in groupby(of_person, key=itemgetter(1)):
            edits: dict[InventedEdit, None] = {}
            for edit in (edit for _, _, own in of_scope for edit in own):
                if edit.technique == SPARED:
                    terms.append(edit.before)
                elif edit.technique == REPLACED_VALUE:
                    values[edit.before] = None
                else:
                    edits[edit] = None
            invented = [edit for edit in edits if edit.technique != OLDER]
            counted.append(count_faults(invented, (edit[2:] for edit in edits if edit.technique == OLDER)))
            moved |= dict.fromkeys(edit for edit in invented if edit.technique == SHIFT)
            if moves_by_document:
                counted.append(count_date_faults([*moved], days=days))
                moved = {}
        counted.append(count_spared(terms, values))
        counted.append(count_date_faults([*moved], days=days, own=_own(person, known)))
        yield pa.RecordBatch.from_pylist([reduce(SurrogateFaults.add, counted)._asdict()], schema=_FAULTS)


def _documents(incoming: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, str, list[InventedEdit]]]:
    for batch in incoming:
        people, scopes = (batch.column(name).to_pylist() for name in ("person", "scope"))
        yield from zip(people, scopes, _invented(batch.column("edits")), strict=True)


def _invented(cells: pa.ListArray) -> Iterator[list[InventedEdit]]:
    return ([*map(InventedEdit._make, rows)] for rows in tuples_of(cells))


def _own(person: str, known: Mapping[str, frozenset[int]] | None) -> frozenset[int] | None:
    """Return the days that a table has for a person; none for nobody, and for whom it lacks."""
    if known is None or not person.startswith(_SUBJECT):
        return None if known is None else frozenset()
    return known.get(person.removeprefix(_SUBJECT), frozenset())
