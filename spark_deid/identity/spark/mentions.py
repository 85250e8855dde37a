"""Operators: the mentions of documents, and the person that each document is about."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, spans_in
from spark_deid.core.span import detector_of
from spark_deid.engine import functions as F
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
    """Return the mentions of documents with their person (columns of MENTIONS): edited spans that tell an attribute.

    Those of labels that are ``staying`` tell what edits leave of them.
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
