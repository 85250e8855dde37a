"""A person's dictionary: what is known of a person finds further mentions in this person's documents.

Names are found in part and misspelled by one letter; codes, postcodes and terms however they are punctuated; dates and
ages in their usual forms (``identity.known_values``).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from spark_deid.core.span import Span, merge_places
from spark_deid.identity.known_values.ages import find_known_ages, labels_of_ages
from spark_deid.identity.known_values.dates import find_known_dates, labels_of_dates
from spark_deid.identity.mentions import places_of
from spark_deid.text.patterns.scan import fold_signs
from spark_deid.text.visible import visible
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name import PARTICLES, SUFFIXES, TITLES
from spark_deid.values.plain import plain_form

SOURCE = "identity/dictionary"
SHORTEST_PART = 3
SHORTEST_MISSPELLED = 5
SHORTEST_CODE = 5

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_TOKEN = re.compile(r"[^\W_]+")
_FURTHER_WORD = re.compile(r"[\W_]{1,3}([^\W_]+)")
_FURTHER_PART = re.compile(r"[-./ _]{1,2}([^\W_]+)")
_FOUR_DIGITS = re.compile(r"-\d{4}(?![^\W_])")
_NO_PARTS = TITLES | PARTICLES | SUFFIXES


class KnownValue(NamedTuple):
    """A value of a person, and the label of the mentions that told it."""

    kind: str
    label: str
    value: str


KINDS = ("name", "code", "postcode", "city", "term", "date", "age")
"""Kinds of values that are searched for here; words of genders are ``identity.gendered``'s."""

_ENGLISH = ValueLocale()
_TAKEN = "\ufdd0"
"""Stands where something is edited already: no character of any text, and no part of a date."""


def known_mentions(
    text: str, spans: Iterable[Span], known: Sequence[KnownValue], locale: ValueLocale = _ENGLISH
) -> tuple[Span, ...]:
    """Return where values of a person stand unmarked, in order and disjoint.

    Texts are read as they look (``text.visible``), forms of apostrophes and full-width letters as ASCII's. Words of
    a name must begin with a capital. If they occur anywhere in the text in lowercase, they are ordinary.

    >>> known_mentions("Seen: Jhonson", [], [KnownValue("name", "NAME", "johnson, ann")])[0][:3]
    (6, 13, 'NAME')
    """
    shown = visible(text)
    if not shown.is_whole:
        inside = known_mentions(shown.text, map(shown.inside, spans), known, locale)
        return tuple(map(shown.original, inside))
    text = fold_signs(text)
    taken = merge_places((span.start, span.end) for span in spans)
    hits = {*_names(text, known), *_others(text, known), *_dates_and_ages(text, taken, known, locale)}
    added: list[Span] = []
    reach = place = 0
    for start, end, label in sorted(hits, key=lambda hit: (hit[0], -hit[1], hit[2])):
        while place < len(taken) and taken[place][1] <= start:
            place += 1
        if reach <= start and (place == len(taken) or end <= taken[place][0]):
            added.append(Span(start, end, label, source=SOURCE))
            reach = end
    return tuple(added)


def _dates_and_ages(
    text: str, taken: Sequence[tuple[int, int]], known: Sequence[KnownValue], locale: ValueLocale
) -> Iterator[tuple[int, int, str]]:
    """Search for dates and ages in a text, and in what is not edited of it: of "6 March 1951" the year may be."""
    dates, ages = labels_of_dates(known), labels_of_ages(known)
    if not (dates or ages):
        return
    borders = [0, *(place for piece in taken for place in piece), len(text)]
    pieces = (
        text[start:end] if at % 2 == 0 else _TAKEN * (end - start) for at, (start, end) in enumerate(pairwise(borders))
    )
    for each in {text, "".join(pieces)}:
        yield from find_known_dates(each, dates, locale)
        yield from find_known_ages(each, ages)


def parts_of(value: str) -> tuple[str, ...]:
    """Return the words of a name that are searched for separately.

    >>> parts_of("de la cruz, ana m")
    ('cruz', 'ana')
    """
    return tuple(word for word in _words_of(value) if len(word) >= SHORTEST_PART and word not in _NO_PARTS)


def _words_of(value: str) -> list[str]:
    return value.replace(",", " ").split()


def _names(text: str, known: Sequence[KnownValue]) -> Iterator[tuple[int, int, str]]:
    """Look at each word of a text once, and for the places of those only that a name has."""
    parts = {part: each.label for each in reversed(known) if each.kind == "name" for part in parts_of(each.value)}
    if not parts:
        return
    near = _Near(parts)
    short = frozenset(word for each in known if each.kind == "name" for word in _words_of(each.value)) - parts.keys()
    words = frozenset(_WORD.findall(text))
    uppercase = [word for word in words if word[0].isupper() and len(word) >= SHORTEST_PART]
    labels = {word: label for word in uppercase if (label := _label_of(word, near, short)) is not None}
    ordinary = {word for word in words if labels and word.islower()}
    for word, label in labels.items():
        if word.lower() not in ordinary:
            for start in _places_of_word(text, word):
                yield start, start + len(word), label


def _label_of(word: str, near: "_Near", short: Set[str]) -> str | None:
    """Return the label of a part of a name that a word is; of ``O'Brien`` both words must be the name's."""
    form = _plain(word)
    first, _, second = form.partition(" ")
    return near.label(second if second and first in short else form)


def _places_of_word(text: str, word: str) -> Iterator[int]:
    """Yield where a word is separate; what is before it is read from where no word can reach over, once."""
    reach = 0
    place = text.find(word)
    while place >= 0:
        if place >= reach:
            begin = place
            while begin > reach and (text[begin - 1] in "'’" or text[begin - 1].isalnum()):
                begin -= 1
            match = next(each for each in _WORD.finditer(text, begin) if each.end() > place)
            reach = match.end()
            if match.start() == place and match[0] == word:
                yield place
        place = text.find(word, max(place + 1, reach))


class _Near:
    """Parts of names with their labels, by what remains of each without one of its letters."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        self.labels = labels
        self.parts: dict[str, list[str]] = {}
        long = [part for part in labels if len(part) >= SHORTEST_MISSPELLED]
        for part in long:
            for key in _deletions(part):
                self.parts.setdefault(key, []).append(part)
        self.first, self.last = frozenset(part[0] for part in long), frozenset(part[-1] for part in long)

    def label(self, word: str) -> str | None:
        """Return the label of a part that is a word or is near it: then both begin or both end with one letter."""
        if word in self.labels or len(word) < SHORTEST_MISSPELLED - 1:
            return self.labels.get(word)
        if word[0] not in self.first and word[-1] not in self.last:
            return None
        close = (part for key in _deletions(word) for part in self.parts.get(key, ()) if _is_near(word, part))
        return next((self.labels[part] for part in close), None)


_plain = lru_cache(maxsize=100_000)(plain_form)


def _deletions(word: str) -> tuple[str, ...]:
    return (word, *(word[:place] + word[place + 1 :] for place in range(len(word))))


def _is_near(one: str, other: str) -> bool:
    """Return whether a letter inserted, omitted or changed, or two exchanged, makes one word of the other.

    >>> _is_near("jhonson", "johnson"), _is_near("jansen", "johnson")
    (True, False)
    """
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < SHORTEST_MISSPELLED - 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    if len(a) == len(b):
        return a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
    return a[1:] == b or a == b[1:]


class _Wanted(NamedTuple):
    """Values that are searched for, with their labels, and the function that gives words of a text their form.

    ``further`` finds the next word of a value; ``joint`` is between words in its form.
    """

    labels: Mapping[str, str]
    form: Callable[[str], str]
    further: re.Pattern[str]
    joint: str

    @property
    def beginnings(self) -> frozenset[str]:
        """Return what values begin with: whole words, or anything where words are joined by nothing."""
        ends = ((value, end) for value in self.labels for end in range(1, len(value) + 1))
        return frozenset(value[:end] for value, end in ends if value.startswith(self.joint, end) or end == len(value))


def _others(text: str, known: Sequence[KnownValue]) -> Iterator[tuple[int, int, str]]:
    """Look at each word once: what begins with it is searched for among the beginnings of what is known."""
    sought = (_Wanted(_terms(known), _plain, _FURTHER_WORD, " "), _Wanted(_codes(known), str.upper, _FURTHER_PART, ""))
    tokens = frozenset(_TOKEN.findall(text)) if any(each.labels for each in sought) else frozenset()
    for wanted in sought:
        if wanted.labels:
            yield from _occurrences_in(text, tokens, wanted)


def _occurrences_in(text: str, tokens: Iterable[str], wanted: _Wanted) -> Iterator[tuple[int, int, str]]:
    begun = wanted.beginnings
    for token in tokens:
        form = wanted.form(token)
        if form in begun:
            for start in places_of(text, token):
                yield from _from(text, start, start + len(token), form, begun, wanted)


def _from(
    text: str, start: int, end: int, joined: str, begun: Set[str], wanted: _Wanted
) -> Iterator[tuple[int, int, str]]:
    """Yield the values that begin with a word, the further words of which follow it."""
    while joined in begun:
        if joined in wanted.labels:
            last = _with_four_digits(text, end, joined) if wanted.joint else end
            yield start, last, wanted.labels[joined]
        further = wanted.further.match(text, end)
        if further is None:
            break
        joined, end = f"{joined}{wanted.joint}{wanted.form(further[1])}", further.end()


def _with_four_digits(text: str, end: int, value: str) -> int:
    """Return where a ZIP code ends that four further digits follow; else the end as it is."""
    more = _FOUR_DIGITS.match(text, end) if len(value) == 5 and value.isdigit() else None
    return more.end() if more else end


def _terms(known: Sequence[KnownValue]) -> dict[str, str]:
    """Return terms, cities and postcodes in plain form, with their labels; the first of a value wins."""
    results = ((each.kind, _plain(each.value), each.label) for each in reversed(known))
    return {
        value: label
        for kind, value, label in results
        if kind == "postcode" or (kind in ("term", "city") and len(value) >= SHORTEST_PART)
    }


def _codes(known: Sequence[KnownValue]) -> dict[str, str]:
    codes = (each for each in reversed(known) if each.kind == "code" and len(each.value) >= SHORTEST_CODE)
    return {each.value.upper(): each.label for each in codes if any(map(str.isdigit, each.value))}
