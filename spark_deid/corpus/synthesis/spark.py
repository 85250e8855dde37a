"""Operator: a synthesized corpus of any size."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.corpus.synthesis.attributes import ATTRIBUTED_PERSONS, attributed_grammar, attributes_of
from spark_deid.corpus.synthesis.generate import make_document, person_count
from spark_deid.corpus.synthesis.people import PERSONS, InventedPerson, make_person, person_row
from spark_deid.corpus.synthesis.pools import LANGUAGES, ValuePools, make_pools
from spark_deid.engine.resources import parallelism

Labels = Literal["text", "attributes"]

_DOCUMENTS_PER_PARTITION = 20_000
_SCHEMAS: dict[Labels, pa.Schema] = {"text": PERSONS, "attributes": ATTRIBUTED_PERSONS}


class SynthesizedCorpus(NamedTuple):
    """Documents, their gold spans, and the people they are about; lazy, and made again each time they are read."""

    documents: DataFrame
    spans: DataFrame
    persons: DataFrame


def synthesize(
    spark: SparkSession,
    documents: int,
    seed: int,
    partitions: int | None = None,
    *,
    language: str = "en",
    labels: Labels = "text",
) -> SynthesizedCorpus:
    """Make a corpus of that many documents: the tables documents and spans (source ``gold``), and the person table.

    A document depends on the seed, the language and its number only: neither on the number of documents nor on how
    Spark divides the work. ``partitions`` None means one for each 20,000 documents (about 50 MB), at least as
    many as Spark has cores. ``labels`` are those of text, or of attributes (see ``synthesis.attributes``); then
    the person table has these too. Raises UsageError where there is nothing to make or the language is not known.
    """
    if documents < 1:
        raise UsageError(f"documents: expected an integer >= 1, got {documents}")
    if language not in LANGUAGES:
        raise UsageError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    if partitions is None:
        partitions = max(parallelism(spark), -(-documents // _DOCUMENTS_PER_PARTITION))
    numbers = spark.range(0, documents, 1, min(partitions, documents))
    people = spark.range(0, person_count(documents), 1, max(1, min(partitions, person_count(documents) // 1000)))
    return SynthesizedCorpus(
        numbers.mapInArrow(
            partial(_documents, seed=seed, language=language, labels=labels), tables.ddl(tables.DOCUMENTS)
        ),
        numbers.mapInArrow(partial(_spans, seed=seed, language=language, labels=labels), tables.ddl(tables.SPANS)),
        people.mapInArrow(
            partial(_persons, seed=seed, language=language, labels=labels), _persons_ddl(_SCHEMAS[labels])
        ),
    )


def _persons_ddl(schema: pa.Schema) -> str:
    return ", ".join(f"`{field.name}` {'date' if pa.types.is_date(field.type) else 'string'}" for field in schema)


def _numbers(incoming: Iterator[pa.RecordBatch]) -> Iterator[int]:
    for batch in incoming:
        yield from batch.column(0).to_pylist()


def _synthetic_documents(
    incoming: Iterator[pa.RecordBatch], seed: int, language: str, labels: Labels
) -> Iterator[Document]:
    pools = make_pools(seed, language)
    grammar = attributed_grammar(language) if labels == "attributes" else None
    return (make_document(seed, number, pools, grammar=grammar) for number in _numbers(incoming))


def _documents(
    incoming: Iterator[pa.RecordBatch], *, seed: int, language: str, labels: Labels
) -> Iterator[pa.RecordBatch]:
    documents = _synthetic_documents(incoming, seed, language, labels)
    yield from gather_batches(
        ((d.doc_id, d.subject_id, d.text, tuple(d.meta.items())) for d in documents), tables.DOCUMENTS
    )


def _spans(incoming: Iterator[pa.RecordBatch], *, seed: int, language: str, labels: Labels) -> Iterator[pa.RecordBatch]:
    documents = _synthetic_documents(incoming, seed, language, labels)
    yield from gather_batches(((d.doc_id, *span) for d in documents for span in d.spans), tables.SPANS)


def _persons(
    incoming: Iterator[pa.RecordBatch], *, seed: int, language: str, labels: Labels
) -> Iterator[pa.RecordBatch]:
    pools = make_pools(seed, language)
    rows = (_row(make_person(seed, number, pools), pools, labels) for number in _numbers(incoming))
    yield from gather_batches(rows, _SCHEMAS[labels])


def _row(someone: InventedPerson, pools: ValuePools, labels: Labels) -> Sequence[object]:
    row = person_row(someone, pools)
    return tuple((row | attributes_of(someone, pools.language.code) if labels == "attributes" else row).values())
