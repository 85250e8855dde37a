"""Dialects of CSV: the characters between and around cells, and the escape of a quote."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, product
from typing import TYPE_CHECKING, TextIO

from spark_deid.core.errors import UsageError

if TYPE_CHECKING:
    import _csv


OPTIONS = ("delimiter", "quote", "escape")
_WRITTEN_OUT = {"tab": "\t", "\\t": "\t"}
_SEP_LINE = re.compile(r'"?sep=([^\r\n"])"?(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
_ENDS_EARLY = "unexpected end of data"
_DELIMITERS, _QUOTES, _ESCAPES = ",;\t|", "\"'", "\\"
LONGEST_GUESS = 8 << 20
"""The characters of a text that a guess reads."""
_BLOCK = 1 << 24


@dataclass(frozen=True)
class CsvDialect:
    """How cells of CSV are written. ``escape`` is the character before a quote in a quoted cell.

    RFC 4180 doubles quotes: the escape is then the quote. Another escape has no meaning outside of quotes, and before
    other characters than itself and the quote it remains, as in Spark.

    >>> [*CsvDialect(escape="\\\\").rows('1,"a \\\\"b\\\\", c"')]
    [['1', 'a "b", c']]
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'

    @classmethod
    def of_options(cls, options: Mapping[str, str]) -> "CsvDialect":
        """Return the dialect that the options ``delimiter``, ``quote`` and ``escape`` name.

        Raises UsageError.
        """
        chosen = {name: _WRITTEN_OUT.get(options[name], options[name]) for name in OPTIONS if name in options}
        for name, character in chosen.items():
            if len(character) != 1 or character in "\r\n":
                tab = ", or tab" if name == "delimiter" else ""
                raise UsageError(f"{name}: expected one character that is not a line end{tab}")
        dialect = cls(**({"escape": chosen["quote"]} if "quote" in chosen else {}) | chosen)
        if dialect.delimiter in (dialect.quote, dialect.escape):
            raise UsageError("delimiter: expected another character than quote and escape")
        return dialect

    def of_text(self, text: str) -> tuple["CsvDialect", str]:
        r"""Return the dialect and the rest of a text that begins with a line ``sep=;``, which Excel reads.

        The line names the delimiter if no option does.

        >>> CsvDialect().of_text("sep=;\r\na;b\r\n")
        (CsvDialect(delimiter=';', quote='"', escape='"'), 'a;b\r\n')
        """
        line = _SEP_LINE.match(text)
        if line is None:
            return self, text
        is_named = self.delimiter != CsvDialect.delimiter
        return self if is_named else replace(self, delimiter=line[1]), text[line.end() :]

    def rows(self, text: str) -> Iterator[list[str]]:
        """Yield the rows of a text; a row without cells is empty. Raises csv.Error for a quote that does not fit."""
        return self.rows_of_stream(io.StringIO(text, newline=""))

    def rows_of_stream(self, stream: TextIO, beginning: str = "") -> Iterator[list[str]]:
        """Yield the rows of a beginning and a stream, opened without translation of line ends, as ``rows`` does."""
        if self.quote == self.escape:
            limit_cells(LONGEST_TEXT)
            yield from self._reader(stream, beginning)
            return
        text, end, is_last = beginning, 0, False
        while not is_last:
            block = stream.read(_BLOCK)
            text, end, is_last = text[end:] + block, 0, not block
            try:
                for row, after in self._escaped_rows(text):
                    if not is_last and after >= len(text) - 1:
                        break  # the row, or its line end, may continue in the next block
                    yield row
                    end = after
            except csv.Error as error:
                if is_last or str(error) != _ENDS_EARLY:
                    raise

    def count_rows(self, stream: TextIO, beginning: str = "") -> Iterator[tuple[int, bool]]:
        """Yield the number of each row, from 1, and whether cells up to its end have line breaks, as ``rows`` reads."""
        if self.quote == self.escape:
            limit_cells(LONGEST_TEXT)
            reader = self._reader(stream, beginning)
            for number, _ in enumerate(reader, 1):
                yield number, reader.line_num > number
            return
        has_breaks = False
        for number, row in enumerate(self.rows_of_stream(stream, beginning), 1):
            has_breaks = has_breaks or any("\n" in cell or "\r" in cell for cell in row)
            yield number, has_breaks

    def _reader(self, stream: TextIO, beginning: str) -> "_csv.Reader":
        lines = chain([beginning] if beginning else (), stream)
        return csv.reader(lines, delimiter=self.delimiter, quotechar=self.quote, strict=True)

    def _escaped_rows(self, text: str) -> Iterator[tuple[list[str], int]]:
        """Yield rows and where each ends."""
        quote, escape, delimiter = map(re.escape, (self.quote, self.escape, self.delimiter))
        cells = re.compile(
            rf"{quote}(?P<quoted>(?:[^{quote}{escape}]++|{escape}.)*+){quote}(?={delimiter}|\r|\n|\Z)"
            rf"|(?!{quote})(?P<plain>[^{delimiter}\r\n]*+)",
            re.DOTALL,
        )
        escaped = re.compile(rf"{escape}([{quote}{escape}])")
        row: list[str] = []
        position, size = 0, len(text)
        while position < size:
            cell = cells.match(text, position)
            if cell is None:
                is_open = re.compile(rf"{quote}(?:[^{quote}{escape}]++|{escape}.)*+{escape}?\Z", re.DOTALL)
                raise csv.Error(_ENDS_EARLY if is_open.match(text, position) else "a quote inside a cell")
            quoted, plain, position = cell["quoted"], cell["plain"], cell.end()
            row.append(plain if quoted is None else escaped.sub(r"\1", quoted))
            if position < size and text[position] == self.delimiter:
                position += 1
                if position < size:
                    continue
                row.append("")
            position += 2 if text.startswith("\r\n", position) else 1
            yield [] if row == [""] and quoted is None else row, position
            row = []

    def describe(self, other: "CsvDialect", *, option: str = "--option {name}={value}") -> str:
        """Return the options that lead from another dialect to this one, each as ``option`` writes it.

        >>> CsvDialect(";", escape="\\\\").describe(CsvDialect())
        "--option delimiter=';' --option escape='\\\\'"
        """
        changed = {name: getattr(self, name) for name in OPTIONS if getattr(self, name) != getattr(other, name)}
        if changed.get("escape") == changed.get("quote", ""):
            del changed["escape"]  # a quote that is doubled
        return " ".join(option.format(name=name, value=_quoted(value)) for name, value in changed.items())


RFC_4180 = CsvDialect()


def likely_dialect(text: str, dialect: CsvDialect, column: str = "") -> CsvDialect | None:
    """Guess the dialect of a text that does not fit another one.

    With it all rows have one width, the header has the column (without one: several columns), and no cell begins with
    the quote of the other one.
    None if the beginning of the text fits, or no common dialect does.
    """
    sample, is_cut = text[:LONGEST_GUESS], len(text) > LONGEST_GUESS
    fits = partial(_fits, sample, column=column, is_cut=is_cut)
    if fits(dialect, other_quote=""):
        return None
    delimiters, quotes = (dict.fromkeys(each) for each in (dialect.delimiter + _DELIMITERS, dialect.quote + _QUOTES))
    for delimiter, quote in product(delimiters, quotes):
        for escape in dict.fromkeys((quote, *_ESCAPES)):
            other = CsvDialect(delimiter, quote, escape)
            if delimiter != quote and fits(other, other_quote=dialect.quote if quote != dialect.quote else ""):
                return other
    return None


def _fits(text: str, dialect: CsvDialect, *, column: str, is_cut: bool, other_quote: str) -> bool:
    header: list[str] | None = None
    previous: list[str] = []
    try:
        for row in dialect.rows(text):
            if other_quote and any(cell.startswith(other_quote) for cell in row):
                return False
            if header is None:
                header = row
                if column not in header if column else len(header) < 2:
                    return False
            elif previous and len(previous) != len(header):
                return False
            previous = row
    except csv.Error as error:
        return is_cut and str(error) == _ENDS_EARLY
    return header is not None and (is_cut or not previous or len(previous) == len(header))


def _quoted(character: str) -> str:
    return "tab" if character == "\t" else f'"{character}"' if character == "'" else f"'{character}'"


# How long a cell of CSV may be: Python's reader keeps one limit for the whole process.


LONGEST_CELL = 131_072
"""The characters that a cell of a table of terms or offsets may have; a longer one is none, but an open quote."""
LONGEST_TEXT = 2**31 - 1
"""The characters that a cell of a corpus may have."""


def limit_cells(longest: int = LONGEST_CELL) -> None:
    """Set the most characters of a cell for what is read next. Each reader sets its own, since others set theirs.

    >>> limit_cells(LONGEST_TEXT), csv.field_size_limit(), limit_cells(), csv.field_size_limit()
    (None, 2147483647, None, 131072)
    """
    csv.field_size_limit(longest)
