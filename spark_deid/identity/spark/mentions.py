"""Operators: the mentions of documents, and the person that each document is about."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, lists_of, spans_in, tuples_of
from spark_deid.core.span import Span, detector_of
from spark_deid.engine import functions as F
from spark_deid.identity.dictionary import KINDS, KnownValue, known_mentions
from spark_deid.identity.mentions import mentions_of
from spark_deid.identity.settings import IdentitySettings, LabelAttribute
from spark_deid.values.locale import ValueLocale

PERSON = "person"
MENTIONS = pa.schema(
    [
        (PERSON, pa.string()),
        ("doc_id", pa.string()),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("label", pa.string()),
        ("attribute", pa.string()),
        ("value", pa.string()),
    ]
)
"""A mention with the person of its document; ``value`` is null where none could be read."""
KEPT = "mentions"
"""The name of the table of mentions among those that a corpus keeps."""


def person_of(link: str) -> Column:
    """Return the person of a document: its subject, or where none is named, and always by document, the document."""
    document = F.concat(F.lit("document "), F.col("doc_id"))
    return (document if link == "document" else F.coalesce(F.col("subject_id"), document)).alias(PERSON)


def with_person(annotated: DataFrame, identity: IdentitySettings, inferred: DataFrame | None) -> DataFrame:
    """Return documents with a column of their person; ``inferred`` (doc_id, person) has one for each, where given."""
    if inferred is None:
        return annotated.withColumn(PERSON, person_of(identity.link))
    return annotated.join(inferred, on="doc_id", how="inner")


def find_mentions(
    persons: DataFrame, identity: IdentitySettings, detectors: Sequence[str], staying: Collection[str] = ()
) -> DataFrame:
    """Return the mentions of documents with their person (columns of MENTIONS): edited spans that show an attribute.

    Those of labels that are ``staying`` state what edits leave of them.
    """
    rows = persons.select(PERSON, "doc_id", "text", "spans")
    find = partial(
        _mention_batches,
        labels=dict(identity.labels),
        locale=identity.place,
        detectors=frozenset(detectors),
        staying=frozenset(staying),
    )
    return rows.mapInArrow(find, tables.ddl(MENTIONS))


def _mention_batches(
    incoming: Iterator[pa.RecordBatch],
    *,
    labels: Mapping[str, LabelAttribute],
    locale: ValueLocale,
    detectors: frozenset[str],
    staying: frozenset[str],
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        people, ids, texts = (batch.column(name).to_pylist() for name in (PERSON, "doc_id", "text"))
        documents = zip(people, ids, texts, spans_in(batch.column("spans")), strict=True)
        yield from gather_batches(
            (
                (person, doc_id, *mention)
                for person, doc_id, text, spans in documents
                for mention in mentions_of(
                    text, (span for span in spans if detector_of(span.source) in detectors), labels, locale, staying
                )
            ),
            MENTIONS,
        )


# Operator: further mentions of what is known of a person, in all documents of this person.


ADDED = pa.schema([("doc_id", pa.string()), ("added", pa.list_(tables.SPAN_STRUCT))])
"""Spans to add to a document."""


def entries_of(values: DataFrame, identity: IdentitySettings) -> DataFrame:
    """Return the values of people (person, attribute, value) to search for: person, list of ``KnownValue``."""
    hidden = {*identity.roles.identifiers, *identity.roles.quasi}
    labels = {each.attribute: (each.kind, label) for label, each in reversed(tuple(identity.labels.items()))}
    looked = {name: entry for name, entry in labels.items() if name in hidden and entry[0] in KINDS}
    kind, label = (
        F.create_map(*(F.lit(part) for name, entry in looked.items() for part in (name, entry[place])))
        if looked
        else F.lit(None).cast("map<string,string>")
        for place in (0, 1)
    )
    rows = values.where(F.col("attribute").isin(*looked) & F.col("value").isNotNull())
    known = F.struct(kind[F.col("attribute")].alias("kind"), label[F.col("attribute")].alias("label"), "value")
    return rows.groupBy(PERSON).agg(F.sort_array(F.collect_set(known)).alias("known"))


def find_known(
    persons: DataFrame, entries: DataFrame, detectors: Sequence[str], locale: ValueLocale, staying: frozenset[str]
) -> DataFrame:
    """Return the spans to add (columns of ADDED), for documents, with their person, that have any.

    What spans of detectors mark is taken, but for those of labels that remain.
    """
    rows = persons.select(PERSON, "doc_id", "text", "spans").join(entries, on=PERSON, how="inner")
    find = partial(_added_batches, detectors=frozenset(detectors), locale=locale, staying=staying)
    return rows.mapInArrow(find, tables.ddl(ADDED))


def with_added(annotated: DataFrame, added: DataFrame) -> DataFrame:
    """Return documents with spans (columns of ADDED) among theirs; every other column passes."""
    joined = annotated.join(added, on="doc_id", how="left")
    spans = F.concat("spans", F.coalesce("added", F.array())).alias("spans")
    return joined.select(*(spans if name == "spans" else F.col(name) for name in annotated.columns))


def _added_batches(
    incoming: Iterator[pa.RecordBatch], *, detectors: frozenset[str], locale: ValueLocale, staying: frozenset[str]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, texts = (batch.column(name).to_pylist() for name in ("doc_id", "text"))
        rows = zip(ids, texts, spans_in(batch.column("spans")), tuples_of(batch.column("known")), strict=True)
        found = [
            (doc_id, known_mentions(text, edited_spans(spans, detectors, staying), _entries(known), locale))
            for doc_id, text, spans, known in rows
        ]
        there = [each for each in found if each[1]]
        arrays = [
            pa.array([each[0] for each in there], pa.string()),
            lists_of((e[1] for e in there), tables.SPAN_STRUCT),
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=ADDED)


def edited_spans(spans: Iterable[Span], detectors: frozenset[str], staying: frozenset[str]) -> list[Span]:
    """Return the spans of detectors whose text does not remain."""
    return [span for span in spans if detector_of(span.source) in detectors and span.label not in staying]


def _entries(rows: Sequence[tuple[str, ...]]) -> list[KnownValue]:
    return [KnownValue(*row) for row in rows]
