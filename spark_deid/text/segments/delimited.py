"""Rows of CSV and TSV anywhere in a text."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_ROWS = {
    mark: re.compile(rf"^[^{mark}\r\n]*(?:{mark}(?!\ )[^{mark}\r\n]*){{{least},}}(?=[\r\n]|\Z)", re.MULTILINE)
    for mark, least in ((",", 2), (";", 2), ("\t", 1))
}
"""Lines that may be rows: no space follows a separator, as it follows the comma of a sentence."""
_LEAST_ROWS = 2
_LONGEST_CELL = 4096
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
_NAME = re.compile(r"[^\W\d][\w .:/#()-]{0,39}")


class TableCell(NamedTuple):
    """The place of a cell's content, without quotes."""

    start: int
    end: int
    is_quoted: bool


class TableRow(NamedTuple):
    """The place of a row, its cells, and the cells of its header."""

    start: int
    end: int
    cells: tuple[TableCell, ...]
    header: tuple[TableCell, ...]
    is_header: bool = False


def delimited_rows(text: str, others: Sequence[tuple[int, int]] = ()) -> Iterator[TableRow]:
    """Yield the rows of the tables in a text, in order, each with its header where a table seems to have one.

    ``others`` are the places of JSON, in order. Lines with a separator within JSON, as in logs, are not rows.
    """
    done = 0
    for table in sorted(_tables(text), key=lambda rows: (rows[0].start, -rows[-1].end)):
        if table[0].start >= done and not _are_cut(table, others):
            done = table[-1].end
            header = table[0].cells if _is_header(text, table) else ()
            yield table[0]._replace(is_header=bool(header))
            yield from (row._replace(header=header) for row in table[1:])


def _are_cut(table: Sequence[TableRow], others: Sequence[tuple[int, int]]) -> bool:
    """Return whether the end of a cell is within one of other places."""
    first = bisect_left(others, table[0].start, key=lambda place: place[1])
    for start, end in others[first : bisect_left(others, (table[-1].end, 0))]:
        if any(start < cell.end < end for row in table if row.start < end for cell in row.cells):
            return True
    return False


def _tables(text: str) -> Iterator[Sequence[TableRow]]:
    for mark, pattern in _ROWS.items():
        if mark not in text:
            continue
        place = 0
        while found := pattern.search(text, place):
            table = list(_rows(text, found.start(), mark))
            if len(table) >= _LEAST_ROWS:
                yield table
            place = max(found.end(), table[-1].end if table else 0)


def _rows(text: str, start: int, mark: str) -> Iterator[TableRow]:
    """Yield rows from a place on while each has as many cells as the first."""
    cell = re.compile(
        rf'"(?P<quoted>[^"]{{0,{_LONGEST_CELL}}}(?:""[^"]{{0,{_LONGEST_CELL}}}){{0,64}})"(?=[{mark}\r\n]|\Z)'
        rf"|(?P<plain>[^{mark}\r\n]*)"
    )
    width = 0
    while start < len(text):
        cells: list[TableCell] = []
        place = start
        while found := cell.match(text, place):
            group = found.lastgroup or "plain"
            cells.append(TableCell(*found.span(group), group == "quoted"))
            place = found.end()
            if text[place : place + 1] != mark:
                break
            place += 1
        width = width or len(cells)
        if len(cells) != width or width == 1:
            return
        if mark != "\t" and not _is_row(text, cells):
            return
        yield TableRow(start, place, tuple(cells), ())
        breaks = 2 if text.startswith("\r\n", place) else 1
        start = place + breaks


def _is_row(text: str, cells: Sequence[TableCell]) -> bool:
    """Return whether separators divide cells: no space follows them, and not all are within numbers (1,000)."""
    gaps = [after.start - after.is_quoted for _, after in pairwise(cells)]
    return not any(text.startswith(" ", gap) for gap in gaps) and not all(
        _THOUSANDS.match(text, max(0, gap - 2)) for gap in gaps
    )


def _is_header(text: str, rows: Sequence[TableRow]) -> bool:
    """Return whether the first row names columns: short names, each once, above cells of which some have digits."""
    names = [text[cell.start : cell.end] for cell in rows[0].cells]
    if not all(map(_NAME.fullmatch, names)) or len({*names}) < len(names):
        return False
    below = (text[cell.start : cell.end] for row in rows[1:6] for cell in row.cells)
    return any(any(map(str.isdigit, content)) for content in below)
