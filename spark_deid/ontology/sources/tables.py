"""Tables of hypernyms: a row per term, with the term right above it; a root has an empty one.

A term may have several rows, one for each of its hypernyms, in the order of paths.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.csv_dialect import LONGEST_CELL, limit_cells
from spark_deid.core.errors import UsageError
from spark_deid.ontology.building import ConceptSource, OntologyFault, SourceConcept, check_graph, check_spelling
from spark_deid.text.visible import visible

COLUMNS = ("term", "parent")
DELIMITERS = ",;\t|"


class HypernymRow(NamedTuple):
    """A term, the one right above it (empty for a root), and where that is stated, such as ``line 7``."""

    term: str
    parent: str
    place: str


def read_csv(path: Path) -> tuple[HypernymRow, ...]:
    """Read a CSV file in UTF-8 with the columns ``term`` and ``parent``; its header shows the delimiter."""
    text = read_cells(path)
    delimiter = _delimiter(text)
    if delimiter is None:
        raise UsageError(f"{path}, line 1: expected columns named term and parent")
    rows = csv.DictReader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    return tuple(_rows(rows, rows))


def is_table(text: str) -> bool:
    """Return whether a CSV file begins with the header of a table of hypernyms."""
    return _delimiter(text) is not None


def read_parquet(path: Path) -> tuple[HypernymRow, ...]:
    """Read a Parquet file, or a folder of such, with the columns ``term`` and ``parent``."""
    import pyarrow as pa
    import pyarrow.dataset

    try:
        table = pyarrow.dataset.dataset(path, format="parquet").to_table(columns=list(COLUMNS))
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path}: expected Parquet with columns named term and parent") from error
    return of_pairs(zip(*(table[name].to_pylist() for name in COLUMNS), strict=True))


def of_pairs(pairs: Iterable[tuple[str | None, str | None]]) -> tuple[HypernymRow, ...]:
    """Return pairs of term and parent as rows that are named by their numbers."""
    return tuple(
        HypernymRow(_as_visible(str(term or "")), _as_visible(str(parent or "")), f"row {number}")
        for number, (term, parent) in enumerate(pairs, 1)
    )


def faults(rows: Sequence[HypernymRow]) -> tuple[OntologyFault, ...]:
    """Return what is wrong with a table of hypernyms, a fault a line."""
    nameless = [OntologyFault(f"{row.place}: the term is empty") for row in rows if not row.term]
    first: dict[str, str] = {}
    for row in rows:
        if row.term:
            first.setdefault(row.term, row.place)
    return (
        *nameless,
        *check_graph({term: (above, first[term]) for term, above in _above(rows).items()}),
        *check_spelling(first),
    )


def source(rows: Sequence[HypernymRow]) -> ConceptSource:
    """Return the concepts of a table without faults, each named by its term."""
    return ConceptSource(tuple(SourceConcept(term, (term,), above) for term, above in sorted(_above(rows).items())))


def read_cells(path: Path) -> str:
    """Read a CSV file in UTF-8, whose cells may have ``LONGEST_CELL`` characters; raises UsageError."""
    limit_cells()
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: can't be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8, byte {error.start} is not valid") from error


def _rows(reader: Iterable[dict[str, str]], cells: "csv.DictReader[str]") -> Iterator[HypernymRow]:
    for row in reader:
        named = {str(name).strip().lower(): _as_visible(cell or "") for name, cell in row.items() if name is not None}
        yield HypernymRow(named["term"], named["parent"], f"line {cells.line_num}")


def _as_visible(cell: str) -> str:
    """Return a term as it looks, as texts are read."""
    return visible(cell).text.strip()


def _delimiter(text: str) -> str | None:
    header = text.partition("\n")[0]
    for delimiter in DELIMITERS:
        names = [cell.strip().lower() for cell in next(csv.reader([header], delimiter=delimiter), [])]
        if set(COLUMNS) <= set(names):
            return delimiter
    return None


def _above(rows: Sequence[HypernymRow]) -> dict[str, tuple[str, ...]]:
    above: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.term:
            above.setdefault(row.term, {}).update({row.parent: None} if row.parent else {})
    return {term: tuple(parents) for term, parents in above.items()}


# Tables of how often terms are written: ``term`` and ``count``, as CSV or Parquet.


_COUNT_COLUMNS = ("term", "count")


def read_frequencies(path: Path) -> dict[str, float]:
    """Read how often each term is written; counts of one term in several rows are added up.

    Raises UsageError, which names the row, for what is not a table of terms and counts.
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
        if not set(_COUNT_COLUMNS) <= set(reader.fieldnames or ()):
            raise UsageError(f"{path}, line 1: expected columns named term and count")
        return [(f"line {reader.line_num}", row["term"], row["count"]) for row in reader]
    except csv.Error:
        raise UsageError(f"{path}: expected CSV, with cells of at most {LONGEST_CELL:,} characters") from None


def _parquet(path: Path) -> Iterable[tuple[str, str, object]]:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(path, columns=list(_COUNT_COLUMNS))
    except (OSError, pa.ArrowException) as error:
        raise UsageError(f"{path}: expected Parquet with columns named term and count") from error
    pairs = zip(*(table[name].to_pylist() for name in _COUNT_COLUMNS), strict=True)
    return [(f"row {number}", term, count) for number, (term, count) in enumerate(pairs, 1)]


def _number(count: object, place: str) -> float:
    try:
        value = float(str(count))
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UsageError(f"{place}: expected a count of 0 or more")
    return value
