"""What a release holds beside texts: which metadata, and how it is let out."""

from collections.abc import Mapping, Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_deid.core.corpus import Corpus
from spark_deid.core.plurals import plural
from spark_deid.core.span import Finder
from spark_deid.corpus.peek import column_types
from spark_deid.engine import functions as F
from spark_deid.pipeline.plan_columns import columns_of, kept_columns, shifted_columns
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.release.metadata_leaks import is_common
from spark_deid.release.spark.leaks import Columns
from spark_deid.rewriting.metadata import KEYED, SHIFT, SUBJECT, TYPES, is_kept, name_of, suppress_value
from spark_deid.rewriting.spark.identifiers import in_hash_order, key_ids
from spark_deid.rewriting.spark.metadata import FoundInColumns, count_found, find_untyped, let_metadata_out
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.storage.s3 import s3_settings
from spark_deid.storage.spark.records import s3_settings_of
from spark_deid.surrogates.partial_dates import date_finders
from spark_deid.surrogates.shift_technique import request_of_plan
from spark_deid.surrogates.spark.metadata import moved_metadata, shift_metadata

WRITTEN_BY_READERS = frozenset({"plain", "html"})
"""Kinds of the bodies of mails."""


def published_columns(settings: MethodSettings, finders: Sequence[Finder]) -> Columns:
    """Return the metadata that is let out as it was read, and what is left of a value where finders look through it.

    Hashes and dates that moved are made up.
    """
    looked = partial(suppress_value, finders=tuple(finders))
    as_read = {name: way for name, way in settings.metadata.items() if way not in (KEYED, SHIFT)}
    return {name: None if is_kept(way) else looked for name, way in as_read.items()}


def published_documents(
    decisions: DataFrame, settings: MethodSettings, finders: Sequence[Finder], *, key: bytes
) -> tuple[DataFrame, Mapping[str, str]]:
    """Select what is published of decisions: ids, text and the columns of the plan.

    Returns the rows, and the place of each column in them, in order.
    """
    columns = columns_of(settings)
    published = published_of_decisions(decisions)
    if columns.shifted:
        published = shift_metadata(published, columns.shifted, request_of_plan(settings, key))
    published = let_metadata_out(published, columns.rewritten, finders, key)
    places = columns.places
    values = [
        F.col(SUBJECT) if place == SUBJECT else F.col("meta").getItem(name).alias(place)
        for name, place in places.items()
    ]
    chosen = published.select("doc_id", "text", *values)
    if columns.ids_are_keyed:
        return key_ids(chosen, key=key), places
    return (in_hash_order(chosen, key=key) if date_finders(settings) else chosen), places


def metadata_moved(documents: DataFrame, settings: MethodSettings, key: bytes) -> DataFrame | None:
    """Return metadata that moves, before and after, as it will be let out; None where a plan has none."""
    names = shifted_columns(settings)
    return moved_metadata(documents, names, request_of_plan(settings, key)) if names else None


def types_of_columns(settings: PlanSettings, corpus: Corpus) -> Mapping[str, str]:
    """Return the types, by Delta's names, of the metadata that is let out in its form and had another than string.

    Where a value is of another type than the input says, all of its column stay strings. One job where there are types.
    """
    spark = corpus.documents.sparkSession
    with s3_settings(s3_settings_of(spark, settings.input.path)):
        given = column_types(settings.input.path, settings.input.format)
    typed = (*kept_columns(settings), *shifted_columns(settings))
    named = {name: _type(given[name]) for name in typed if name in given and name != SUBJECT}
    types = {name: kind for name, kind in named.items() if kind is not None}
    wrong = find_untyped(spark, [parts["decisions"] for parts in corpus.decided], types)
    return {name: kind for name, kind in types.items() if name not in wrong}


def _type(kind: object) -> str | None:
    """Return Delta's name of a type; moments without a zone are taken for UTC."""
    if isinstance(kind, pa.DataType):
        return name_of(kind)
    message = "timestamp" if kind == "timestamp_ntz" else str(kind)
    return message if message in TYPES else None


def found_in_columns(settings: MethodSettings, corpus: Corpus, finders: Sequence[Finder]) -> FoundInColumns:
    """Count what the plan's detectors find in metadata that is let out as it is; one job where there is any.

    Values that tell of nobody are passed over: models know sentences, not words by themselves.
    """
    parts = [parts["decisions"] for parts in corpus.decided]
    return count_found(corpus.documents.sparkSession, parts, kept_columns(settings), finders, harmless=is_harmless)


def is_harmless(value: str) -> bool:
    """Tell whether a value is one that readers write themselves, or of common words alone.

    >>> is_harmless("html"), is_harmless("oncology ward"), is_harmless("Zoe"), is_harmless("2024-03-04")
    (True, True, False, False)
    """
    return value in WRITTEN_BY_READERS or is_common(value)


def warnings_of_columns(found: FoundInColumns) -> tuple[str, ...]:
    """Return one warning for each unchanged column in which detectors find something.

    >>> warnings_of_columns({"ward": {"EMAIL": 1, "NAME": 20}})[0].partition(". ")[0]
    'metadata.ward: published unchanged, although detectors find EMAIL in 1 document, NAME in 20 documents'
    """
    return tuple(
        f"metadata.{name}: published unchanged, although detectors find {_counted(labels)}."
        f" To hide the values, set {name}: keyed or {name}: detect"
        for name, labels in found.items()
    )


def _counted(labels: Mapping[str, int]) -> str:
    return ", ".join(f"{label} in {plural(number, 'document')}" for label, number in labels.items())
