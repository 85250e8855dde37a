"""Operators: terms generalized over all documents of a person, before any is rewritten."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, spans_in, tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import DocumentReading, SuppressedSpan
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Span, detector_of, is_allowed
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import sort_partitions
from spark_deid.plausibility.text.persons import PersonAnswers, PersonDocument, TermAnswer, read_person
from spark_deid.plausibility.text.reading import GREEDY
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules

_PERSON = "person"


def person_of() -> Column:
    """Return whose texts are read as one: those of a subject, or a document of no one separately."""
    no_person = F.concat(F.lit("document "), F.col("doc_id"))
    return F.coalesce(F.concat(F.lit("subject "), F.col("subject_id")), no_person)


def generalize_persons(
    corpus: Corpus, edited: Sequence[str], *, rules: GeneralizeRules, staying: frozenset[str] = frozenset()
) -> Corpus:
    """Write for each document what becomes of its terms (column MENTIONS), as all documents of its person have it.

    ``edited`` are the detectors whose spans are edited, but for those of labels that are ``staying``. Runs no action.
    """
    annotated = corpus.annotated
    shown = [tables.MENTIONS] if tables.MENTIONS in annotated.columns else []
    rows = annotated.select(*tables.ANNOTATED.names, *shown, person_of().alias(_PERSON))
    sorted_rows = sort_partitions(rows.repartition(_PERSON), _PERSON, "doc_id")
    read = partial(_read_batches, rules=rules, detectors=frozenset(edited), staying=staying)
    schema = tables.ANNOTATED.append(pa.field(tables.MENTIONS, pa.list_(tables.MENTION_STRUCT)))
    generalized: DataFrame = sorted_rows.mapInArrow(read, tables.ddl(schema))
    return replace(corpus, annotated=generalized)


def read_generalized(document: Document, pieces: Sequence[Span]) -> DocumentReading:
    """Read a document whose terms were generalized when all documents of its person were seen (``kinds.Reader``)."""
    own = [each for each in document.mentions if each.entity == GENERALIZE]
    answers = [each for each in own if each.start < each.end]
    known = {(piece.start, piece.end) for piece in pieces}
    further = tuple(Span(each.start, each.end, each.label) for each in answers if (each.start, each.end) not in known)
    greedy = sum(int(each.value or 0) for each in own if each.reason == GREEDY)
    return DocumentReading(further, partial(_answers, mentions=answers), ((GREEDY, greedy),))


def _answers(
    document: Document, pieces: Sequence[Span], *, mentions: Sequence[LinkedMention]
) -> Iterator[Edit | SuppressedSpan]:
    for each in mentions:
        if each.replacement is None:
            yield SuppressedSpan(each.start, each.end, each.reason)
        else:
            yield Edit(each.start, each.end, GENERALIZE, each.replacement)


def _read_batches(
    incoming: Iterator[pa.RecordBatch], *, rules: GeneralizeRules, detectors: frozenset[str], staying: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in whole_persons(incoming):
        people = batch.column(_PERSON).to_pylist()
        documents = _documents(batch, detectors, staying)
        found = [
            mentions
            for _, own in groupby(zip(people, documents, strict=True), key=itemgetter(0))
            for mentions in _mentions(_read([document for _, document in own], rules), next(iter(rules.by_label)))
        ]
        if tables.MENTIONS in batch.schema.names:
            before = tuples_of(batch.column(tables.MENTIONS))
            found = [[*map(LinkedMention._make, rows), *own] for rows, own in zip(before, found, strict=True)]
        arrays = [*(batch.column(name) for name in tables.ANNOTATED.names), lists_of(found, tables.MENTION_STRUCT)]
        yield pa.RecordBatch.from_arrays(arrays, names=[*tables.ANNOTATED.names, tables.MENTIONS])


def whole_persons(incoming: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield batches in which every person has all rows; those of each come one after another."""
    held: list[pa.RecordBatch] = []
    for batch in incoming:
        if not batch.num_rows:
            continue
        people = batch.column(_PERSON)
        last = people[-1]
        first = pc.index(people, last).as_py()
        if first == 0 and held and held[-1].column(_PERSON)[-1] == last:
            held.append(batch)
            continue
        before = [*held, *([batch.slice(0, first)] if first else [])]
        if before:
            yield pa.concat_batches(before)
        held = [batch.slice(first)]
    if held:
        yield pa.concat_batches(held)


def edited_document(
    text: str, spans: Iterable[Span], detectors: frozenset[str], staying: frozenset[str]
) -> PersonDocument:
    """Return a document with the spans that rules edit: those of detectors, but of labels that are staying."""
    given = tuple(
        span
        for span in spans
        if detector_of(span.source) in detectors and not is_allowed(span.source) and span.label not in staying
    )
    return PersonDocument(text, given, resolve_overlaps(text, given))


def _documents(batch: pa.RecordBatch, detectors: frozenset[str], staying: frozenset[str]) -> Iterator[PersonDocument]:
    texts = batch.column("text").to_pylist()
    for text, spans in zip(texts, spans_in(batch.column("spans")), strict=True):
        yield edited_document(text, spans, detectors, staying)


def _read(documents: Sequence[PersonDocument], rules: GeneralizeRules) -> PersonAnswers:
    """Read a person; what fails says nothing, so that all of the person's terms are suppressed."""
    try:
        return read_person(documents, rules)
    except Exception:  # at any text; what is raised may quote it
        return PersonAnswers([[] for _ in documents])


def _mentions(answers: PersonAnswers, label: str) -> Iterator[list[LinkedMention]]:
    """Yield the rows of each document; the first has one more, of a rule's label, that counts greedy searches."""
    for at, own in enumerate(answers.by_document):
        rows = [_mention(answer) for answer in own]
        if at == 0 and answers.greedy:
            rows.append(LinkedMention(0, 0, label, reason=GREEDY, entity=GENERALIZE, value=str(answers.greedy)))
        yield rows


def _mention(answer: TermAnswer) -> LinkedMention:
    return LinkedMention(*answer, entity=GENERALIZE)
