"""CSV after RFC 4180 with a header: ``doc_id, text, subject_id?``; other columns become metadata."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import BinaryIO

from spark_deid.core.column_names import columns_text
from spark_deid.core.csv_cells import LONGEST_TEXT, limit_cells
from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.corpus.checks import checked_record, decode_records
from spark_deid.corpus.columns import OPTIONS, CorpusColumns
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.records import DEFAULT, document_of
from spark_deid.text.visible import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What cells begin with that spreadsheets carry out, their full-width forms too."""
_NEAR = 64
_WRITTEN_OUT = {"tab": "\t", "\\t": "\t"}


def parse_file(
    data: bytes, source: str, *, columns: CorpusColumns = DEFAULT, delimiter: str = ","
) -> Iterator[Document | FormatError]:
    """Read one document a record; the header is not a record. An empty cell is an absent value.

    A record of another width is rejected separately. A broken quote rejects the file, because the number of records
    after it is unknown. Raises FormatError for this and for a header without a text column.
    """
    limit_cells(LONGEST_TEXT)
    rows = csv.reader(io.StringIO(decode_records(data), newline=""), delimiter=delimiter, strict=True)
    header = _header(rows, columns)
    number = 0
    try:
        for row in rows:
            if not row:
                continue
            number += 1
            yield _record(row, header, f"{source}#{number}", columns)
    except csv.Error:
        raise FormatError("malformed", f"expected quotes as in RFC 4180; record {number + 1} has others") from None


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
    """Count the cells of a document that spreadsheets take for formulas. They are written as they are: offsets stay.

    >>> count_formulas(Document("-1", "=1+2", meta={"ward": "@home", "bed": "7"}))
    3
    """
    cells = (document.doc_id, document.subject_id or "", document.text, *document.meta.values())
    return sum(map(begins_as_formula, cells))


def begins_as_formula(cell: str) -> bool:
    """Tell whether a cell begins as formulas do, what nobody sees aside.

    >>> [begins_as_formula(cell) for cell in ("=1+2", "\uff1d1", "\u200b@x", "1=2")]
    [True, True, True, False]
    """
    if not cell or cell[0].isalnum():
        return False
    return cell.startswith(_FORMULA) or visible(cell[:_NEAR]).text.startswith(_FORMULA)


def read_header(stream: BinaryIO, source: str, *, delimiter: str = ",") -> tuple[str, ...] | None:
    """Return the names of the columns; None for an empty file."""
    limit_cells(LONGEST_TEXT)
    text = decode_records(stream.read())
    try:
        return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), ())) or None
    except csv.Error:
        return None


def _header(rows: Iterator[list[str]], columns: CorpusColumns) -> Sequence[str]:
    try:
        header = next(rows, [])
    except csv.Error:
        raise FormatError("malformed", "expected a header with quotes as in RFC 4180") from None
    if columns.text not in header:
        raise FormatError("malformed", f"expected a header with a column {columns.text!r}; {columns_text(header)}")
    if len(set(header)) < len(header):
        raise FormatError("malformed", "expected a header whose names are all different")
    return [checked_record(name) for name in header]


def _record(
    row: Sequence[str], header: Sequence[str], default_id: str, columns: CorpusColumns
) -> Document | FormatError:
    if len(row) != len(header):
        return FormatError("malformed", f"expected {len(header)} cells, got {len(row)}")
    values: dict[str, object] = {name: cell for name, cell in zip(header, row, strict=True) if cell}
    values.setdefault(columns.text, "")
    try:
        for cell in row:
            checked_record(cell)
        return document_of(values, default_id, columns)
    except FormatError as error:
        return error


def _configure(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    delimiter = _WRITTEN_OUT.get(given := options.get("delimiter", ","), given)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError("delimiter: expected one character, not a quote and not a line end, or tab")
    columns = DEFAULT.configured(options)
    return replace(
        format,
        columns=columns,
        parse_file=partial(parse_file, columns=columns, delimiter=delimiter),
        header=partial(read_header, delimiter=delimiter),
    )


FORMAT = CorpusFormat(
    name="csv",
    suffixes=(".csv",),
    unit=ParserUnit.FILE,
    parse_file=parse_file,
    render_file=render_file,
    formulas=count_formulas,
    options=(*OPTIONS, "delimiter", "encoding"),
    columns=DEFAULT,
    header=read_header,
    configure=_configure,
    holds_spans=False,
)
