"""Operators: originals, what is published of them, and the edits in between, beside each other."""

from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_deid.core.rare import STAR

TEXTS = ("doc_id", "subject_id", "original", "published")


class EditColumns(NamedTuple):
    """The edits of a document, as an array for each of their properties.

    ``starts`` and ``ends`` are characters of the original, ``replaced`` how many characters stand there now, and
    ``hides`` tells whether these are stars.
    """

    starts: Column
    ends: Column
    replaced: Column
    hides: Column


COMPARED = (*TEXTS, *EditColumns._fields)
"""Columns of what is compared, a row for each document. Either text may be null, and the arrays where no edit is."""


def pair_documents(documents: DataFrame, published: DataFrame, edits: DataFrame) -> DataFrame:
    """Bring together by their ids originals (doc_id, subject_id, text), published texts (doc_id, text) and edits.

    A document may be in one of the first two only. Rows of one id, should there be several, come one after another.
    """
    struct = F.struct(*_properties(F.col("start"), F.col("end"), F.col("replacement")))
    nested = edits.groupBy("doc_id").agg(F.collect_list(struct).alias("edits"))
    originals = documents.select("doc_id", "subject_id", F.col("text").alias("original"))
    texts = published.select("doc_id", F.col("text").alias("published"))
    joined = originals.join(texts, on="doc_id", how="full").join(nested, on="doc_id", how="left")
    # The join has brought equal ids to one task already, but not every kind of join leaves them beside each other.
    together = joined.sortWithinPartitions("doc_id")
    return together.select(*TEXTS, *(F.col(f"edits.{name}").alias(name) for name in EditColumns._fields))


def compare_decisions(decisions: DataFrame) -> DataFrame:
    """Take originals, rewritten texts and edits from rows that have all of them."""
    # Field by field: taking the fields of structs that are made edit by edit takes three times as long.
    replacements = F.col("edits.replacement")
    lengths, hides = F.transform(replacements, F.length), F.transform(replacements, _hides)
    columns = EditColumns(F.col("edits.start"), F.col("edits.end"), lengths, hides)
    return decisions.withColumn("original", F.col("text")).select(*TEXTS, *_named(columns))


def compare_with_itself(texts: DataFrame) -> DataFrame:
    """Take texts (doc_id, text) for their own originals, of unknown persons and without edits.

    Rows of one id come one after another, so that a document which a release has twice counts once.
    """
    columns = (F.col("doc_id"), F.lit(None).cast("string"), F.col("text"), F.col("text"))
    offsets, flags = F.lit(None).cast("array<int>"), F.lit(None).cast("array<boolean>")
    named = (column.alias(name) for column, name in zip(columns, TEXTS, strict=True))
    together = texts.repartition("doc_id").sortWithinPartitions("doc_id")
    return together.select(*named, *_named(EditColumns(offsets, offsets, offsets, flags)))


def _properties(start: Column, end: Column, replacement: Column) -> tuple[Column, ...]:
    return _named(EditColumns(start, end, F.length(replacement), _hides(replacement)))


def _hides(replacement: Column) -> Column:
    length = F.length(replacement)
    return (length > 0) & (replacement == F.repeat(F.lit(STAR), length))


def _named(edits: EditColumns) -> tuple[Column, ...]:
    return tuple(column.alias(name) for name, column in edits._asdict().items())
