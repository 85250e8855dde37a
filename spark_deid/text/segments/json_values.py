"""JSON anywhere in a text: its values, each with its key."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_START = re.compile(r'\{\s*(?="|\})|\[\s*(?=[\[{"])')
_TOKEN = re.compile(
    r'[ \t\r\n]*(?:(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>true|false|null)|(?P<mark>[{}\[\],:]))"
)
_MOST_NESTED = 200


class JsonValue(NamedTuple):
    """A string without its quotes, or a number: its place, its key, and the object or list that it belongs to."""

    start: int
    end: int
    key: tuple[int, int] | None
    container: int
    is_string: bool


class JsonPiece(NamedTuple):
    """A piece of a text that is JSON, or its beginning."""

    start: int
    end: int
    values: tuple[JsonValue, ...]
    keys: tuple[tuple[int, int], ...]
    is_closed: bool


def json_pieces(text: str) -> Iterator[JsonPiece]:
    """Yield the pieces of a text that are JSON, in order; what is cut short goes as far as it parses."""
    place = 0
    while found := _START.search(text, place):
        piece, place = _parse(text, found.start())
        if piece is not None:
            yield piece


def _parse(text: str, start: int) -> tuple[JsonPiece | None, int]:
    """Read a value from its first bracket; return it, and where the next search begins. None if it is not JSON."""
    values: list[JsonValue] = []
    keys: list[tuple[int, int]] = []
    stack: list[tuple[str, int]] = []
    key: list[tuple[int, int] | None] = []
    containers = 0
    place, expected = start, "value"
    while found := _TOKEN.match(text, place):
        kind, first = found.lastgroup, found.start(found.lastgroup or 0)
        mark = text[first] if kind == "mark" else ""
        if mark in ("}", "]"):
            if not stack or (mark == "}") != (stack[-1][0] == "{") or expected not in ("after", "first", "first key"):
                break
            stack.pop()
            key.pop()
            expected = "after"
        elif expected in ("key", "first key") and kind == "string":
            keys.append((first + 1, found.end() - 1))
            key[-1] = keys[-1]
            expected = "colon"
        elif expected == "colon" and mark == ":":
            expected = "value"
        elif expected == "after" and mark == ",":
            expected = "key" if stack[-1][0] == "{" else "value"
        elif expected in ("value", "first") and mark in ("{", "["):
            if len(stack) >= _MOST_NESTED:
                return None, found.end()
            containers += 1
            stack.append((mark, containers))
            key.append(key[-1] if mark == "[" and key else None)
            expected = "first key" if mark == "{" else "first"
        elif expected in ("value", "first") and kind in ("string", "number", "word"):
            is_string = kind == "string"
            if kind != "word":
                values.append(JsonValue(first + is_string, found.end() - is_string, key[-1], stack[-1][1], is_string))
            expected = "after"
        else:
            break
        place = found.end()
        if not stack:
            break
    is_json = not stack or bool(keys) or len(values) > 1
    return (JsonPiece(start, place, tuple(values), tuple(keys), not stack) if is_json and place > start else None), max(
        place, start + 1
    )


@lru_cache(maxsize=4096)
def words_of(key: str) -> str:
    """Return a key as words.

    >>> words_of("patient_name"), words_of("dateOfBirth"), words_of("DOB")
    ('patient name', 'date of birth', 'DOB')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", re.sub(r"[_.\-]+", " ", key)).strip()
    return parted if parted.isupper() else parted.lower()
