"""JSON lines: one object a line, with ``doc_id, text, subject_id?, spans?, meta?``; other keys become metadata."""

import json
from typing import BinaryIO

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.columns import OPTIONS, CorpusColumns
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.json_values import RepeatedKeyError, count_values, parse_json, refuse_constant
from spark_deid.corpus.records import DEFAULT, configure_records, document_of, row_of

_BOM = b"\xef\xbb\xbf"
_LOOKED_AT = 100  # lines


def parse_line(line: bytes, source: str, default_id: str, *, columns: CorpusColumns = DEFAULT) -> Document | None:
    """Read one line; None for a blank one. Raises FormatError.

    >>> parse_line(b'{"text": "I am Ann.", "spans": [{"start": 5, "end": 8, "label": "NAME"}]}', "", "x#1").doc_id
    'x#1'
    """
    try:
        text = line.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("invalid-utf8", f"expected UTF-8, byte {error.start} of the line is not") from None
    if not text.strip(" \t\r\n"):
        return None
    try:
        row = parse_json(text)
    except RepeatedKeyError as error:
        known = error.key in (columns.text, columns.doc_id, columns.subject_id, columns.spans)
        stated = repr(error.key) if known else "each key of an object"
        raise FormatError("malformed", f"expected {stated} once, the line has it more often") from None
    except FormatError:
        detail = "expected a JSON object, the line is not JSON"
        raise FormatError("malformed", detail, records=count_values(text.strip())) from None
    if not isinstance(row, dict):
        raise FormatError("malformed", "expected a JSON object", records=count_values(text.strip()))
    return document_of(row, default_id, columns)


def read_header(stream: BinaryIO, source: str) -> tuple[str, ...] | None:
    """Return the keys of the first records, in order; None where no line of the beginning is one."""
    keys: dict[str, None] = {}
    for number, line in enumerate(stream):
        if number >= _LOOKED_AT:
            break
        try:
            row = json.loads(line.removeprefix(_BOM), parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            continue
        keys |= dict.fromkeys(row) if isinstance(row, dict) else {}
    return tuple(keys) or None


def render_line(document: Document) -> str:
    """Write a document as one line; the source of its spans is not written."""
    return json.dumps(row_of(document), ensure_ascii=False, allow_nan=False)


FORMAT = CorpusFormat(
    name="jsonl",
    suffixes=(".jsonl", ".ndjson", ".json"),
    unit=ParserUnit.LINE,
    parse_line=parse_line,
    render_line=render_line,
    options=(*OPTIONS, "encoding", "content"),
    columns=DEFAULT,
    header=read_header,
    configure=configure_records,
)
