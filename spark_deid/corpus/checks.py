"""What every reader checks: text, ids and annotations. Errors say where and what was expected, never what was found."""

import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeGuard

from spark_deid.core.errors import FormatError, line_of
from spark_deid.core.span import Span
from spark_deid.text.persons import plain_person

GOLD: Final = "gold"
# The reader of a corpus counts these three and then calls them GOLD as well.
GOLD_WHITESPACE: Final = "gold, equal after whitespace normalization"
GOLD_UTF16: Final = "gold, read in UTF-16 units"
GOLD_MENDED: Final = "gold, with a repaired end tag"

_BOM = "\ufeff"
_TWO_UNITS = re.compile("[\U00010000-\U0010ffff]")
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


def decode(data: bytes) -> str:
    """Read bytes as UTF-8; a byte-order mark at the start is not text.

    Raises FormatError "invalid-utf8", "nul" or "empty". Line ends remain as they are.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = line_of(error)
        place = f"byte {error.start}" if line == 1 else f"byte {error.start}, in line {line},"
        raise FormatError("invalid-utf8", f"expected UTF-8, {place} is not") from None
    return checked_text(text.removeprefix(_BOM))


def decode_records(data: bytes) -> str:
    """Read the bytes of a file of many records, so that a bad byte rejects its record and not the file.

    A byte that is not UTF-8 becomes a lone surrogate, for which ``checked_record`` looks.
    """
    return data.decode("utf-8", "surrogateescape").removeprefix(_BOM)


def checked_record(value: str) -> str:
    """Return a piece of what ``decode_records`` read; raise FormatError "invalid-utf8" where a byte was bad."""
    match = _ESCAPED_BYTE.search(value)
    if match:
        raise FormatError("invalid-utf8", f"expected UTF-8, a byte after character {match.start()} is not")
    return value


def checked_text(value: object) -> str:
    """Return a document's text, or raise FormatError: "no-text", "nul", "empty", or "malformed" (lone surrogate)."""
    if value is None:
        raise FormatError("no-text", "expected a text, found none")
    if not isinstance(value, str):
        raise FormatError("no-text", "expected the text to be a string")
    if not value:
        raise FormatError("empty", "expected at least one character")
    position = value.find("\0")
    if position >= 0:
        raise FormatError("nul", f"character {position} is NUL")
    return checked_unicode(value)


def checked_unicode(value: str) -> str:
    """Return the string, or raise FormatError "malformed" where it holds half of a surrogate pair."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise FormatError("malformed", f"character {error.start} is a lone surrogate") from None
    return value


def checked_id(value: object, default: str) -> str:
    """Return a record's id: the default for a missing one, an integer in digits.

    Raises FormatError "malformed" for anything else than a non-empty string or an integer.
    """
    if value is None:
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value or "\0" in value:
        raise FormatError("malformed", "expected the id to be a non-empty string or an integer")
    return checked_unicode(value)


def checked_subject(value: object) -> str | None:
    """Return the subject's id as it looks, None for a missing or a blank one; raise as ``checked_id`` does.

    Files of several sources pad ids or write accents in different ways: such spellings would count as further people.
    """
    return None if value is None or value == "" else plain_person(checked_id(value, "")) or None


def checked_label(value: object, where: str) -> str:
    """Return a label as it is written: any string, which ``core.labels`` makes plain; else raise "bad-annotation"."""
    if not isinstance(value, str):
        raise FormatError("bad-annotation", f"{where}: expected the label to be a string")
    return value


def checked_span(
    text: str,
    start: object,
    end: object,
    surface: str | None,
    label: object,
    *,
    where: str = "annotation",
    annotation_id: str | None = None,
) -> Span:
    """Return an annotation as a span whose slice of the text is its surface.

    ``surface`` is None where the format has none. A surface that differs is kept if it is equal after whitespace
    normalization, also with line breaks written as ``\\n``, or if the offsets count UTF-16 units, or ``\\r\\n`` as one
    character. ``source`` of the span is then GOLD_WHITESPACE or GOLD_UTF16. ``where`` names the annotation in errors.

    Raises FormatError "bad-annotation".

    >>> checked_span("Ann Lee", 0, 7, "Ann\\nLee", "NAME").source
    'gold, equal after whitespace normalization'
    """
    return checked_pieces(text, [(start, end)], surface, label, where=where, annotation_id=annotation_id)[0]


def checked_pieces(
    text: str,
    offsets: Sequence[tuple[object, object]],
    surface: str | None,
    label: object,
    *,
    where: str = "annotation",
    annotation_id: str | None = None,
) -> tuple[Span, ...]:
    """Return a discontinuous annotation as spans; its surface is its pieces with a space between them.

    The rest is as in ``checked_span``.
    """
    label = checked_label(label, where)
    if annotation_id is not None:
        checked_unicode(annotation_id)
    pieces = [_checked_offsets(start, end, where) for start, end in offsets]
    source = _reading(text, pieces, surface)
    if source is None:
        repaired = None if surface is None else _repaired(text, pieces, surface)
        if repaired is None:
            raise FormatError("bad-annotation", f"{where}: {_expectation(text, pieces)}")
        source, pieces = repaired
    return tuple(Span(start, end, label, None, source, annotation_id) for start, end in pieces)


def _repaired(text: str, pieces: Sequence[tuple[int, int]], surface: str) -> tuple[str, list[tuple[int, int]]] | None:
    """Return pieces by other units of offsets if these show the surface, and the name of the conversion.

    Tools count characters beyond U+FFFF or line ends of two characters otherwise, and write line breaks of a surface
    with a backslash.
    """
    surfaces = dict.fromkeys((surface, surface.replace("\\r", "\r").replace("\\n", "\n")))
    for name, convert in _CONVERSIONS:
        converted = [convert(text, start, end) for start, end in pieces]
        moved = [piece for piece in converted if piece is not None]
        if len(moved) == len(pieces) and any(_reading(text, moved, each) is not None for each in surfaces):
            return name, moved
    return None


def from_line_ends(text: str, start: int, end: int) -> tuple[int, int] | None:
    r"""Convert offsets that count ``\r\n`` as one character; None if they lie outside the text.

    >>> from_line_ends("Hi\r\nAnn", 3, 6)
    (4, 7)
    """
    ends = [match.start() - number for number, match in enumerate(re.finditer("\r\n", text))]
    begin, stop = start + bisect_left(ends, start), end + bisect_left(ends, end)
    return (begin, stop) if 0 <= begin < stop <= len(text) else None


def _from_both(text: str, start: int, end: int) -> tuple[int, int] | None:
    plain = from_utf16(text.replace("\r\n", "\n"), start, end)
    return None if plain is None else from_line_ends(text, *plain)


def _as_they_are(text: str, start: int, end: int) -> tuple[int, int] | None:
    return start, end


def from_utf16(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Convert offsets in UTF-16 units to code points; None where they fall inside a pair or outside the text.

    >>> from_utf16("😀 Ann", 3, 6)
    (2, 5)
    """
    pairs = _pairs(text)
    begin, stop = _code_point(pairs, start), _code_point(pairs, end)
    return None if begin is None or stop is None or not 0 <= begin < stop <= len(text) else (begin, stop)


_CONVERSIONS = (
    (GOLD_WHITESPACE, _as_they_are),
    (GOLD_UTF16, from_utf16),
    (GOLD_WHITESPACE, from_line_ends),
    (GOLD_UTF16, _from_both),
)


def checked_meta(values: Mapping[str, object]) -> dict[str, str]:
    """Return metadata as strings, None omitted; raise FormatError "malformed" for NUL and for lone surrogates."""
    meta: dict[str, str] = {}
    for key, value in values.items():
        if value is None:
            continue
        text = value if isinstance(value, str) else _plain(value)
        if "\0" in text or "\0" in key:
            raise FormatError("malformed", "expected metadata without NUL")
        meta[checked_unicode(key)] = checked_unicode(text)
    return meta


def _plain(value: object) -> str:
    """Write a value of JSON as JSON, anything else (a date, state) as Python's ``str`` does."""
    if isinstance(value, dict | list | tuple | bool | int | float):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _checked_offsets(start: object, end: object, where: str) -> tuple[int, int]:
    if not _is_offset(start) or not _is_offset(end):
        raise FormatError("bad-annotation", f"{where}: expected offsets to be integers")
    return start, end


def _is_offset(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _reading(text: str, pieces: Sequence[tuple[int, int]], surface: str | None) -> str | None:
    """State how the pieces show the surface: GOLD, GOLD_WHITESPACE, or None for not at all."""
    if not all(0 <= start < end <= len(text) for start, end in pieces):
        return None
    if surface is None:
        return GOLD
    found = " ".join(text[start:end] for start, end in pieces)
    if found == surface:
        return GOLD
    return GOLD_WHITESPACE if found.split() == surface.split() else None


def _expectation(text: str, pieces: Sequence[tuple[int, int]]) -> str:
    for start, end in pieces:
        if not 0 <= start < end <= len(text):
            return f"expected 0 <= start < end <= {len(text)}, got start {start}, end {end}"
    return "expected its surface to be the text at its offsets"


@lru_cache(maxsize=1)
def _pairs(text: str) -> tuple[int, ...]:
    """Return where, in UTF-16 units, the characters of two units begin."""
    return tuple(match.start() + index for index, match in enumerate(_TWO_UNITS.finditer(text)))


def _code_point(pairs: Sequence[int], units: int) -> int | None:
    before = bisect_left(pairs, units)
    return None if before and pairs[before - 1] + 1 == units else units - before
