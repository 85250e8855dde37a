"""Tables of how often terms are written: ``term`` and ``count``, as CSV or Parquet."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from spark_deid.core.csv_dialect import LONGEST_CELL
from spark_deid.core.errors import UsageError
from spark_deid.ontology.sources.tables import read_cells

COLUMNS = ("term", "count")


def read_frequencies(path: Path) -> dict[str, float]:
    """Read how often each term is written; counts of one term in several rows are added up.

    Raises UsageError, which names the row, for what is no table of terms and counts.
    """
    rows = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    counts: dict[str, float] = {}
    for place, term, count in rows:
        counts[term] = counts.get(term, 0.0) + _number(count, f"{path}, {place}")
    if not counts:
        raise UsageError(f"{path}: expected at least one term and its count")
    return counts


def _csv(path: Path) -> Iterable[tuple[str, str, object]]:
    reader = csv.DictReader(io.StringIO(read_cells(path)), skipinitialspace=True)
    try:
        if not set(COLUMNS) <= set(reader.fieldnames or ()):
            raise UsageError(f"{path}, line 1: expected columns named term and count")
        return [(f"line {reader.line_num}", row["term"], row["count"]) for row in reader]
    except csv.Error:
        raise UsageError(f"{path}: expected CSV, with cells of at most {LONGEST_CELL:,} characters") from None


def _parquet(path: Path) -> Iterable[tuple[str, str, object]]:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path, columns=list(COLUMNS))
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path}: expected Parquet with columns named term and count") from error
    pairs = zip(*(table[name].to_pylist() for name in COLUMNS), strict=True)
    return [(f"row {number}", term, count) for number, (term, count) in enumerate(pairs, 1)]


def _number(count: object, place: str) -> float:
    try:
        value = float(str(count))
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UsageError(f"{place}: expected a count of 0 or more")
    return value
