"""Texts as they look: without invisible characters, and with accents in their letters.

Invisible characters divide words only for programs. Letters and the accents that follow them are one character
(Unicode's form NFC).

Soft hyphens, zero-width spaces, byte-order marks, signs of direction: Unicode's category Cf and what else it says is
to be ignored, assigned or not, a few fillers, selectors and controls besides, strokes through and below letters,
whatever combines with digits, hyphens and other marks, and keys around the digits of a number. What a script or an
emoji needs stays: joiners between letters of scripts that join or between emoji, variation selectors after what has
variants, tags of flags. So do the controls that stand for quotation marks and dashes where text of Windows was read as
Latin-1.
"""

import unicodedata
from functools import cache
from itertools import pairwise
from typing import NamedTuple, Protocol, Self, TypeVar

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt32s
from spark_deid.text.base_letters import normalize

_UNICODE = 0x110000
_HIDDEN, _JOINER, _SELECTOR, _TAG, _MARK, _KEY = 1, 2, 3, 4, 5, 6
"""Never seen; seen between letters that join; after what has variants; after a flag; after a letter; by itself."""
_CONTROLS = bytes((*range(1, 9), *range(14, 28), *range(0x7F, 0x85), *range(0x86, 0x91), *range(0x98, 0xA0)))
_HIDDEN_LATIN = _CONTROLS + b"\xad"
_COMBINING = (*range(0x300, 0x34F), *range(0x350, 0x370), *range(0x20D0, 0x20DD), *range(0x20E5, 0x20F1))
_STROKES = (*range(0x332, 0x339), 0x20D2, 0x20D3)
"""Lines below and through what they follow, which make no letter of any other, and part words for programs alone."""
_PREPENDED = (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *range(0x13430, 0x13440))
"""Of category Cf and seen nevertheless: signs that embrace what follows them."""
_SELECTORS = (
    *(0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0),
    *range(0x180B, 0x1810),
    *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)
_IGNORABLE = (0x2065, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000))
"""Without a character so far, and to be ignored whenever they get one (Default_Ignorable_Code_Point of Unicode)."""
_TAGS = range(0xE0020, 0xE0080)
_JOINERS = (0x200C, 0x200D)
_JOINING = (
    (0x600, 0x900),
    (0x900, 0xE00),
    (0xF00, 0x10A0),
    (0x1700, 0x18B0),
    (0x1900, 0x1C80),
    (0xA800, 0xAC00),
    (0xFB50, 0xFE00),
    (0xFE70, 0xFEFD),
    (0x10A00, 0x10FFF),
    (0x11000, 0x12000),
    (0x1E900, 0x1F000),
)
"""Blocks of scripts whose letters joiners part or join."""
_FIRST_WITHOUT_CASE = 0x590
"""From here on fillers and selectors have a meaning of their own: not after Latin, Greek or Cyrillic letters."""
_KEYCAP, _FLAG, _LAST_SPACE = 0x20E3, 0x1F3F4, 0x3000


class PlacedText(Protocol):
    """What has a place in a text: a span, an edit, a term."""

    @property
    def start(self) -> int:
        """Return where it begins."""

    @property
    def end(self) -> int:
        """Return where it ends."""

    def _replace(self, *, start: int = ..., end: int = ...) -> Self: ...


P = TypeVar("P", bound=PlacedText)


class VisibleText(NamedTuple):
    """A text as it looks; character i of it stands for ``starts[i]`` to ``ends[i]`` of the original.

    Invisible characters belong to the character before them, after white space to the one that follows. Both arrays
    are empty where nothing is invisible, and nothing composed: then ``text`` is the original.
    """

    text: str
    starts: Int32s
    ends: Int32s

    @property
    def is_whole(self) -> bool:
        """Tell whether the text is the original."""
        return not len(self.starts)

    def original(self, span: P) -> P:
        """Return a span of the visible text with its offsets in the original."""
        return span._replace(start=int(self.starts[span.start]), end=int(self.ends[span.end - 1]))

    def inside(self, span: P) -> P:
        """Return a span of the original with its offsets in the visible text; an empty one where nothing is seen."""
        start, end = self.place_inside(span.start, span.end)
        return span._replace(start=start, end=end)

    def place_inside(self, start: int, end: int) -> tuple[int, int]:
        """Return where a piece of the original stands in the visible text."""
        return int(self.begins(np.array([start]))[0]), int(self.stops(np.array([end]))[0])

    def begins(self, offsets: Int32s | Int64s) -> Int32s:
        """Return where pieces of the original begin in the visible text."""
        return np.searchsorted(self.ends, offsets, "right").astype(np.int32)

    def stops(self, offsets: Int32s | Int64s) -> Int32s:
        """Return where pieces of the original end in the visible text."""
        return np.searchsorted(self.starts, offsets, "left").astype(np.int32)


_NO_OFFSETS = np.zeros(0, np.int32)


def visible(text: str) -> VisibleText:
    r"""Return a text without what nobody sees, its accents with their letters, and the offsets of what is left.

    >>> visible("P\u00ade\u200bre\u0301z").text
    'Peréz'
    """
    if _is_plain(text):
        return VisibleText(text, _NO_OFFSETS, _NO_OFFSETS)
    shown = _without_hidden(text)
    return shown if unicodedata.is_normalized("NFC", shown.text) else _composed(shown)


def _without_hidden(text: str) -> VisibleText:
    codes = codes_of(text)
    hidden = invisible(codes)
    if hidden is None:
        return VisibleText(text, _NO_OFFSETS, _NO_OFFSETS)
    starts = np.flatnonzero(~hidden)
    shown = codes[starts]
    found = borders(starts, starts + 1, are_spaces(shown), hidden)
    return VisibleText(shown.tobytes().decode("utf-32-le", "surrogatepass"), *found)


def _composed(looks: VisibleText) -> VisibleText:
    """Write letters with what combines with them as NFC does; each character of such a group stands for all of it."""
    text = looks.text
    begins = (0, *(place for place in range(1, len(text)) if not _combines(text[place])), len(text))
    written: list[str] = []
    firsts: list[int] = []
    lasts: list[int] = []
    for begin, end in pairwise(begins):
        written.append(normalize("NFC", text[begin:end]))
        is_same = written[-1] == text[begin:end]
        firsts += range(begin, end) if is_same else [begin] * len(written[-1])
        lasts += range(begin, end) if is_same else [end - 1] * len(written[-1])
    whole = np.arange(len(text) + 1, dtype=np.int32)
    starts, ends = (whole[:-1], whole[1:]) if looks.is_whole else (looks.starts, looks.ends)
    return VisibleText("".join(written), starts[firsts], ends[lasts])


def _combines(character: str) -> bool:
    """Tell whether a character may become one with those before it: marks, and the later letters of Hangul."""
    return unicodedata.category(character).startswith("M") or "\u1161" <= character <= "\u11c2"


def codes_of(text: str) -> UInt32s:
    """Return the code points of a text."""
    # Of bytes that can't be written to, the array would have another type than a part of it: all would compile twice.
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), np.uint32)


def invisible(codes: UInt32s) -> Bools | None:
    """Tell of code points which are invisible; None, where none is."""
    unusual = np.flatnonzero(codes - np.uint32(0x20) > np.uint32(0x5E))
    found = _kinds()[codes[unusual]]
    if not found.any():
        return None
    kinds = np.zeros(len(codes), np.uint8)
    kinds[unusual] = found
    hidden = kinds == _HIDDEN
    if (found > _HIDDEN).any():
        hidden |= _unneeded(codes, kinds)
    return hidden if hidden.any() else None


def borders(starts: Int64s, stops: Int64s, apart: Bools, hidden: Bools) -> tuple[Int32s, Int32s]:
    """Return where pieces of a text start and end with the hidden characters that belong to them.

    These go with the piece right before them, or, where there is none or it stands ``apart`` as white space does, with
    the one right after.
    """
    reach = _reach(hidden)
    ends = np.where(apart, stops, reach[stops])
    before = np.concatenate([[0], ends])[: len(starts)]
    begins = np.where(~apart & (reach[before] == starts), before, starts)
    return begins.astype(np.int32), ends.astype(np.int32)


def are_spaces(codes: UInt32s) -> Bools:
    """Tell which code points are white space."""
    return np.asarray(_spaces()[np.minimum(codes, _LAST_SPACE + 1)])


def _reach(hidden: Bools) -> Int64s:
    """Return of each place, and of the end, the first place from there on that is not hidden."""
    n = len(hidden)
    places = np.append(np.where(hidden, n, np.arange(n)), n)
    return np.asarray(np.minimum.accumulate(places[::-1])[::-1])


def _is_plain(text: str) -> bool:
    """Return whether a text has only visible characters of Latin-1; each letter is one character."""
    try:
        content = text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return len(content.translate(None, _HIDDEN_LATIN)) == len(content)


def _unneeded(codes: UInt32s, kinds: UInt8s) -> Bools:
    """Tell which joiners, selectors and tags are of no use where they stand, and so are invisible."""
    n = len(codes)
    seen = (kinds == 0) | (kinds == _KEY)
    last = np.maximum.accumulate(np.where(seen, np.arange(n), -1))
    following = np.minimum.accumulate(np.where(seen, np.arange(n), n)[::-1])[::-1]
    padded = np.append(codes, np.uint32(0))
    before, after = padded[last], padded[following]
    separate, follows_separate = np.take(_alone(), before), np.take(_alone(), after)
    joins = np.take(_joining(), before) & np.take(_joining(), after) & ~separate & ~follows_separate
    is_key = ~_in_numbers(codes, kinds)
    chosen = ((before >= _FIRST_WITHOUT_CASE) & ~separate) | ((after == _KEYCAP) & is_key)
    needed = np.where(kinds == _JOINER, joins, np.where(kinds == _TAG, before == _FLAG, chosen))
    accent = are_spaces(before) & (are_spaces(after) | ~follows_separate)  # shown by itself, as " \u0301" is
    needed = np.where(kinds == _MARK, ~separate | accent, needed)
    needed = np.where(kinds == _KEY, is_key, needed)
    return np.asarray((kinds > _HIDDEN) & ~needed)


def _in_numbers(codes: UInt32s, kinds: UInt8s) -> Bools:
    """Tell after which places the last digit that is seen has another a sign away at most: keys are no emoji there."""
    seen = np.flatnonzero(kinds == 0)
    digits = np.zeros(len(seen) + 4, np.bool_)
    digits[2:-2] = np.take(_decimal(), codes[seen])
    adjacent = digits[:-4] | digits[1:-3] | digits[3:-1] | digits[4:]
    place = np.searchsorted(seen, np.arange(len(codes)), "right") - 1
    return np.asarray(np.append(adjacent, False)[place])


@cache
def _kinds() -> UInt8s:
    table = np.zeros(_UNICODE, np.uint8)
    for start, end in ((0, 0x3400), (0xA000, 0xAC00), (0xD7B0, 0xD800), (0xF900, 0x20000), (0xE0000, 0xE1000)):
        categories = np.array(list(map(unicodedata.category, map(chr, range(start, end)))))
        table[start:end][categories == "Cf"] = _HIDDEN
        table[start:end][np.isin(categories, ("Mn", "Me", "Mc"))] = _MARK
    table[list(_CONTROLS)] = _HIDDEN
    table[list(_IGNORABLE)] = _HIDDEN
    table[list(_PREPENDED)] = 0
    table[list(_SELECTORS)] = _SELECTOR
    table[list(_TAGS)] = _TAG
    table[list(_COMBINING)] = _MARK
    table[list(_STROKES)] = _HIDDEN
    table[_KEYCAP] = _KEY
    table[list(_JOINERS)] = _JOINER
    return table


@cache
def _joining() -> Bools:
    """Tell of which code points joiners part or join: letters and marks of some scripts, and emoji."""
    table = np.zeros(_UNICODE, np.bool_)
    for start, end in _JOINING:
        table[start:end] = True
    for start, end in ((0x2190, 0x3300), (0x1F000, 0x20000)):
        for code in range(start, end):
            table[code] = unicodedata.category(chr(code)) in ("So", "Sk", "Sm")
    return table


@cache
def _alone() -> Bools:
    """Tell of digits, hyphens, marks and spaces: nothing joins these, and selectors choose no form of theirs."""
    table = np.zeros(_UNICODE, np.bool_)
    for code in range(0x20000):
        table[code] = unicodedata.category(chr(code)) in ("Nd", "Pd", "Po", "Zs")
    return table


@cache
def _decimal() -> Bools:
    """Tell of digits, of any script."""
    table = np.zeros(_UNICODE, np.bool_)
    for code in range(0x20000):
        table[code] = chr(code).isdecimal()
    return table


@cache
def _spaces() -> Bools:
    return np.array([chr(code).isspace() for code in range(_LAST_SPACE + 2)])
