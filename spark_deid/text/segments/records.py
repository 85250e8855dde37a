"""The records of a text: what of it is no prose, and the prose between."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from spark_deid.text.segments.delimited import Row, delimited_rows
from spark_deid.text.segments.escapes import decode_doubled, decode_form, decode_json, decode_prose, has_escapes
from spark_deid.text.segments.hl7 import FIELDS, Hl7Segment, hl7_segments
from spark_deid.text.segments.json_values import JsonPiece, json_pieces, words_of
from spark_deid.text.segments.mapped import MappedText, Record, RecordBuilder
from spark_deid.text.segments.markup import tags

__all__ = ["Record", "records_of"]

_FORM = re.compile(r"(?:[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}&)+[\w.%\[\]-]{1,64}=[^&\s=]{0,4096}")
_PAIR = re.compile(r"([\w.%\[\]-]{1,64})=([^&\s=]{0,4096})")
_MOST_NESTED = 4
Piece = tuple[int, int, Callable[[], Iterator[Record]]]


def records_of(text: str) -> tuple[Record, ...] | None:
    """Return the records of a text in order; None for prose, which is read as it stands."""
    if not _may_have_segments(text):
        return None
    return tuple(_records(MappedText.whole(text), _MOST_NESTED)) if _pieces(MappedText.whole(text), 1) or has_escapes(text) else None


def _may_have_segments(text: str) -> bool:
    return bool(_HINT.search(text)) or has_escapes(text)


_HINT = re.compile(
    r'[{\[]\s*["{\[]|^(?:MSH|FHS|BHS)\W|</?[A-Za-z!]|\w=[^&\s=]*&|\t|^[^,\r\n]*,(?! )[^,\r\n]*,(?! )|;(?! )[^;\r\n]*;(?! )', re.MULTILINE
)


def _records(source: MappedText, depth: int) -> Iterator[Record]:
    done = 0
    for start, end, read in _pieces(source, depth):
        if start < done:
            continue
        yield from _prose(source.piece(done, start))
        yield from read()
        done = end
    yield from _prose(source.piece(done, len(source.text)))


def _pieces(source: MappedText, depth: int) -> list[Piece]:
    """Return what of a text is in a syntax, in order of start, the longest first."""
    text = source.text
    found: list[Piece] = []
    if depth and "{" in text or "[" in text:
        found += [(piece.start, piece.end, _reader(_json, source, piece, depth)) for piece in json_pieces(text)]
    if "MSH" in text or "FHS" in text or "BHS" in text:
        found += [(segment.start, segment.end, _reader(_hl7, source, segment)) for segment in hl7_segments(text)]
    found += [(row.start, row.end, _reader(_row, source, row)) for row in delimited_rows(text)]
    if "&" in text and "=" in text:
        found += [(form.start(), form.end(), _reader(_form, source, form.start(), form.end())) for form in _FORM.finditer(text)]
    return sorted(found, key=lambda piece: (piece[0], -piece[1]))


def _reader(read: Callable[..., Iterator[Record]], *given: object) -> Callable[[], Iterator[Record]]:
    return lambda: read(*given)


def _prose(source: MappedText) -> Iterator[Record]:
    """Read prose: its escapes decoded, its tags left out."""
    if not source.text or source.text.isspace():
        return
    builder = RecordBuilder()
    further = []
    done = 0
    for tag in tags(source.text):
        builder.cell(decode_prose(source.piece(done, tag.start)))
        builder.add("" if tag.is_inline else "\n")
        further += [(name, source.piece(start, end)) for name, start, end in tag.attributes]
        done = tag.end
    builder.cell(decode_prose(source.piece(done, len(source.text))))
    yield builder.record()
    for name, content in further:
        yield _line(words_of(name), [decode_prose(content)])


def _json(source: MappedText, piece: JsonPiece, depth: int) -> Iterator[Record]:
    by_container = sorted(piece.values, key=lambda value: value.container)
    for _, values in groupby(by_container, key=lambda value: value.container):
        builder = RecordBuilder()
        nested: list[MappedText] = []
        for value in values:
            content = source.piece(value.start, value.end)
            content = decode_json(content) if value.is_string else content
            if depth > 1 and len(content.text) > 1 and _pieces(content, depth - 1):
                nested.append(content)
                continue
            if value.key is not None:
                builder.add(f"{words_of(source.text[slice(*value.key)])}: ")
            builder.cell(decode_prose(content) if has_escapes(content.text) else content)
            builder.add("\n")
        yield builder.record()
        for content in nested:
            yield from _records(content, depth - 1)


def _hl7(source: MappedText, segment: Hl7Segment) -> Iterator[Record]:
    builder = RecordBuilder()
    for field in segment.fields:
        key = FIELDS.get(field.name, "").partition(":")[2]
        builder.add(f"{key}: " if key else "")
        for component in field.components:
            builder.cell(decode_prose(source.piece(*component)))
            builder.add(" ")
        builder.add("\n")
    yield builder.record()


def _row(source: MappedText, row: Row) -> Iterator[Record]:
    builder = RecordBuilder()
    for number, cell in enumerate(row.cells):
        if number < len(row.header):
            builder.add(f"{words_of(source.text[row.header[number].start : row.header[number].end])}: ")
        content = source.piece(cell.start, cell.end)
        builder.cell(decode_prose(decode_doubled(content, '"') if cell.is_quoted else content))
        builder.add("\n")
    yield builder.record()


def _form(source: MappedText, start: int, end: int) -> Iterator[Record]:
    builder = RecordBuilder()
    for pair in _PAIR.finditer(source.text, start, end):
        builder.add(f"{words_of(pair[1])}: ")
        builder.cell(decode_form(source.piece(*pair.span(2))))
        builder.add("\n")
    yield builder.record()


def _line(key: str, cells: Sequence[MappedText]) -> Record:
    builder = RecordBuilder()
    builder.add(f"{key}: ")
    for cell in cells:
        builder.cell(cell)
    return builder.record()
