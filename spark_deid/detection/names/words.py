"""The words of removed names, and the other places of a text where such a word is the name."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from spark_deid.core.span import Span, is_allowed
from spark_deid.core.words import ends_with_title
from spark_deid.text.base_letters import same_letters
from spark_deid.text.gazetteer import is_common_word, is_known_name
from spark_deid.text.visible import visible
from spark_deid.values.name import PARTICLES, SUFFIXES, TITLES

NAMES = "names"
PROPAGATED = f"{NAMES}/propagated"
"""The detector, and the source of its spans."""
FEWEST_LETTERS = 2
ABBREVIATED = 3
"""Letters up to which an uppercase word is an abbreviation, unless its name is uppercase: "ED" does not mean Ed."""
_WORD = re.compile(r"[^\W\d_]+")
_GAP = re.compile(r"[ \xa0]{1,2}|, ?|-|[ \xa0][^\W\d_]\.?[ \xa0]")
"""Text between two words of one name: spaces, a comma, a hyphen, or an initial."""
_NO_NAMES = TITLES | PARTICLES | SUFFIXES

PersonName = tuple[str, ...]
"""The words of a name as ``letters_of`` returns them, in order, without titles, particles and initials."""


class NameWords(NamedTuple):
    """Labels by name, and the words that one of them has all in uppercase letters."""

    labels: Mapping[PersonName, str]
    uppercase: frozenset[str] = frozenset()


class WordPlace(NamedTuple):
    """A word of a name in a text: its offsets, and the word as ``letters_of`` returns it."""

    start: int
    end: int
    word: str


def letters_of(text: str) -> str:
    """Return a text by base letters and without case; a character that has no single such letter is kept.

    >>> letters_of("JOSÉ Pérez"), len(letters_of("Straße İ"))
    ('jose perez', 8)
    """
    if text.isascii():
        return text.lower()
    return text.translate({ord(each): one for each in set(text) if len(one := same_letters(each)) == 1})


def name_words(text: str, spans: Iterable[Span], labels: frozenset[str]) -> NameWords:
    """Return the names that spans of these labels mark in a text; a span that the plan spares marks no name."""
    found: dict[PersonName, str] = {}
    uppercase: set[str] = set()
    for span in spans:
        if span.label in labels and not is_allowed(span.source):
            name, shouted = _name_of(text[span.start : span.end])
            uppercase |= shouted
            if name:
                found[name] = min(span.label, found.get(name, span.label))
    return NameWords(found, frozenset(uppercase))


def merge_names(given: Iterable[NameWords]) -> NameWords:
    """Return the names of several texts of one person as those of one text."""
    labels: dict[PersonName, str] = {}
    uppercase: frozenset[str] = frozenset()
    for each in given:
        uppercase |= each.uppercase
        for name, label in each.labels.items():
            labels[name] = min(label, labels.get(name, label))
    return NameWords(labels, uppercase)


def name_spans(text: str, spans: Sequence[Span], names: NameWords) -> list[Span]:
    """Return spans on the words of names that no span touches, in order.

    A word counts if it begins with an uppercase letter. It is the name unless it is a common word. A common word is the
    name if another word of the same name is next to it, or if a title is before it.
    """
    if not names.labels:
        return []
    looks = visible(text)
    if looks.is_whole:
        return _found(text, spans, names)
    hits = _found(looks.text, [looks.inside(span) for span in spans], names)
    return [looks.original(hit) for hit in hits]


@lru_cache(maxsize=1 << 14)
def _name_of(surface: str) -> tuple[PersonName, frozenset[str]]:
    """Return the words of a surface, and those that are all uppercase; lowercase words only if it has no others."""
    words = [word for word in _WORD.findall(visible(surface).text) if len(word) >= FEWEST_LETTERS]
    words = [word for word in words if word[0].isupper()] or words
    name = tuple(word for word in map(letters_of, words) if word not in _NO_NAMES)
    return name, frozenset(letters_of(word) for word in words if word.isupper())


def _found(text: str, spans: Sequence[Span], names: NameWords) -> list[Span]:
    low = letters_of(text)
    having: dict[str, set[PersonName]] = {}
    for name in names.labels:
        for word in name:
            having.setdefault(word, set()).add(name)
    outside = _without_spans(low, spans)
    if not any(word in outside for word in having):
        return []
    places = sorted(place for word in having if word in low for place in _places(text, low, word, names.uppercase))
    free = _untouched(places, spans)
    if not free:
        return []
    next_to_other = {
        place
        for first, second in pairwise(places)
        if first.word != second.word
        and having[first.word] & having[second.word]
        and _GAP.fullmatch(text, first.end, second.start)
        for place in (first, second)
    }
    return [
        Span(place.start, place.end, min(names.labels[name] for name in having[place.word]), source=PROPAGATED)
        for place in free
        if place in next_to_other or not _is_common(place.word, text, low) or ends_with_title(text, place.start)
    ]


def _without_spans(low: str, spans: Sequence[Span]) -> str:
    """Return the text outside all spans, with a line break for each of them."""
    parts, reach = list[str](), 0
    for start, end in sorted((span.start, span.end) for span in spans if not is_allowed(span.source)):
        if start > reach:
            parts.append(low[reach:start])
        reach = max(reach, end)
    return "\n".join((*parts, low[reach:]))


def _places(text: str, low: str, word: str, uppercase: frozenset[str]) -> Iterable[WordPlace]:
    """Yield where a word is a whole word that begins with an uppercase letter."""
    start, size = low.find(word), len(word)
    while start >= 0:
        end = start + size
        is_whole = not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum())
        is_abbreviation = size <= ABBREVIATED and word not in uppercase and text[start:end].isupper()
        if is_whole and text[start].isupper() and not is_abbreviation:
            yield WordPlace(start, end, word)
        start = low.find(word, end)


def _untouched(places: Sequence[WordPlace], spans: Sequence[Span]) -> list[WordPlace]:
    """Return the places that no span touches; both are gone through in order."""
    found: list[WordPlace] = []
    taken, reach, number = sorted((span.start, span.end) for span in spans if not is_allowed(span.source)), 0, 0
    for place in places:
        while number < len(taken) and taken[number][0] < place.end:
            reach = max(reach, taken[number][1])
            number += 1
        if reach <= place.start:
            found.append(place)
    return found


def _is_common(word: str, text: str, low: str) -> bool:
    """Return whether a word is a common one of English, or no known name and in lowercase letters in the same text."""
    if is_common_word(word):
        return True
    return not is_known_name(word) and re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
