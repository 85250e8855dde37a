"""The records of a text: its parts in a syntax, and the prose between them."""

import re
from collections.abc import Iterator
from itertools import groupby

from spark_deid.text.segments.delimited import TableRow, delimited_rows
from spark_deid.text.segments.escapes import (
    decode_doubled,
    decode_form,
    decode_hl7,
    decode_json,
    decode_prose,
    has_escapes,
)
from spark_deid.text.segments.fields import label_of_field, may_identify
from spark_deid.text.segments.hl7 import FIELDS, Hl7Segment, hl7_segments, holds_identifier, is_coded
from spark_deid.text.segments.json_values import JsonPiece, JsonValue, json_pieces, words_of
from spark_deid.text.segments.mapped import MappedText, RecordBuilder, TextRecord
from spark_deid.text.segments.markup import TagPlace, tags

__all__ = ["TextRecord", "records_of"]

_FORM = re.compile(r"(?<![\w?/&;#.=-])(?:[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}&)+[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}")
_PAIR = re.compile(r"([\w.%\[\]-]{1,64})=([^&\s=]{0,4096})")
_MOST_NESTED = 4
_TEXT_ATTRIBUTES = frozenset(("title", "alt", "value", "content", "label", "summary", "name", "display", "aria-label"))
_TYPED_KEY = re.compile(r"[\s@]|[^\x00-\x7f]|\\|[0-9]{5}")
"""Characters of typed keys, such as names of people. Names of fields do not contain them."""
_LEAST_MARKS = 4
"""Separators of the smallest table: two rows of three cells."""
Piece = tuple[int, int, Iterator[TextRecord]]
"""The start and the end of a part in a syntax, and its records, which are read on request."""


def records_of(text: str) -> tuple[TextRecord, ...] | None:
    """Return the records of a text in order; None for prose, which is read unchanged."""
    if not (may_have_syntax(text) or has_escapes(text)):
        return None
    whole = MappedText.whole(text)
    if not (_pieces(whole, 1) or has_escapes(text) or any(True for _ in tags(text))):
        return None
    return tuple(_records(whole, _MOST_NESTED))


def may_have_syntax(text: str) -> bool:
    """Return whether a text may contain more than prose, by characters that are rare in prose."""
    if ("{" in text or "[" in text) and '"' in text:
        return True
    if "\t" in text or "</" in text or "/>" in text or ("&" in text and "=" in text):
        return True
    if "MSH" in text or "FHS" in text or "BHS" in text or text.count("|") >= _LEAST_MARKS:
        return True
    return any(text.count(mark) - text.count(f"{mark} ") >= _LEAST_MARKS for mark in ",;")


def _records(source: MappedText, depth: int) -> Iterator[TextRecord]:
    done = 0
    for start, end, records in _pieces(source, depth):
        if start < done:
            continue
        yield from _prose(source.piece(done, start))
        yield from records
        done = end
    yield from _prose(source.piece(done, len(source.text)))


def _pieces(source: MappedText, depth: int) -> list[Piece]:
    """Return the parts of a text that are in a syntax, in order of start, the longest first."""
    text = source.text
    found: list[Piece] = []
    if depth and ("{" in text or "[" in text):
        found += [(piece.start, piece.end, _json(source, piece, depth)) for piece in json_pieces(text)]
    if "|" in text or "MSH" in text or "FHS" in text or "BHS" in text:
        found += [(segment.start, segment.end, _hl7(source, segment)) for segment in hl7_segments(text)]
    found += [(row.start, row.end, _row(source, row)) for row in delimited_rows(text)]
    if "&" in text and "=" in text:
        found += [(*form.span(), _form(source, *form.span())) for form in _FORM.finditer(text)]
    return sorted(found, key=lambda piece: (piece[0], -piece[1]))


def _prose(source: MappedText) -> Iterator[TextRecord]:
    """Read prose with decoded escapes and without tags."""
    if not source.text or source.text.isspace():
        return
    builder = RecordBuilder()
    attributes: list[tuple[str, MappedText]] = []
    done, key, before = 0, "", None
    for tag in tags(source.text):
        key = _add_element(builder, before, key, decode_prose(source.piece(done, tag.start)))
        builder.add("" if tag.kind == "inline" else "\n")
        attributes += [(tag.name if name == "value" else name, source.piece(*place)) for name, *place in tag.attributes]
        done, before = tag.end, tag
    _add_element(builder, before, key, decode_prose(source.piece(done, len(source.text))))
    yield builder.record()
    for name, content in attributes:
        yield _attribute(name, decode_prose(content))


def _add_element(builder: RecordBuilder, tag: TagPlace | None, key: str, content: MappedText) -> str:
    """Add the content that follows a tag, and return the key of the next content, which a header cell has."""
    begins = tag is not None and not tag.is_end
    if not content.text.strip():
        builder.cell(content)
        return key
    if begins and tag is not None and tag.kind == "key":
        builder.cell(content, is_coded=True)
        return content.text.strip()
    key = tag.name if begins and tag is not None and tag.kind == "field" else key
    builder.add(f"{words_of(key)}: " if key else "")
    builder.cell(content, _label(key, content))
    return ""


def _json(source: MappedText, piece: JsonPiece, depth: int) -> Iterator[TextRecord]:
    """Read typed keys, then each object and list separately, and strings that contain other syntaxes."""
    typed = [source.piece(*key) for key in piece.keys if _TYPED_KEY.search(source.text[slice(*key)])]
    if typed:
        builder = RecordBuilder()
        for written in typed:
            builder.cell(decode_prose(decode_json(written)))
            builder.add("\n")
        yield builder.record()
    by_container = sorted(piece.values, key=lambda value: value.container)
    for _, values in groupby(by_container, key=lambda value: value.container):
        builder = RecordBuilder()
        nested: list[MappedText] = []
        for value in values:
            content = _json_content(source, value)
            if depth > 1 and _pieces(content, depth - 1):
                nested.append(content)
                continue
            key = source.text[slice(*value.key)] if value.key is not None else ""
            builder.add(f"{words_of(key)}: " if key else "")
            builder.cell(content, _label(key, content))
            builder.add("\n")
        yield builder.record()
        for content in nested:
            yield from _records(content, depth - 1)


def _json_content(source: MappedText, value: JsonValue) -> MappedText:
    content = source.piece(value.start, value.end)
    return decode_prose(decode_json(content)) if value.is_string else content.as_one()


def _hl7(source: MappedText, segment: Hl7Segment) -> Iterator[TextRecord]:
    builder = RecordBuilder()
    for field in segment.fields:
        label, _, key = FIELDS.get(field.name, "").partition(":")
        builder.add(f"{key}: " if key else "")
        for component in field.components:
            content = decode_hl7(source.piece(component.start, component.end))
            own = label if label and holds_identifier(field.name, component.number, content.text) else None
            builder.cell(content, own, is_coded=is_coded(field.name) or bool(label and not own))
            builder.add(" ")
        builder.add("\n")
    yield builder.record()


def _row(source: MappedText, row: TableRow) -> Iterator[TextRecord]:
    builder = RecordBuilder()
    for number, cell in enumerate(row.cells):
        key = source.text[row.header[number].start : row.header[number].end] if row.header else ""
        builder.add(f"{words_of(key)}: " if key else "")
        content = source.piece(cell.start, cell.end)
        content = decode_prose(decode_doubled(content, '"') if cell.is_quoted else content)
        builder.cell(content, _label(key, content), is_coded=row.is_header)
        builder.add("\n")
    yield builder.record()


def _form(source: MappedText, start: int, end: int) -> Iterator[TextRecord]:
    builder = RecordBuilder()
    for pair in _PAIR.finditer(source.text, start, end):
        builder.add(f"{words_of(pair[1])}: ")
        content = decode_form(source.piece(*pair.span(2)))
        builder.cell(content, _label(pair[1], content))
        builder.add("\n")
    yield builder.record()


def _label(key: str, content: MappedText) -> str | None:
    label = label_of_field(key) if key else None
    return label if label and may_identify(content.text) else None


def _attribute(key: str, content: MappedText) -> TextRecord:
    """Return the record of an attribute: most hold addresses, styles and the like, and no text."""
    builder = RecordBuilder()
    builder.add(f"{words_of(key)}: ")
    builder.cell(content, _label(key, content), is_coded=key.lower() not in _TEXT_ATTRIBUTES)
    return builder.record()
