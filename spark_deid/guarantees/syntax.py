"""Whether the JSON, HL7 and CSV of a text still parse after its edits: counted by parsers of the standard library."""

import csv
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Bools

_JSON = re.compile(r'\{\s*"|\[\s*[\[{"]')
_MAY_BREAK = re.compile(r'\{\s*"|\[\s*[\[{"]|^(?:MSH|FHS|BHS)[^\w\s]|[^,;\t\s][,;\t][^,;\t\s]', re.MULTILINE)
_MOST_FAILURES = 64
_HEADER = re.compile(r"(?:^|(?<=[\r\n]))(?:MSH|FHS|BHS)([^\w\s])[^\w\s]{3}")
_SEGMENT = re.compile(r"[A-Z][A-Z0-9]{2}")
_LINE = re.compile(r"[^\r\n]+")
_HIDDEN = re.compile(r"\[[^\[\]]+\]")
_MASK = "mask"
_BREAKS = ("", "\n", "\r", "\v", "\x1c")
_SEPARATOR = re.compile(r"[|,;\t{\[]")
_DECODER = json.JSONDecoder()
_LEAST_CELLS = {",": 3, ";": 3, "\t": 2}


class AppliedEdit(Protocol):
    """An edit as this check reads it."""

    @property
    def start(self) -> int:
        """Return the first character that is replaced."""

    @property
    def end(self) -> int:
        """Return the character after the last that is replaced."""

    @property
    def replacement(self) -> str:
        """Return the text that is written."""

    @property
    def technique(self) -> str:
        """Return the name of the technique."""


class EditedPart(NamedTuple):
    """A part of a text that some edits touch: as it was and as it is published. None if edits cross its ends."""

    before: str
    after: str | None


def count_broken(text: str, edits: Sequence[AppliedEdit]) -> int:
    """Count the parts of a text in a syntax that parsed before and do not after disjoint edits.

    Parts that are hidden whole do not count, nor do parts with masks.

    >>> from spark_deid.guarantees.coverage import CheckedEdit
    >>> count_broken('{"tel": 3025550142}', [CheckedEdit(8, 18, "suppress", "[PHONE]")])
    1
    """
    if not edits or _MAY_BREAK.search(text) is None:
        return 0
    ordered = sorted(edits, key=lambda edit: edit.start)
    faults = 0
    for start, end in _json_places(text):
        part = _part_of(text, start, end, ordered)
        faults += part is not None and (part.after is None or _shape_of(part.before) != _shape_of(part.after))
    for start, end, mark in _hl7_places(text):
        part = _part_of(text, start, end, ordered)
        faults += part is not None and (part.after is None or not _is_segment(part.before, part.after, mark))
    whole = _part_of(text, 0, len(text), ordered)
    return faults + (whole is not None and _breaks_rows(text, whole.after or ""))


def may_break(texts: pa.StringArray) -> Bools:
    """Return of each text whether it may have a part in a syntax."""
    found: Bools = pc.match_substring_regex(texts, f"(?m){_MAY_BREAK.pattern}").to_numpy(zero_copy_only=False)
    return found


def hides_whole(text: str, start: int, end: int) -> bool:
    """Return whether a place is a whole value of JSON, or whole lines with separators.

    >>> [hides_whole('a {"b": 1}', start, 10) for start in (0, 2, 3)]
    [True, True, False]
    """
    if start < end and text[start : start + 1] + text[end - 1 : end] in ("{}", "[]"):
        return True
    is_line = text[start - 1 : start] in _BREAKS and text[end : end + 1] in _BREAKS
    return is_line and _SEPARATOR.search(text, start, end) is not None


def _json_places(text: str) -> Iterator[tuple[int, int]]:
    place = failures = 0
    while failures < _MOST_FAILURES and (found := _JSON.search(text, place)):
        try:
            _, place = _DECODER.raw_decode(text, found.start())
            if '"' in text[found.start() : place]:
                yield found.start(), place
        except (ValueError, RecursionError):
            place = found.start() + 1
            failures += 1


def _hl7_places(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the lines of messages, with the separator of fields."""
    if _HEADER.search(text) is None:
        return
    mark = ""
    for line in _LINE.finditer(text):
        if header := _HEADER.match(line[0]):
            mark = header[1]
        elif not (mark and _SEGMENT.match(line[0]) and line[0][3:4] == mark):
            mark = ""
        if mark:
            yield *line.span(), mark


def _part_of(text: str, start: int, end: int, edits: Sequence[AppliedEdit]) -> EditedPart | None:
    """Return a part with its edits; None if no edit touches it, if it is hidden whole or has masks."""
    own = [edit for edit in edits if edit.start < end and start < edit.end]
    if not own or any(edit.technique == _MASK for edit in own) or (own[0].start <= start and own[0].end >= end):
        return None
    if own[0].start < start or own[-1].end > end:
        return EditedPart(text[start:end], None)
    written, done = [], start
    for edit in own:
        written += [text[done : edit.start], edit.replacement]
        done = edit.end
    return EditedPart(text[start:end], "".join((*written, text[done:end])))


def _shape_of(written: str) -> Any:
    """Return the objects and lists of JSON with nothing in them; None if it does not parse."""
    try:
        return _bare(json.loads(written, object_pairs_hook=lambda pairs: (len(pairs), [v for _, v in pairs])))
    except (ValueError, RecursionError):
        return None


def _bare(value: Any) -> Any:
    match value:
        case tuple():
            return value[0], [_bare(each) for each in value[1]]
        case list():
            return [_bare(each) for each in value]
        case _:
            return ""


def _is_segment(before: str, after: str, mark: str) -> bool:
    return before[:4] == after[:4] and before.count(mark) == after.count(mark) and _LINE.fullmatch(after) is not None


def _breaks_rows(before: str, after: str) -> bool:
    """Return whether a text is a table of CSV and has rows of other widths after its edits."""
    for mark, least in _LEAST_CELLS.items():
        if mark not in before:
            continue
        rows = _rows_of(before, mark)
        widths = {len(row) for row in rows}
        is_prose = any(cell.startswith(" ") or "\n" in cell for row in rows for cell in row)
        if len(rows) > 1 and len(widths) == 1 and min(widths) >= least and not is_prose:
            return any(
                len(row) not in widths and not (len(row) == 1 and _HIDDEN.match(row[0]))
                for row in _rows_of(after, mark)
            )
    return False


def _rows_of(text: str, mark: str) -> list[list[str]]:
    try:
        return [row for row in csv.reader(re.split(r"(?<=\n)|(?<=\r)(?!\n)", text), delimiter=mark) if row]
    except csv.Error:
        return []
