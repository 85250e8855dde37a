"""What every reader checks: text, ids and annotations. Errors say where and what was expected, never what was found."""

import json
from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from typing import Final, TypeGuard

from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span

GOLD: Final = "gold"
# The reader of a corpus counts these two and then calls them GOLD as well.
GOLD_WHITESPACE: Final = "gold, equal after whitespace normalization"
GOLD_UTF16: Final = "gold, read in UTF-16 units"

_BOM = "\ufeff"


def decode(data: bytes) -> str:
    """Read bytes as UTF-8; a byte-order mark at the start is not text.

    Raises FormatError "invalid-utf8", "nul" or "empty". Line ends stay as they are.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("invalid-utf8", f"expected UTF-8, byte {error.start} is not") from None
    return checked_text(text.removeprefix(_BOM))


def checked_text(value: object) -> str:
    """Return a document's text, or raise FormatError: "no-text", "nul", "empty", or "malformed" (lone surrogate)."""
    if value is None:
        raise FormatError("no-text", "expected a text, there is none")
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
    """Return the subject's id, None for a missing or an empty one; raise as ``checked_id`` does."""
    return None if value is None or value == "" else checked_id(value, "")


def checked_label(value: object, where: str) -> str:
    """Return a label: a non-empty string without control characters; else raise FormatError "bad-annotation"."""
    if not isinstance(value, str) or not value.strip() or any(ord(c) < 32 or ord(c) == 127 for c in value):
        raise FormatError("bad-annotation", f"{where}: expected a label without control characters")
    try:
        return checked_unicode(value)
    except FormatError as error:
        raise FormatError("bad-annotation", f"{where}: expected a label in Unicode") from error


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
    normalization, or where the offsets count UTF-16 units; ``source`` of the span then says so
    (GOLD_WHITESPACE, GOLD_UTF16), else it is GOLD. ``where`` names the annotation in errors.

    Raises FormatError "bad-annotation".

    >>> checked_span("Ann Lee", 0, 7, "Ann\\nLee", "NAME").source
    'gold, equal after whitespace normalization'
    """
    label = checked_label(label, where)
    if not _is_offset(start) or not _is_offset(end):
        raise FormatError("bad-annotation", f"{where}: expected offsets to be integers")
    if 0 <= start < end <= len(text):
        if surface is None or text[start:end] == surface:
            return Span(start, end, label, None, GOLD, annotation_id)
        if _normalized(text[start:end]) == _normalized(surface):
            return Span(start, end, label, None, GOLD_WHITESPACE, annotation_id)
    converted = None if surface is None else from_utf16(text, start, end)
    if converted is not None and surface is not None:
        begin, stop = converted
        if _normalized(text[begin:stop]) == _normalized(surface):
            return Span(begin, stop, label, None, GOLD_UTF16, annotation_id)
    if not 0 <= start < end <= len(text):
        raise FormatError(
            "bad-annotation", f"{where}: expected 0 <= start < end <= {len(text)}, got start {start}, end {end}"
        )
    raise FormatError("bad-annotation", f"{where}: its surface is not the text at {start} to {end}")


def from_utf16(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Convert offsets in UTF-16 units to code points; None where they fall inside a pair or outside the text.

    >>> from_utf16("😀 Ann", 3, 6)
    (2, 5)
    """
    if not 0 <= start < end or text.isascii():
        return None
    units = [0, *accumulate(2 if c > "\uffff" else 1 for c in text)]
    begin, stop = bisect_left(units, start), bisect_left(units, end)
    if stop >= len(units) or units[begin] != start or units[stop] != end:
        return None
    return begin, stop


def checked_meta(values: Mapping[str, object]) -> dict[str, str]:
    """Return metadata as strings, None left out; raise FormatError "malformed" for NUL and for lone surrogates."""
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
    """Write a value of JSON as JSON, anything else (a date, say) as Python's ``str`` does."""
    if isinstance(value, dict | list | tuple | bool | int | float):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _is_offset(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _normalized(text: str) -> str:
    return " ".join(text.split())
