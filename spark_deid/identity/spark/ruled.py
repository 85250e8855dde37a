"""Operator: read what a release shows from its texts, and count what a mode does not let through."""

from collections.abc import Iterator, Mapping
from functools import partial

import pyarrow as pa
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch, tuples_of
from spark_deid.core.kinds import Evidence
from spark_deid.identity.recount.allowed import is_allowed
from spark_deid.identity.recount.reading import Placed, shown_by_label
from spark_deid.identity.settings import Attributed, IdentityKeys

_COUNTS = pa.schema([("shown", pa.int64()), ("forbidden", pa.int64())])


def count_forbidden(keys: IdentityKeys, evidence: Evidence) -> tuple[int, int]:
    """Count recoded mentions, and those that show what the mode does not let through. Runs one job."""
    identity = keys.identity
    count = partial(
        _counts,
        labels=dict(identity.labels),
        mode=identity.mode,
        sparse=identity.sparse,
        last_year=identity.last_year,
    )
    counted = evidence.corpus.decisions.select("published", "edits").mapInArrow(count, tables.ddl(_COUNTS))
    row = counted.agg(*(F.coalesce(F.sum(name), F.lit(0)) for name in _COUNTS.names)).collect()[0]
    return int(row[0]), int(row[1])


def _counts(
    incoming: Iterator[pa.RecordBatch],
    *,
    labels: Mapping[str, Attributed],
    mode: str,
    sparse: tuple[str, ...],
    last_year: int,
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        shown = forbidden = 0
        for text, rows in zip(batch.column("published").to_pylist(), tuples_of(batch.column("edits")), strict=True):
            for label, value in shown_by_label(text, [Placed(*row) for row in rows]):
                told = labels.get(label)
                shown += 1
                forbidden += told is None or not is_allowed(mode, *told, value, sparse, last_year)
        yield to_batch([(shown, forbidden)], _COUNTS)
