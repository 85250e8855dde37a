"""Keep JSON, HL7 and CSV valid: edits that would break the syntax hide a whole segment, and numbers get quotes."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_deid.core.edit import MASK, LabelledEdit
from spark_deid.rewriting.suppress import REMOVED, SUPPRESS, placeholder
from spark_deid.text.segments.delimited import delimited_rows
from spark_deid.text.segments.hl7 import hl7_segments
from spark_deid.text.segments.json_values import json_pieces
from spark_deid.text.segments.records import may_have_syntax

_QUOTE = '"'
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_BREAK = re.compile(r"[\r\n]|\Z")
_IN_JSON = re.compile(r'["\\\x00-\x1f]')
_IN_HL7 = re.compile(r"[|^~&\\\r\n]")
_IN_QUOTES = re.compile('"')
_HEADERS = ("MSH", "FHS", "BHS")


class SegmentContent(NamedTuple):
    """A place where edits leave the syntax as it is, and the characters that no replacement may have there."""

    start: int
    end: int
    reserved: re.Pattern[str]
    is_json: bool = False
    is_number: bool = False

    def contains(self, text: str, edit: LabelledEdit) -> bool:
        """Return whether an edit is within the content: numbers of JSON are replaced whole, escapes are not cut."""
        if not (self.start <= edit.start and edit.end <= self.end):
            return False
        if self.is_number:
            return (edit.start, edit.end) == (self.start, self.end)
        return not self.is_json or not any(
            found.start() < place < found.end()
            for found in _ESCAPE.finditer(text, self.start, self.end)
            for place in (edit.start, edit.end)
        )


class TextSegment(NamedTuple):
    """A JSON value, a segment of HL7 or a row of CSV."""

    start: int
    end: int
    contents: tuple[SegmentContent, ...]


def valid_edits(text: str, edits: Sequence[LabelledEdit]) -> Sequence[LabelledEdit]:
    """Return edits after which the JSON, HL7 and CSV of a text are still valid. ``edits`` are disjoint and in order.

    A segment is hidden whole if an edit crosses its separators. A replacement with a separator becomes a placeholder.
    Masks are unchanged, as those of rare text cross separators.

    >>> valid_edits('a {"b": 1}', [LabelledEdit(2, 5, "suppress", "[X]", "X")])
    [LabelledEdit(start=2, end=10, technique='suppress', replacement='[X]', label='X')]
    """
    if all(edit.technique == MASK for edit in edits) or not may_have_syntax(text):
        return edits
    segments = _segments(text)
    if not segments:
        return edits
    starts = [segment.start for segment in segments]
    wide: list[tuple[int, int]] = []
    kept: list[LabelledEdit] = []
    for edit in edits:
        first = max(0, bisect_right(starts, edit.start) - 1)
        below = [each for each in segments[first : bisect_right(starts, edit.end - 1)] if each.end > edit.start]
        if not below or edit.technique == MASK:
            kept.append(edit)
            continue
        content = _content_of(text, edit, below[0]) if len(below) == 1 else None
        if content is None:
            wide.append((min(edit.start, below[0].start), max(edit.end, below[-1].end)))
        kept.append(edit if content is None else _writable(text, edit, content))
    return _widened(text, kept, wide, {each[:2] for each in segments}) if wide else kept


def _segments(text: str) -> list[TextSegment]:
    """Return the segments of a text, in order. The first and longest of overlapping segments counts."""
    found: list[TextSegment] = []
    done = 0
    of_json = list(_of_json(text))
    rows = _of_csv(text, [segment[:2] for segment in of_json])
    for segment in sorted((*of_json, *_of_hl7(text), *rows), key=lambda each: (each.start, -each.end)):
        if segment.start >= done:
            found.append(segment)
            done = segment.end
    return found


def _of_json(text: str) -> Iterator[TextSegment]:
    if "{" in text or "[" in text:
        for piece in json_pieces(text):
            if not piece.is_closed:
                continue
            contents = [
                SegmentContent(value.start, value.end, _IN_JSON, value.is_string, not value.is_string)
                for value in piece.values
            ]
            contents += [SegmentContent(*key, _IN_JSON, is_json=True) for key in piece.keys]
            contents.sort(key=lambda each: each.start)
            yield TextSegment(piece.start, piece.end, tuple(contents))


def _of_hl7(text: str) -> Iterator[TextSegment]:
    if "|" not in text:
        return
    for segment in hl7_segments(text):
        borders = [place for place in range(segment.start, segment.end) if text[place] == text[segment.start + 3]]
        is_header = text.startswith(_HEADERS, segment.start)
        places = zip(borders[is_header:], [*borders[is_header + 1 :], segment.end], strict=False)
        contents = tuple(SegmentContent(start + 1, end, _IN_HL7) for start, end in places)
        yield TextSegment(segment.start, segment.end, contents)


def _of_csv(text: str, others: Sequence[tuple[int, int]]) -> Iterator[TextSegment]:
    for row in delimited_rows(text, others):
        last = row.cells[0].end + row.cells[0].is_quoted
        plain = re.compile(f'[{re.escape(text[last : last + 1])}"\r\n]')
        contents = (SegmentContent(*cell[:2], _IN_QUOTES if cell.is_quoted else plain) for cell in row.cells)
        yield TextSegment(row.start, row.end, tuple(contents))


def _content_of(text: str, edit: LabelledEdit, segment: TextSegment) -> SegmentContent | None:
    number = bisect_right([content.start for content in segment.contents], edit.start) - 1
    content = segment.contents[number] if number >= 0 else None
    return content if content is not None and content.contains(text, edit) else None


def _writable(text: str, edit: LabelledEdit, content: SegmentContent) -> LabelledEdit:
    """Return an edit whose replacement has no separator."""
    if edit.technique == SUPPRESS or not content.reserved.search(edit.replacement):
        return edit
    return _hidden(text, edit.start, edit.end, edit.label)


def _hidden(text: str, start: int, end: int, label: str) -> LabelledEdit:
    new = placeholder(label)
    return LabelledEdit(start, end, SUPPRESS, REMOVED if new == text[start:end] else new, label)


def _widened(
    text: str, edits: Sequence[LabelledEdit], wide: list[tuple[int, int]], segments: set[tuple[int, int]]
) -> list[LabelledEdit]:
    """Return edits with one edit for each place to hide: a segment, or the lines of several segments."""
    places: list[tuple[int, int]] = []
    for start, end in _joined(wide):
        is_segment = (start, end) in segments
        places.append((start, end) if is_segment else (_line_start(text, start), _line_end(text, end)))
    while (joined := _joined([*places, *_crossing(edits, places)])) != places:
        places = joined
    found: list[LabelledEdit] = []
    for edit in edits:
        place = next(((a, b) for a, b in places if a <= edit.start and edit.end <= b), None)
        if place is None:
            found.append(edit)
        elif not found or found[-1].end != place[1]:
            found.append(_hidden(text, *place, edit.label))
    return found


def _crossing(edits: Sequence[LabelledEdit], places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield places joined with the edits that cross one of their ends."""
    for start, end in places:
        for edit in edits:
            if edit.start < start < edit.end or edit.start < end < edit.end:
                yield min(start, edit.start), max(end, edit.end)


def _joined(places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _line_start(text: str, place: int) -> int:
    return max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1


def _line_end(text: str, place: int) -> int:
    found = _BREAK.search(text, place)
    return found.start() if found else len(text)


def quoting_edits(text: str, edits: Sequence[LabelledEdit]) -> list[LabelledEdit]:
    """Return edits that write a quote before and after each number of JSON that became text.

    ``edits`` are disjoint and in order. A quote is written with the character next to the number,
    because an edit replaces at least one character.

    >>> hidden = [LabelledEdit(8, 18, "suppress", "[PHONE]", "PHONE")]
    >>> [edit[:4] for edit in quoting_edits('{"tel": 3025550142}', hidden)]
    [(7, 8, 'suppress', ' "'), (18, 19, 'suppress', '"}')]
    """
    if not ("{" in text or "[" in text) or not any(_may_be_number(text, edit) for edit in edits):
        return []
    numbers = {value[:2] for piece in json_pieces(text) for value in piece.values if not value.is_string}
    taken = {edit.start for edit in edits} | {edit.end - 1 for edit in edits}
    opening: dict[int, str] = {}
    closing: dict[int, str] = {}
    for edit in edits:
        if (edit.start, edit.end) in numbers and not _NUMBER.fullmatch(edit.replacement) and edit.end < len(text):
            opening[edit.start - 1] = edit.label
            closing[edit.end] = edit.label
    return [
        LabelledEdit(
            place,
            place + 1,
            SUPPRESS,
            _QUOTE * (place in closing) + text[place] + _QUOTE * (place in opening),
            (closing | opening)[place],
        )
        for place in sorted(opening.keys() | closing.keys())
        if place not in taken
    ]


def _may_be_number(text: str, edit: LabelledEdit) -> bool:
    return text[edit.end - 1].isdigit() and edit.end < len(text) and text[edit.end] in ",]} \t\r\n"
