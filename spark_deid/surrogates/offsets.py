"""An institution's own offsets: a table of people and the days by which their dates move."""

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.csv_dialect import LONGEST_CELL, limit_cells
from spark_deid.core.errors import UsageError

COLUMNS = ("subject_id", "days")
"""The head of a table: people as documents name them, and integers of days."""
MOST = 36500
"""The most days by which a table may move dates, either way."""
_WEEK = 7


class OffsetTable(NamedTuple):
    """Where a table of offsets is, and the digest of what it held when the plan was read."""

    path: str
    digest: str


def offset_table(path: str) -> OffsetTable:
    """Return a table that can be read. Raises UsageError."""
    return OffsetTable(path, hashlib.sha256(_content(path)).hexdigest())


def check_offsets(path: str, *, whole_weeks: bool) -> int:
    """Return the largest number of days of a table, either way. Raises UsageError, which names file and line."""
    return max(map(abs, _read(path, _content(path), whole_weeks=whole_weeks).values()), default=0)


@lru_cache(maxsize=2)
def offsets_of(table: OffsetTable) -> Mapping[str, int]:
    """Return the days of each person. Raises UsageError where the table is no longer what it was."""
    content = _content(table.path)
    if hashlib.sha256(content).hexdigest() != table.digest:
        raise UsageError(f"{table.path}: the table of offsets was changed during the run. Run again")
    return _read(table.path, content, whole_weeks=False)


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: can't read the table of offsets ({error.strerror}). Expected CSV") from error


def _read(path: str, content: bytes, *, whole_weeks: bool) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for number, (person, days) in _rows(path, content):
        wrong = _mistake(days, whole_weeks=whole_weeks)
        if not person:
            wrong = "a person"
        elif person in found:
            wrong = "each person once, but this one is also in an earlier row"
        if wrong is not None:
            raise UsageError(f"{path}: line {number}: expected {wrong}")
        found[person] = int(days)
    return found


def _rows(path: str, content: bytes) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield the numbers of lines with their two cells, but for the head and empty lines."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}: line {line}: expected UTF-8") from None
    limit_cells()
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        if tuple(cell.strip() for cell in next(reader, ())) != COLUMNS:
            raise UsageError(f"{path}: line 1: expected the head {','.join(COLUMNS)}")
        for row in reader:
            if len(row) not in (0, len(COLUMNS)):
                raise UsageError(f"{path}: line {reader.line_num}: expected {len(COLUMNS)} cells, got {len(row)}")
            if row:
                yield reader.line_num, (row[0], row[1].strip())
    except csv.Error:
        expected = f"expected CSV: quotes around whole cells of at most {LONGEST_CELL:,} characters"
        raise UsageError(f"{path}: line {reader.line_num}: {expected}") from None


def _mistake(days: str, *, whole_weeks: bool) -> str | None:
    digits = days.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits[:9]) <= MOST and len(digits) < 9):
        return f"an integer number of days from 1 to {MOST:,}, with a minus for backward (-30)"
    if whole_weeks and int(days) % _WEEK:
        return "whole weeks (multiples of 7 days), as keep: weekday asks"
    return None
