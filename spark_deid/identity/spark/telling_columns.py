"""Operator: columns that are let out, and tell of persons what texts are recoded for."""

from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

import pyarrow as pa

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches, spans_in, to_batch, tuples_of
from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.core.span import detector_of
from spark_deid.engine import functions as F
from spark_deid.identity.recount.allowed import is_allowed
from spark_deid.identity.recount.reading import PlacedEdit, count_other_edits, published_values
from spark_deid.identity.settings import IdentityKeys, IdentitySettings, LabelAttribute
from spark_deid.identity.spark.mentions import PERSON
from spark_deid.identity.spark.recount import with_published_person
from spark_deid.rewriting.metadata import DETECT, KEEP, SUBJECT
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale

_VALUES = pa.schema([(name, pa.string()) for name in (PERSON, "column", "attribute", "told")])
_REMEMBERED = 1 << 16  # values
LEAST = 2


def disclosing_columns(identity: IdentitySettings, evidence: GuaranteeEvidence) -> tuple[str, ...]:
    """Say which columns have, for more than half of the persons' documents, their value of a quasi-identifier.

    Compared are documents that have a value of the column, of persons whose value of the attribute is known and not
    shown as it is; fewer than LEAST agree by chance. A value alone is no text in which detectors find much, so columns
    of ``detect`` are compared as they came. Runs one job where there are columns of these two ways.
    """
    shown = (KEEP, DETECT)
    ways = {name: way for name, way in evidence.plan.metadata.items() if way in shown and name != SUBJECT}
    if not ways:
        return ()
    cells = with_published_person(evidence.corpus, identity).select(PERSON, F.explode("meta").alias("column", "value"))
    read = partial(_read, kinds={name: identity.kind(name) for name in identity.roles.quasi}, locale=identity.place)
    result = cells.where(F.col("column").isin(*ways)).mapInArrow(read, tables.ddl(_VALUES))
    view = evidence.corpus.identifiers.where(~F.col("value").eqNullSafe(F.col("generalized")))
    known = view.select(F.col("subject_id").alias(PERSON), "attribute", "value").where(F.col("value").isNotNull())
    agrees = F.sum((F.col("told") == F.col("value")).cast("long"))
    counted = result.join(known, on=[PERSON, "attribute"], how="inner").groupBy("column", "attribute")
    rows = counted.agg(agrees.alias("agree"), F.count(F.lit(1)).alias("all")).collect()
    return tuple(
        f"metadata.{row['column']}: {ways[row['column']]} reveals {row['attribute']} in {row['agree']} "
        "documents. Remove the column"
        for row in sorted(rows)
        if row["agree"] >= LEAST and 2 * row["agree"] > row["all"]
    )


def _read(
    incoming: Iterator[pa.RecordBatch], *, kinds: Mapping[str, str], locale: ValueLocale
) -> Iterator[pa.RecordBatch]:
    read = lru_cache(_REMEMBERED)(partial(_value, locale=locale))
    for batch in incoming:
        cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        rows = (
            (person, name, attribute, read(kinds[attribute], value or ""))
            for person, name, value in cells
            for attribute in kinds
        )
        yield from gather_batches((row for row in rows if row[3] is not None), _VALUES)


def _value(kind: str, surface: str, *, locale: ValueLocale) -> str | None:
    return read_value(kind, surface, locale)


# Operator: read what a release shows from its texts, and count what a mode does not let through.


_COUNTS = pa.schema([("shown", pa.int64()), ("forbidden", pa.int64()), ("otherwise", pa.int64())])
_READ = ("published", "edits", "spans")


class ModeCounts(NamedTuple):
    """How many mentions are recoded, show what the mode does not let through, and are told by other techniques."""

    recoded: int
    forbidden: int
    otherwise: int


def count_forbidden(keys: IdentityKeys, evidence: GuaranteeEvidence) -> ModeCounts:
    """Count what a mode lets texts show, and what it does not. Runs one job."""
    identity = keys.identity
    count = partial(
        _counts,
        labels=dict(identity.labels),
        mode=identity.mode,
        sparse=identity.sparse,
        last_year=identity.last_year,
        hidden=keys.identity.hidden,
        exempt=frozenset(evidence.plan.exempt),
    )
    counted = evidence.corpus.decisions.select(*_READ).mapInArrow(count, tables.ddl(_COUNTS))
    row = counted.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in _COUNTS.names)).collect()[0]
    return ModeCounts(*map(int, row))


def _counts(
    incoming: Iterator[pa.RecordBatch],
    *,
    labels: Mapping[str, LabelAttribute],
    mode: str,
    sparse: tuple[str, ...],
    last_year: int,
    hidden: frozenset[str],
    exempt: frozenset[str],
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        shown = forbidden = otherwise = 0
        texts = batch.column("published").to_pylist()
        edits = tuples_of(batch.column("edits"))
        for text, rows, spans in zip(texts, edits, spans_in(batch.column("spans")), strict=True):
            placed = [PlacedEdit(*row) for row in rows]
            edited = (span for span in spans if detector_of(span.source) not in exempt)
            otherwise += count_other_edits(edited, placed, hidden)
            for label, value in published_values(text, placed):
                result = labels.get(label)
                shown += 1
                forbidden += result is None or not is_allowed(mode, *result, value, sparse, last_year)
        yield to_batch([(shown, forbidden, otherwise)], _COUNTS)
