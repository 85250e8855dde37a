"""Value generalization hierarchies: a base value a row, with what it becomes level by level; ARX's CSV form."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from spark_deid.core.csv_dialect import LONGEST_CELL, limit_cells
from spark_deid.core.errors import SparkDeidError, UsageError

ROOT = "*"
"""The value above all others."""

SUFFIX = ".csv"


@dataclass(frozen=True)
class ValueHierarchy:
    """Rows of labels, the base value first, one label a level, the last level ``*``.

    Every label has one parent. ``name`` states where the hierarchy is from, for messages.

    >>> ValueHierarchy((("Paris", "France"), ("Rome", "Italy"))).rows
    (('Paris', 'France', '*'), ('Rome', 'Italy', '*'))
    """

    rows: tuple[tuple[str, ...], ...]
    name: str = "hierarchy"

    def __post_init__(self) -> None:
        rows = self.rows
        if not rows:
            raise SparkDeidError(f"{self.name}: expected at least one row")
        if len({row[-1] for row in rows}) > 1:
            rows = tuple((*row, ROOT) for row in rows)
        object.__setattr__(self, "rows", rows)
        _check(rows, self.name)

    @property
    def height(self) -> int:
        """Return the number of levels above the base values."""
        return len(self.rows[0]) - 1


def parse_hierarchy(text: str, name: str) -> ValueHierarchy:
    """Read ARX's form: no header, ``;`` between labels, a base value a line.

    Raises SparkDeidError, which names the line, for lines of unequal length and for labels with two parents.
    """
    limit_cells()
    try:
        lines = [tuple(cell.strip() for cell in line) for line in csv.reader(io.StringIO(text), delimiter=";") if line]
    except csv.Error:
        raise SparkDeidError(f"{name}: expected CSV, with cells of at most {LONGEST_CELL:,} characters") from None
    return ValueHierarchy(tuple(dict.fromkeys(lines)), name)


def read_hierarchy(path: Path) -> ValueHierarchy:
    """Read a hierarchy of ARX's form, in UTF-8; raises SparkDeidError."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SparkDeidError(f"{path}: can't read this hierarchy ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise SparkDeidError(f"{path}: expected UTF-8, byte {error.start} is not valid") from error
    return parse_hierarchy(text, str(path))


def read_hierarchies(folder: Path, columns: Iterable[str]) -> dict[str, ValueHierarchy]:
    """Read ``<column>.csv`` of those columns that have one in a folder.

    Raises UsageError where the folder is none, or holds no file of any of the columns.
    """
    if not folder.is_dir():
        raise UsageError(f"--hierarchies: expected a folder, got {folder}")
    paths = {column: folder / f"{column}{SUFFIX}" for column in columns}
    found = {column: read_hierarchy(path) for column, path in paths.items() if path.is_file()}
    if not found:
        raise UsageError(f"--hierarchies {folder}: expected files such as {next(iter(paths.values())).name}")
    return found


def _check(rows: Sequence[tuple[str, ...]], name: str) -> None:
    parents: list[dict[str, str]] = [{} for _ in rows[0]]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise SparkDeidError(f"{name}, line {number}: expected {len(rows[0])} labels, found {len(row)}")
        for level, (label, parent) in enumerate(pairwise(row)):
            if parents[level].setdefault(label, parent) != parent:
                raise SparkDeidError(f"{name}, line {number}: the label of level {level} has two parents")
    if len(parents[0]) != len(rows):
        raise SparkDeidError(f"{name}: expected each base value once")
