"""CSV with a header, as RFC 4180, Spark and Excel write it: ``doc_id, text, subject_id?`` and metadata."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import BinaryIO

from spark_deid.core.column_names import columns_text
from spark_deid.core.csv_dialect import OPTIONS as DIALECT_OPTIONS
from spark_deid.core.csv_dialect import RFC_4180, CsvDialect, likely_dialect
from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.checks import checked_record, decode_records
from spark_deid.corpus.columns import OPTIONS, CorpusColumns
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.records import DEFAULT, document_of
from spark_deid.text.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The beginnings of cells that spreadsheets execute, their full-width forms included."""
_NEAR = 64


@dataclass(frozen=True)
class DialectHint:
    """The likely dialect of a file, guessed once for all its rejects."""

    text: str
    dialect: CsvDialect
    columns: CorpusColumns

    @cached_property
    def words(self) -> str:
        """Return the end of a reject's detail that names the guess; empty without a guess."""
        likely = likely_dialect(self.text, self.dialect, self.columns.text)
        if likely is None:
            return ""
        return f"; all rows would fit with {likely.describe(self.dialect)} (in a plan, input.options)"


def parse_file(
    data: bytes, source: str, *, columns: CorpusColumns = DEFAULT, dialect: CsvDialect = RFC_4180
) -> Iterator[Document | FormatError]:
    """Read one document per record; the header is not a record. An empty cell is an absent value.

    A record of another width is rejected separately. A broken quote rejects the file, because the number of records
    after it is unknown. Raises FormatError for this and for a header without a text column. Both name the dialect that
    fits the file, if there is one.
    """
    dialect, text = dialect.of_text(decode_records(data))
    hint = DialectHint(text, dialect, columns)
    rows = dialect.rows(text)
    header = _header(rows, columns, hint)
    number = 0
    try:
        for row in rows:
            if not row:
                continue
            number += 1
            yield _record(row, header, f"{source}#{number}", columns, hint)
    except csv.Error:
        detail = f"expected other quotes in record {number + 1}: {_quotes(dialect)}{hint.words}"
        raise FormatError("malformed", detail) from None


def render_file(documents: Iterable[Document]) -> bytes:
    """Write documents with a header; spans and empty values of metadata are lost."""
    rows = list(documents)
    named = {DEFAULT.doc_id, DEFAULT.subject_id, DEFAULT.text}
    keys = sorted({key for document in rows for key in document.meta} - named)
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow([DEFAULT.doc_id, DEFAULT.subject_id, DEFAULT.text, *keys])
    for document in rows:
        values = [document.meta.get(key, "") for key in keys]
        writer.writerow([document.doc_id, document.subject_id or "", document.text, *values])
    return stream.getvalue().encode("utf-8")


def count_formulas(document: Document) -> int:
    """Count the cells of a document that spreadsheets take for formulas. They are written unchanged.

    >>> count_formulas(Document("-1", "=1+2", meta={"ward": "@home", "bed": "7"}))
    3
    """
    cells = (document.doc_id, document.subject_id or "", document.text, *document.meta.values())
    return sum(map(begins_as_formula, cells))


def begins_as_formula(cell: str) -> bool:
    """Return whether a cell begins as formulas do, invisible characters aside.

    >>> [begins_as_formula(cell) for cell in ("=1+2", "\uff1d1", "\u200b@x", "1=2")]
    [True, True, True, False]
    """
    if not cell or cell[0].isalnum():
        return False
    return cell.startswith(_FORMULA) or visible(cell[:_NEAR]).text.startswith(_FORMULA)


def read_header(stream: BinaryIO, source: str, *, dialect: CsvDialect = RFC_4180) -> tuple[str, ...] | None:
    """Return the names of the columns; None for an empty file."""
    dialect, text = dialect.of_text(decode_records(stream.read()))
    try:
        return tuple(next(dialect.rows(text), ())) or None
    except csv.Error:
        return None


def _quotes(dialect: CsvDialect) -> str:
    if dialect.quote == dialect.escape:
        return f"a cell in {dialect.quote} has its quotes doubled"
    return f"a cell in {dialect.quote} has {dialect.escape} before its quotes"


def _header(rows: Iterator[list[str]], columns: CorpusColumns, hint: DialectHint) -> Sequence[str]:
    try:
        header = next(rows, [])
    except csv.Error:
        detail = f"expected a header with other quotes: {_quotes(hint.dialect)}{hint.words}"
        raise FormatError("malformed", detail) from None
    if columns.text not in header:
        detail = f"expected a header with a column {columns.text!r}; {columns_text(header)}{hint.words}"
        raise FormatError("malformed", detail)
    if len(set(header)) < len(header):
        raise FormatError("malformed", "expected a header whose names are all different")
    return [checked_record(name) for name in header]


def _record(
    row: Sequence[str], header: Sequence[str], default_id: str, columns: CorpusColumns, hint: DialectHint
) -> Document | FormatError:
    if len(row) != len(header):
        return FormatError("malformed", f"expected {len(header)} cells, got {len(row)}{hint.words}")
    values: dict[str, object] = {name: cell for name, cell in zip(header, row, strict=True) if cell}
    values.setdefault(columns.text, "")
    try:
        for cell in row:
            checked_record(cell)
        return document_of(values, default_id, columns)
    except FormatError as error:
        return error


def _configure(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    dialect = CsvDialect.of_options(options)
    columns = DEFAULT.configured(options)
    return replace(
        format,
        columns=columns,
        parse_file=partial(parse_file, columns=columns, dialect=dialect),
        header=partial(read_header, dialect=dialect),
    )


FORMAT = CorpusFormat(
    name="csv",
    suffixes=(".csv",),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    formulas=count_formulas,
    options=(*OPTIONS, *DIALECT_OPTIONS, "encoding", "content"),
    columns=DEFAULT,
    header=read_header,
    configure=_configure,
    holds_spans=False,
)
