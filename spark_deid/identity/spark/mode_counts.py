"""Operator: read what a release shows from its texts, and count what a mode does not let through."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import spans_in, to_batch, tuples_of
from spark_deid.core.kinds import GuaranteeEvidence
from spark_deid.core.span import detector_of
from spark_deid.identity.recount.allowed import is_allowed
from spark_deid.identity.recount.reading import PlacedEdit, count_other_edits, published_values
from spark_deid.identity.settings import IdentityKeys, LabelAttribute

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
