"""The rule that makes a document of named values: JSON objects, CSV rows and table rows alike."""

import math
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import pyarrow as pa

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, checked_id, checked_meta, checked_span, checked_subject, checked_text, decode
from spark_deid.corpus.columns import CorpusColumns
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.json_values import optional_string

DEFAULT = CorpusColumns()


class Base64Text(str):
    """Metadata of bytes that are not UTF-8, in base64."""

    __slots__ = ()


def configure_records(format: CorpusFormat, options: Mapping[str, str]) -> CorpusFormat:
    """Let a format's parser of records read the columns that the options name; raises UsageError as above."""
    columns = DEFAULT.configured(options)
    names = ("parse_line", "parse_file", "parse_row")
    parsers: dict[str, Any] = {
        name: partial(parse, columns=columns) for name in names if (parse := getattr(format, name))
    }
    return replace(format, columns=columns, **parsers)


def document_of(row: Mapping[str, object], default_id: str, columns: CorpusColumns = DEFAULT) -> Document:
    """Make a document of a row; values of other names become metadata.

    Strings may come as bytes, which are read as UTF-8; metadata of other bytes in base64. Raises FormatError.
    """
    if columns.text not in row:
        raise FormatError(
            "no-text",
            f"expected a text in {columns.text!r}, found no such key. Set --option text_column=NAME for another key",
        )
    text = checked_text(_decoded(row.get(columns.text)))
    return Document(
        doc_id=checked_id(_decoded(row.get(columns.doc_id)), default_id),
        text=text,
        subject_id=checked_subject(_decoded(row.get(columns.subject_id))),
        spans=spans_of_rows(text, row.get(columns.spans)),
        meta=_meta(row, columns),
    )


def spans_of_rows(text: str, rows: object) -> tuple[Span, ...]:
    """Check annotations given as a list of objects with ``start``, ``end``, ``label`` and perhaps a surface ``text``.

    Raises FormatError "bad-annotation".
    """
    if rows is None:
        return ()
    if not isinstance(rows, list | tuple):
        raise FormatError("bad-annotation", "expected spans to be a list")
    return tuple(_plain_span(text, row) or _span_of_row(text, row, f"span {n}") for n, row in enumerate(rows, start=1))


def row_of(document: Document) -> dict[str, object]:
    """Turn a document into the values that ``document_of`` reads; absent ones are omitted, ``spans`` is not."""
    row: dict[str, object] = {"doc_id": document.doc_id, "text": document.text}
    if document.subject_id is not None:
        row["subject_id"] = document.subject_id
    row["spans"] = list(_span_rows(document.spans))
    if document.meta:
        row["meta"] = dict(document.meta)
    return row


def _span_rows(spans: Iterable[Span]) -> Iterable[dict[str, object]]:
    for span in spans:
        row: dict[str, object] = {"start": span.start, "end": span.end, "label": span.label}
        if span.score is not None:
            row["score"] = span.score
        if span.annotation_id is not None:
            row["annotation_id"] = span.annotation_id
        yield row


def _plain_span(text: str, row: object) -> Span | None:
    """Return the annotation that a row of plain values is; None for any other, which is checked more closely.

    Most are such rows, and of some corpora more annotations than words have to be read.
    """
    if type(row) is not dict:
        return None
    get = row.get
    start, end, label, surface = get("start"), get("end"), get("label"), get("text")
    if type(start) is not int or type(end) is not int or type(label) is not str or not 0 <= start < end <= len(text):
        return None
    if surface is not None and (type(surface) is not str or surface != text[start:end]):
        return None
    return Span(start, end, label, None, GOLD) if get("annotation_id") is None is get("score") else None


def _span_of_row(text: str, row: object, where: str) -> Span:
    if not isinstance(row, Mapping):
        raise FormatError("bad-annotation", f"{where}: expected an object with start, end and label")
    surface = optional_string(row.get("text"), where)
    annotation_id = row.get("annotation_id")
    if annotation_id is not None and not isinstance(annotation_id, str):
        raise FormatError("bad-annotation", f"{where}: expected annotation_id to be a string")
    span = checked_span(
        text, row.get("start"), row.get("end"), surface, row.get("label"), where=where, annotation_id=annotation_id
    )
    score = _score(row.get("score"), where)
    return span if score is None else span._replace(score=score)


def _score(value: object, where: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FormatError("bad-annotation", f"{where}: expected the score to be a finite number")
    return float(value)


def _meta(row: Mapping[str, object], columns: CorpusColumns) -> dict[str, str]:
    nested = row.get(columns.meta)
    pairs: Mapping[str, object]
    if nested is None:
        pairs = {}
    elif isinstance(nested, Mapping):
        pairs = nested
    elif isinstance(nested, Sequence) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in nested):
        pairs = dict(nested)  # Arrow gives maps as pairs
    elif isinstance(nested, str):
        pairs = {columns.meta: nested}
    else:
        raise FormatError("malformed", "expected meta to be an object")
    named = {columns.text, columns.doc_id, columns.subject_id, columns.spans, columns.meta}
    others = {key: value for key, value in row.items() if key not in named}
    return checked_meta({key: _written(value) for key, value in {**pairs, **others}.items()})


def _written(value: object) -> object:
    """Return metadata of bytes as text, or in base64 where they are none, as those of a picture."""
    try:
        return _decoded(value)
    except FormatError:
        return Base64Text(b64encode(value).decode()) if isinstance(value, bytes) else value


def _decoded(value: object) -> object:
    return decode(value) if isinstance(value, bytes) and value else "" if isinstance(value, bytes) else value


# Rows of columnar tables as named values.


_UNDECODABLE: Final = object()  # a nested string that is not UTF-8; others are bytes
_NO_VALUE: Final = object()  # what Arrow holds and Python has no value for, as a day of the year 30000


def rows_of(batch: pa.RecordBatch) -> Iterator[dict[str, object]]:
    """Yield the rows of a batch; a value that Python can't hold comes as a mark, so that its row can be rejected."""
    names = batch.schema.names
    columns = [_values(column) for column in batch.columns]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def parse_row(row: Mapping[str, object], source: str, default_id: str, *, columns: CorpusColumns = DEFAULT) -> Document:
    """Read a row: id, text, subject and ``spans`` by name, other columns as metadata. Raises FormatError."""
    check_values(row)
    return document_of(row, default_id, columns)


def check_values(row: Mapping[str, object]) -> None:
    """Raise FormatError for values of ``rows_of`` that Python can't hold, or nested strings that are not UTF-8."""
    for name, value in row.items():
        if value is _NO_VALUE:
            raise FormatError("malformed", f"column {name}: expected a value that Python can hold")
        if value is _UNDECODABLE:
            raise FormatError("invalid-utf8", f"column {name}: expected UTF-8")


def _values(column: pa.Array) -> list[object]:
    try:
        values: list[object] = column.to_pylist()
    except Exception:  # of many types, OverflowError and those of time zones among them
        return [_value(cell) for cell in column]
    return values


def _value(cell: pa.Scalar) -> object:
    try:
        return cell.as_py()
    except UnicodeDecodeError:
        return cell.as_buffer().to_pybytes() if hasattr(cell, "as_buffer") else _UNDECODABLE
    except Exception:
        return _NO_VALUE
