"""A person's dictionary: what is known of a person finds further mentions in this person's documents.

Names are found in part and misspelled by one letter; codes, postcodes and terms however they are punctuated.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.identity.values.name import PARTICLES, SUFFIXES, TITLES
from spark_deid.identity.values.plain import plain

SOURCE = "identity/dictionary"
SHORTEST_PART = 3
SHORTEST_MISSPELLED = 5
SHORTEST_CODE = 5

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_TOKEN = re.compile(r"[^\W_]+")
_TERM_GAP = re.compile(r"[\W_]{1,3}")
_CODE_GAP = re.compile(r"[-./ _]{1,2}")
_FOUR_DIGITS = re.compile(r"-\d{4}(?![^\W_])")
_NO_PARTS = TITLES | PARTICLES | SUFFIXES


class Known(NamedTuple):
    """A value of a person, and the label of the mentions that told it."""

    kind: str
    label: str
    value: str


KINDS = ("name", "code", "postcode", "city", "term")
"""Kinds of values that are looked for; others, such as ages, are too common."""


def known_mentions(text: str, spans: Iterable[Span], known: Sequence[Known]) -> tuple[Span, ...]:
    """Return where values of a person stand unmarked, in order and disjoint.

    Words of a name must begin with a capital, and stand nowhere in the text in small letters: then they are ordinary.

    >>> known_mentions("Seen: Jhonson", [], [Known("name", "NAME", "johnson, ann")])[0][:3]
    (6, 13, 'NAME')
    """
    taken = sorted((span.start, span.end) for span in spans)
    found = sorted({*_names(text, known), *_others(text, known)}, key=lambda hit: (hit[0], -hit[1]))
    added: list[Span] = []
    reach = place = 0
    for start, end, label in found:
        while place < len(taken) and taken[place][0] < end:
            reach = max(reach, taken[place][1])
            place += 1
        if reach <= start:
            added.append(Span(start, end, label, source=SOURCE))
            reach = end
    return tuple(added)


def parts_of(value: str) -> tuple[str, ...]:
    """Return the words of a name that are looked for by themselves.

    >>> parts_of("de la cruz, ana m")
    ('cruz', 'ana')
    """
    words = value.replace(",", " ").split()
    return tuple(word for word in words if len(word) >= SHORTEST_PART and word not in _NO_PARTS)


def _names(text: str, known: Sequence[Known]) -> Iterator[tuple[int, int, str]]:
    parts = {part: each.label for each in reversed(known) if each.kind == "name" for part in parts_of(each.value)}
    if not parts:
        return
    near: dict[str, list[str]] = {}
    for part in parts:
        for key in _deletions(part) if len(part) >= SHORTEST_MISSPELLED else ():
            near.setdefault(key, []).append(part)
    hits = [match for match in _WORD.finditer(text) if match[0][0].isupper() and len(match[0]) >= SHORTEST_PART]
    labels = {word: _label(word, parts, near) for word in {match[0] for match in hits}}
    if not any(labels.values()):
        return
    ordinary = {match[0] for match in _WORD.finditer(text) if match[0].islower()}
    for match in hits:
        label = labels[match[0]]
        if label is not None and match[0].lower() not in ordinary:
            yield match.start(), match.end(), label


def _label(word: str, parts: Mapping[str, str], near: Mapping[str, Sequence[str]]) -> str | None:
    word = _plain(word)
    if word in parts or len(word) < SHORTEST_MISSPELLED - 1:
        return parts.get(word)
    close = (part for key in _deletions(word) for part in near.get(key, ()) if _is_near(word, part))
    return next((parts[part] for part in close), None)


_plain = lru_cache(maxsize=100_000)(plain)


def _deletions(word: str) -> tuple[str, ...]:
    return (word, *(word[:place] + word[place + 1 :] for place in range(len(word))))


def _is_near(one: str, other: str) -> bool:
    """Tell whether a letter inserted, left out or changed, or two exchanged, makes one word of the other.

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
    """Values that are looked for, with their labels, and how words of a text are brought into their form."""

    labels: Mapping[str, str]
    form: Callable[[str], str]
    gap: re.Pattern[str]
    joint: str

    @property
    def beginnings(self) -> frozenset[str]:
        """Return what values begin with."""
        return frozenset(value[:end] for value in self.labels for end in range(1, len(value) + 1))


def _others(text: str, known: Sequence[Known]) -> Iterator[tuple[int, int, str]]:
    """Look at each word once: what begins with it is looked for among the beginnings of what is known."""
    sought = (_Wanted(_terms(known), _plain, _TERM_GAP, " "), _Wanted(_codes(known), str.upper, _CODE_GAP, ""))
    tokens = list(_TOKEN.finditer(text)) if any(each.labels for each in sought) else []
    for wanted in sought:
        if wanted.labels:
            yield from _standing_in(text, tokens, wanted)


def _standing_in(text: str, tokens: Sequence[re.Match[str]], wanted: _Wanted) -> Iterator[tuple[int, int, str]]:
    begun, forms = wanted.beginnings, [wanted.form(token[0]) for token in tokens]
    for place, token in enumerate(tokens):
        joined, last = forms[place], place
        while joined in begun:
            if joined in wanted.labels:
                end = tokens[last].end()
                yield (
                    token.start(),
                    _with_four_digits(text, end, joined) if wanted.joint else end,
                    wanted.labels[joined],
                )
            last += 1
            if last == len(tokens) or not wanted.gap.fullmatch(text, tokens[last - 1].end(), tokens[last].start()):
                break
            joined += wanted.joint + forms[last]


def _with_four_digits(text: str, end: int, value: str) -> int:
    """Return where a ZIP code ends that four further digits follow; else the end as it is."""
    more = _FOUR_DIGITS.match(text, end) if len(value) == 5 and value.isdigit() else None
    return more.end() if more else end


def _terms(known: Sequence[Known]) -> dict[str, str]:
    """Return terms, cities and postcodes in plain form, with their labels; the first of a value wins."""
    told = ((each.kind, _plain(each.value), each.label) for each in reversed(known))
    return {
        value: label
        for kind, value, label in told
        if kind == "postcode" or (kind in ("term", "city") and len(value) >= SHORTEST_PART)
    }


def _codes(known: Sequence[Known]) -> dict[str, str]:
    codes = (each for each in reversed(known) if each.kind == "code" and len(each.value) >= SHORTEST_CODE)
    return {each.value.upper(): each.label for each in codes if any(map(str.isdigit, each.value))}
