"""Operator: count again what generalization promises, of every document as it was decided, or of all of a person."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pyarrow as pa

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, named_of, spans_in
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span, detector_of
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.tasks import run_tasks
from spark_deid.plausibility.recount.cut import FAULTS, PlausibilityCounts, sum_up
from spark_deid.plausibility.recount.document import recount_document
from spark_deid.plausibility.text.segments import BETWEEN
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.storage.parts import Parts, read_groups

COLUMNS = ("doc_id", "text", "spans", "edits")
DOCUMENTS_NAMED = 5
_COUNTED = pa.schema(
    [
        *((name, pa.int64()) for name in (*FAULTS, "terms", "segments", "with_terms")),
        ("margin", pa.float64()),
        ("document", pa.string()),
    ]
)
"""What is counted of a person; ``document`` is the first of theirs where something is wrong."""


class RecountTotal(NamedTuple):
    """What was counted of a corpus: ``documents`` names a few that have faults, ``with_terms`` counts all.

    ``by_person`` states that words of all documents of a person answer for a term in one of them.
    """

    counted: PlausibilityCounts
    documents: tuple[str, ...] = ()
    with_terms: int = 0
    by_person: bool = False


class DecidedDocument(NamedTuple):
    """A document as it was decided: its text, the places that detectors marked and rules edit, and the edits."""

    text: str
    marked: frozenset[tuple[int, int]]
    edits: Sequence[LabelledEdit]


def recount(corpus: Corpus, rules: GeneralizeRules, exempt: tuple[str, ...]) -> RecountTotal:
    """Count the decisions again; one Spark job. ``exempt`` are detectors that are not edited.

    Where a document names a person, those of each person are counted as one text; one job more states whether any does.
    """
    if corpus.documents.where(F.col("subject_id").isNotNull()).isEmpty():
        return _by_document(corpus, rules, frozenset(exempt))
    return _by_person(corpus, rules, frozenset(exempt))


def count_person(documents: Sequence[DecidedDocument], rules: GeneralizeRules) -> PlausibilityCounts:
    """Count the faults of a person's documents: those of one text, in which each is a document separately."""
    starts = [*accumulate((len(each.text) + len(BETWEEN) for each in documents), initial=0)]
    both = list(zip(starts, documents, strict=False))
    marked = {(start + first, end + first) for first, each in both for start, end in each.marked}
    edits = [
        edit._replace(start=edit.start + first, end=edit.end + first) for first, each in both for edit in each.edits
    ]
    return recount_document(BETWEEN.join(each.text for each in documents), marked, edits, rules)


def _by_person(corpus: Corpus, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    no_person = F.concat(F.lit("document "), F.col("doc_id"))
    person = F.coalesce(F.concat(F.lit("subject "), F.col("subject_id")), no_person)
    rows = corpus.decisions.select(*COLUMNS, person.alias("person"))
    grouped = sort_partitions(rows.repartition("person"), "person", "doc_id")
    counted = grouped.mapInArrow(partial(_count_persons, rules=rules, exempt=exempt), tables.ddl(_COUNTED))
    sums = [F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _COUNTED.names[:-2]]
    named = F.slice(F.array_sort(F.collect_set("document")), 1, DOCUMENTS_NAMED).alias("documents")
    row: dict[str, Any] = counted.agg(*sums, F.min("margin").alias("margin"), named).collect()[0].asDict()
    faults = +Counter({name: int(row[name]) for name in FAULTS})
    margin = float("inf") if row["margin"] is None else float(row["margin"])
    total = PlausibilityCounts(faults, int(row["terms"]), int(row["segments"]), margin)
    return RecountTotal(total, tuple(row["documents"]), int(row["with_terms"]), by_person=True)


def _count_persons(
    incoming: Iterator[pa.RecordBatch], *, rules: GeneralizeRules, exempt: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    """Count person by person; the documents of each come one after another."""
    rows = (
        row
        for batch in incoming
        for row in zip(batch.column("person").to_pylist(), _rows_of(batch, exempt), strict=True)
    )
    counted = (_count([row for _, row in own], rules) for _, own in groupby(rows, key=itemgetter(0)))
    yield from gather_batches(counted, _COUNTED)


def _count(rows: Sequence[tuple[str, DecidedDocument]], rules: GeneralizeRules) -> tuple[Any, ...]:
    """Return a row of what is counted of a person."""
    documents = [document for _, document in rows]
    counted = count_person(documents, rules)
    with_terms = sum(any(edit.technique == GENERALIZE for edit in each.edits) for each in documents)
    faults = (counted.faults[name] for name in FAULTS)
    named = rows[0][0] if counted.faults else None
    return (*faults, counted.terms, counted.segments, with_terms, counted.margin, named)


def _rows_of(batch: pa.RecordBatch, exempt: frozenset[str]) -> list[tuple[str, DecidedDocument]]:
    return [
        (doc_id, DecidedDocument(text, _marked(spans, exempt), edits))
        for doc_id, text, spans, edits in zip(
            batch.column("doc_id").to_pylist(),
            batch.column("text").to_pylist(),
            spans_in(batch.column("spans")),
            named_of(batch.column("edits"), LabelledEdit),
            strict=True,
        )
    ]


def _marked(spans: Iterable[Span], exempt: frozenset[str]) -> frozenset[tuple[int, int]]:
    return frozenset((span.start, span.end) for span in spans if detector_of(span.source) not in exempt)


def _by_document(corpus: Corpus, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    count = partial(_count_part, rules=rules, exempt=exempt)
    total = RecountTotal(PlausibilityCounts(Counter()))
    for part in run_tasks(corpus.documents.sparkSession, count, corpus.decided):
        total = _added(total, part)
    return total


def _count_part(parts: Parts, *, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    total = RecountTotal(PlausibilityCounts(Counter()))
    for batch in read_groups(parts["decisions"].path, COLUMNS):
        total = _added(total, _counted(batch, rules, exempt))
    return total


def _counted(batch: pa.RecordBatch, rules: GeneralizeRules, exempt: frozenset[str]) -> RecountTotal:
    rows = _rows_of(batch, exempt)
    counted = [recount_document(*document, rules) for _, document in rows]
    faulty = [doc_id for (doc_id, _), each in zip(rows, counted, strict=True) if each.faults]
    return RecountTotal(sum_up(counted), tuple(faulty[:DOCUMENTS_NAMED]), sum(each.terms > 0 for each in counted))


def _added(one: RecountTotal, other: RecountTotal) -> RecountTotal:
    named = (*one.documents, *other.documents)[:DOCUMENTS_NAMED]
    return RecountTotal(sum_up((one.counted, other.counted)), named, one.with_terms + other.with_terms)
