"""A text prepared for pattern search: look-alike characters folded, clusters of digits found once."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, cached_property

import numpy as np

from spark_deid.text.patterns.cues import CueGroup, CueIndex, index_with
from spark_deid.text.patterns.letters import read_as_digits

Interval = tuple[int, int]

_DASHES = (
    "\x96\x97\u00af\u00b7\u02c9\u02d7\u0387\u058a\u05be\u06d4\u1400\u1806\u2010\u2011\u2012\u2013\u2014\u2015\u2022\u2027\u2043"
    "\u2053\u207b\u208b\u2212\u2219\u223b\u223c\u223d\u22c5\u23af\u23e4\u2500\u2501\u2796\u2cba\u2e0f\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u301c"
    "\u3030\u30a0\u30fb\u30fc\ufe31\ufe32\ufe58\ufe63\uff5e\uff65\uff70\U00010ead"
)
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u2800\u3000"
_APOSTROPHES = "\x91\x92\u2018\u2019\u02bc"
_SLASHES, _DOTS, _COLONS = "\u2044\u2215", "\u2024\u3002\uff61", "\u2236\ua789"
_FORMS = ("<wide>", "<small>", "<font>")
"""Kinds of characters that are ASCII characters in another shape."""
_DIGITS_OF_THEIR_OWN = ("<super>", "<sub>", "<circle>")
"""Kinds with digits that are ASCII's in another shape; their letters have another meaning."""
_IN_BLACK = ((0x2776, 9), (0x2780, 9), (0x278A, 9), (0x24F5, 9), (0x2474, 9), (0x2488, 9), (0x1F102, 9))
"""Digits with a circle, brackets, a full stop or a comma, which Unicode decomposes otherwise or not: the place of 1,
and how many there are."""
_LETTERS_IN_SHAPES = ((0x24B6, "A"), (0x24D0, "a"), (0x249C, "a"), (0x1F130, "A"), (0x1F150, "A"), (0x1F170, "A"))
"""Letters in circles, brackets and squares: where the first occurs. Several in a row are a word."""


def _is_ascii_in_another_shape(form: str, plain: str) -> bool:
    return plain.isascii() and (form in _FORMS or (form in _DIGITS_OF_THEIR_OWN and plain.isdecimal()))


@cache
def _look_alikes() -> dict[str, str]:
    """Map full-width, small and mathematical forms, other scripts' digits, and typographic marks to ASCII, one for one.

    Superscripts and characters in circles are mapped for digits only: letters there have another meaning.
    """
    table = {}
    for code in (*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x20000)):
        character = chr(code)
        form, _, points = unicodedata.decomposition(character).partition(" ")
        if unicodedata.category(character) == "Nd":
            table[character] = str(unicodedata.decimal(character))
        elif len(points) == 4 and _is_ascii_in_another_shape(form, chr(int(points, 16))):
            table[character] = chr(int(points, 16))
    for first, number in _IN_BLACK:
        table |= {chr(first + place): str(1 + place) for place in range(number)}
    table |= dict.fromkeys("\u24ff\U0001f100\U0001f101\U0001f10b\U0001f10c", "0")
    for characters, plain in (
        (_DASHES, "-"),
        (_SPACES, " "),
        (_APOSTROPHES, "'"),
        (_SLASHES, "/"),
        (_DOTS, "."),
        (_COLONS, ":"),
    ):
        table |= dict.fromkeys(characters, plain)
    return table


# Two classes: one that reaches beyond the basic plane is not compiled to a bitmap and is twenty times slower.
@cache
def _look_alike() -> re.Pattern[str]:
    return re.compile("[" + "".join(re.escape(c) for c in sorted(_look_alikes()) if c <= "\uffff") + "]")


@cache
def _latin_signs() -> bytes:
    """Return the table from bytes of Latin-1 to what they look like; no byte is a letter of another alphabet."""
    return bytes(ord(_look_alikes().get(chr(code), chr(code))) for code in range(256))


_PLAIN_LETTERS = {first + place: chr(ord(plain) + place) for first, plain in _LETTERS_IN_SHAPES for place in range(26)}
_CIRCLED, _OTHER_LETTER = re.compile("[\u249c-\u24e9]"), re.compile("[\u0370-\u052f]")
_SHAPED = re.compile("[\u249c-\u24e9\U0001f130-\U0001f189]{2,}")
_LOOK_LATIN = str.maketrans(
    "АВЕІЈКМНОРСТХЅԚԜаеіјорсухѕԁһԛԝӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧοανι",
    "ABEIJKMHOPCTXSQWaeijopcyxsdhqwlABEZHIKMNOPTYXoavi",
)
_MIXED = re.compile(r"[A-Za-z]+[\u0370-\u052f][A-Za-z\u0370-\u052f]*|[\u0370-\u052f]+[A-Za-z][A-Za-z\u0370-\u052f]*")
"""Words with letters of Latin and of Greek or Cyrillic."""
_ASTRAL = re.compile("[\U00010000-\U0001ffff]")

# In expressions, groups are atomic, never possessive: before Python 3.11.5, `(?:ab)*+` keeps the a of a last turn that
# finds no b. A search is fast where its expression begins with a class of characters, not with a look behind.
_SEPARATORS = " ./()-"
_MOST_SEPARATORS = 3
_MIN_NUMBER = 4
_MIN_CLUSTER = 6


def fold_signs(text: str) -> str:
    """Replace characters that look like ASCII digits, hyphens and spaces by these; offsets remain the same.

    >>> fold_signs("2015\u201107\u201124")
    '2015-07-24'
    """
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").translate(_latin_signs()).decode("latin-1")
    except UnicodeEncodeError:
        pass
    folded = _ASTRAL.sub(_folded, _look_alike().sub(_folded, text))
    if _CIRCLED.search(folded) or _ASTRAL.search(folded):
        folded = _SHAPED.sub(_unshaped, folded)
    return _MIXED.sub(_latin, folded) if _OTHER_LETTER.search(folded) else folded


def _unshaped(match: re.Match[str]) -> str:
    return match[0].translate(_PLAIN_LETTERS)


def _latin(match: re.Match[str]) -> str:
    """Return a word of letters of several alphabets in those of Latin that they look like, if all do."""
    word = match[0].translate(_LOOK_LATIN)
    return word if word.isascii() else match[0]


def _folded(match: re.Match[str]) -> str:
    return _look_alikes().get(match[0], match[0])


class TextScan:
    """A folded text and the numbers that several kinds of patterns look at; found when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = fold_signs(text)
        self._searched: tuple[CueIndex, Mapping[CueGroup, list[int]]] | None = None

    @cached_property
    def lowered(self) -> str:
        """Return the text in lowercase; its offsets may differ."""
        return self.text.lower()

    def places_of(self, cues: CueGroup) -> list[int]:
        """Return where cues in lowercase begin in the lowercase text, in order."""
        index = index_with(cues)
        if self._searched is None or self._searched[0] is not index:
            self._searched = index, index.places(self.lowered)
        return self._searched[1][cues]

    def places_as_written(self, cues: CueGroup) -> list[int]:
        """Return where cues begin in the text, in order; uppercase and lowercase letters differ."""
        if len(self.lowered) != len(self.text):
            return sorted(match.start() for cue in cues for match in re.finditer(re.escape(cue), self.text))
        return [place for place in self.places_of(_lowercase(cues)) if self.text.startswith(cues, place)]

    def matches_near(
        self, cues: CueGroup, expression: re.Pattern[str], back: int, ahead: int
    ) -> Iterator[re.Match[str]]:
        """Yield the matches of an expression near cues in lowercase, each once.

        A match begins at most ``back`` characters before a cue and ends at most ``ahead`` characters behind its begin.
        """
        if len(self.lowered) != len(self.text):
            yield from expression.finditer(self.text)
            return
        yield from self.matches_at(self.places_of(cues), expression, back, ahead)

    def matches_at(
        self, places: Iterable[int], expression: re.Pattern[str], back: int, ahead: int
    ) -> Iterator[re.Match[str]]:
        """Yield the matches of an expression near places in order, as ``matches_near`` does."""
        text, reach = self.text, 0
        for place in places:
            last = min(place + ahead, len(text))
            start = max(reach, place - back)
            while start < last and (match := expression.search(text, start, last)) is not None:
                whole = expression.match(text, match.start())  # text behind the window decides as well
                if whole is not None:
                    yield whole
                start = reach = max(match.end() if whole is None else whole.end(), match.start() + 1)

    def runs_after(self, cues: CueGroup, reach: int) -> list[Interval]:
        """Return the runs of digits that begin at most ``reach`` characters behind where a cue begins.

        Of a text that lowercase letters make longer or shorter it returns all.
        """
        places = self.places_of(cues)
        if not places or len(self.lowered) != len(self.text):
            return self.runs if places else []
        starts = [start for start, _ in self.runs]
        found: list[Interval] = []
        known = 0
        for place in places:
            first = max(known, bisect_left(starts, place))
            known = max(known, bisect_right(starts, place + reach))
            found += self.runs[first:known]
        return found

    @cached_property
    def runs(self) -> list[Interval]:
        """Find the runs of digits."""
        codes = np.frombuffer(self.text.encode("latin-1", "replace"), np.uint8)
        are_digits = codes - np.uint8(ord("0")) < 10  # below "0" they wrap around
        borders = (np.flatnonzero(are_digits[1:] != are_digits[:-1]) + 1).tolist()
        if len(codes) and are_digits[0]:
            borders.insert(0, 0)
        if len(borders) % 2:
            borders.append(len(codes))
        return list(zip(borders[::2], borders[1::2], strict=True))

    @cached_property
    def numbers(self) -> list[Interval]:
        """Find chains of digits, with at most three separators between two of them, of four or more characters."""
        text = self.text
        chains: list[Interval] = []
        first = last = -_MOST_SEPARATORS - 1
        for start, end in self.runs:
            if start - last > _MOST_SEPARATORS or text[last:start].strip(_SEPARATORS):
                if last - first >= _MIN_NUMBER:
                    chains.append((first, last))
                first = start
            last = end
        if last - first >= _MIN_NUMBER:
            chains.append((first, last))
        return chains

    @cached_property
    def clusters(self) -> list[Interval]:
        """Choose the numbers of six or more characters: phone, card and record numbers, numeric dates."""
        return [(start, end) for start, end in self.numbers if end - start >= _MIN_CLUSTER]

    @cached_property
    def lettered(self) -> list[tuple[int, int, "TextScan"]]:
        """Return numbers with letters for digits: where one begins, its first letter in it, and it as digits."""
        return [(start, letter, TextScan(number)) for start, letter, number in read_as_digits(self.text, self.numbers)]

    def find_lettered(self, find: Callable[["TextScan"], Iterable[Interval]]) -> Iterator[Interval]:
        """Yield what a function finds in numbers with letters for digits, once these are read as digits."""
        for begin, letter, scan in self.lettered:
            yield from ((begin + start, begin + end) for start, end in find(scan) if start <= letter < end)


@cache
def _lowercase(cues: CueGroup) -> CueGroup:
    return tuple(map(str.lower, cues))


def last_word(text: str, end: int, width: int, word: re.Pattern[str]) -> int:
    """Return where the longest run that ``word`` matches, read backward from ``end``, begins; at most ``width`` long.

    Reading backward from a rare mark costs nothing where the mark is absent, and is linear where it is frequent.
    """
    backward = text[max(0, end - width) : end][::-1]
    match = word.match(backward)
    return end - match.end() if match else end
