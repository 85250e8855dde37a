"""Characters that a text writes in another way: entities, ``%C3%A9``, ``=E9``, ``\\u00e9``, ``\\xe9``, ``\\'e9``."""

import codecs
import re
from collections.abc import Callable
from html import unescape
from itertools import pairwise

import numpy as np

from spark_deid.text.segments.mapped import MappedText

_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,24});"
_UNICODE = r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}"
_PROSE = re.compile(
    rf"(?P<entity>{_ENTITY})"
    rf"|(?P<unicode>(?:{_UNICODE})+)"
    r"|(?P<percent>(?:%[0-7][0-9a-fA-F])*%[89a-fA-F][0-9a-fA-F](?:%[0-9a-fA-F]{2})*)"
    r"|(?P<quoted>(?:=[0-7][0-9A-F])*=[89A-F][0-9A-F](?:=[0-9A-F]{2})*)"
    r"|(?P<bytes>(?:\\x[0-9a-fA-F]{2})+)"
    r"|(?P<rtf>(?:\\'[0-9a-fA-F]{2})+)"
    r"|(?P<twice>(?:[\u00c2-\u00c5][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc"
    r"\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122])+)"
    r"|(?P<lost>(?<=[^\W\d_])\ufffd(?=[^\W\d_]))"
)
_HL7 = re.compile(r"\\(F|S|T|R|E|\.br)\\")
_HL7_MARKS = {"F": "|", "S": "^", "T": "&", "R": "~", "E": "\\", ".br": "\n"}
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_JSON = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.", re.DOTALL)
_MARKS = re.compile(r"[\u00c2-\u00c5\ufffd]")
_SIMPLE = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def has_escapes(text: str) -> bool:
    """Return whether a text may have escapes, by a fast search."""
    if not any(mark in text for mark in "&%\\=") and (text.isascii() or _MARKS.search(text) is None):
        return False
    return _PROSE.search(text) is not None


def decode_prose(source: MappedText) -> MappedText:
    r"""Return a text with the escapes of any text as the characters that they mean.

    >>> decode_prose(MappedText("Ren\\u00e9e M&uuml;ller, Ren=E9e, 100%")).text
    'Renée Müller, Renée, 100%'
    """
    return _decoded(source, _PROSE, _prose_characters) if has_escapes(source.text) else source


def decode_json(source: MappedText) -> MappedText:
    """Return the value of a JSON string without its quotes."""
    return _decoded(source, _JSON, _json_characters) if "\\" in source.text else source


def decode_doubled(source: MappedText, quote: str) -> MappedText:
    """Return a quoted cell of CSV, in which a quote is written twice."""
    if quote * 2 not in source.text:
        return source
    return _decoded(source, re.compile(re.escape(quote) * 2), lambda match: [(quote, match.start(), match.end())])


def decode_form(source: MappedText) -> MappedText:
    """Return a value of an URL-encoded form, in which a plus is a space."""
    spaces = source._replace(text=source.text.replace("+", " "))
    return _decoded(spaces, _PERCENT, _form_characters)


_Pieces = list[tuple[str, int, int]]
"""Characters, and where each is written in the source."""


def _decoded(source: MappedText, pattern: re.Pattern[str], read: Callable[[re.Match[str]], _Pieces]) -> MappedText:
    texts: list[str] = []
    starts, ends = [], []
    done = 0
    froms, tos = source.places()
    for match in pattern.finditer(source.text):
        characters = read(match)
        if not characters:
            continue
        texts.append(source.text[done : match.start()])
        starts.append(froms[done : match.start()])
        ends.append(tos[done : match.start()])
        for character, start, end in characters:
            texts.append(character)
            starts.append(froms[start : start + 1])
            ends.append(tos[end - 1 : end])
        done = match.end()
    if not texts:
        return source
    texts.append(source.text[done:])
    return MappedText(
        "".join(texts), source.place, np.concatenate([*starts, froms[done:]]), np.concatenate([*ends, tos[done:]])
    )


def decode_hl7(source: MappedText) -> MappedText:
    r"""Return the text of a component of HL7.

    >>> decode_hl7(MappedText(r"Lee \T\ Sons\.br\Dover")).text
    'Lee & Sons\nDover'
    """
    if "\\" in source.text:
        source = _decoded(source, _HL7, lambda match: [(_HL7_MARKS[match[1]], *match.span())])
    return decode_prose(source)


def _form_characters(match: re.Match[str]) -> _Pieces:
    return _bytes(bytes.fromhex(match[0].replace("%", "")), match.start(), 3)


def _json_characters(match: re.Match[str]) -> _Pieces:
    written = match[0]
    if written[1] == "u" and len(written) > 2:
        return _utf_16(
            [int(written[place + 2 : place + 6], 16) for place in range(0, len(written), 6)], match.start(), 6
        )
    return [(_SIMPLE.get(written[1], written[1]), match.start(), match.end())]


def _prose_characters(match: re.Match[str]) -> _Pieces:
    start, written = match.start(), match[0]
    match match.lastgroup:
        case "entity":
            character = unescape(written)
            return [(character, start, start + len(written))] if len(character) == 1 else []
        case "unicode":
            return _unicode(written, start)
        case "percent" | "quoted":
            return _bytes(bytes.fromhex(written.replace(written[0], "")), start, 3)
        case "bytes" | "rtf":
            return _bytes(bytes.fromhex(written.replace(written[:2], "")), start, 4)
        case "twice":
            return _twice(written, start)
        case _:
            return [("e", start, start + 1)]


def _unicode(written: str, start: int) -> _Pieces:
    places = [place for place in range(len(written)) if written[place] == "\\"] + [len(written)]
    found: _Pieces = []
    codes: list[int] = []
    for place, after in pairwise(places):
        code = int(written[place + 2 : after], 16)
        if after - place == 6:
            codes.append(code)
        elif code <= 0x10FFFF:
            found += [*_utf_16(codes, start + place - 6 * len(codes), 6), (chr(code), start + place, start + after)]
            codes = []
    return found + _utf_16(codes, start + len(written) - 6 * len(codes), 6)


def _utf_16(codes: list[int], start: int, width: int) -> _Pieces:
    """Read units of UTF-16, of which two may be one character."""
    found: _Pieces = []
    number = 0
    while number < len(codes):
        pair = codes[number : number + 2]
        is_pair = len(pair) == 2 and 0xD800 <= pair[0] < 0xDC00 <= pair[1] < 0xE000
        code = 0x10000 + ((pair[0] - 0xD800) << 10) + pair[1] - 0xDC00 if is_pair else pair[0]
        size = 2 if is_pair else 1
        character = chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"
        found.append((character, start + number * width, start + (number + size) * width))
        number += size
    return found


def _bytes(content: bytes, start: int, width: int) -> _Pieces:
    """Read bytes as UTF-8, or else as the code page of Windows for Western Europe."""
    try:
        text, encoding = content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        text, encoding = content.decode("cp1252", "replace"), "cp1252"
    found: _Pieces = []
    for character in text:
        size = len(character.encode("utf-8")) if encoding == "utf-8" else 1
        found.append((character, start, start + size * width))
        start += size * width
    return found


def _twice(written: str, start: int) -> _Pieces:
    """Read UTF-8 that was taken for the code page of Windows: two characters for one."""
    found: _Pieces = []
    for place in range(0, len(written), 2):
        try:
            content = bytes([_windows(character) for character in written[place : place + 2]])
            found.append((content.decode("utf-8"), start + place, start + place + 2))
        except (UnicodeError, ValueError):
            return []
    return found


def _windows(character: str) -> int:
    return ord(character) if ord(character) < 0x100 else codecs.encode(character, "cp1252")[0]
