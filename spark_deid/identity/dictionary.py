"""A person's dictionary: what is known of a person finds further mentions in this person's documents.

Names are found in part and misspelled by one letter; codes, postcodes and terms however they are punctuated.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
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
_NO_PARTS = TITLES | PARTICLES | SUFFIXES


class Known(NamedTuple):
    """A value of a person, and the label of the mentions that told it."""

    kind: str
    label: str
    value: str


KINDS = ("name", "code", "postcode", "term")
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
    near = {key: label for part, label in parts.items() if len(part) >= SHORTEST_MISSPELLED for key in _deletions(part)}
    hits = [match for match in _WORD.finditer(text) if match[0][0].isupper() and len(match[0]) >= SHORTEST_PART]
    labels = {word: _label(word, parts, near) for word in {match[0] for match in hits}}
    if not any(labels.values()):
        return
    ordinary = {match[0] for match in _WORD.finditer(text) if match[0].islower()}
    for match in hits:
        label = labels[match[0]]
        if label is not None and match[0].lower() not in ordinary:
            yield match.start(), match.end(), label


def _label(word: str, parts: dict[str, str], near: dict[str, str]) -> str | None:
    word = _plain(word)
    if word in parts or len(word) < SHORTEST_MISSPELLED - 1:
        return parts.get(word)
    close = (near[key] for key in _deletions(word) if key in near)
    return next(close, None) if any(_is_near(word, part) for part in parts) else None


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


def _others(text: str, known: Sequence[Known]) -> Iterator[tuple[int, int, str]]:
    for kind, label, value in known:
        pattern = _pattern(kind, value)
        for match in pattern.finditer(text) if pattern else ():
            yield match.start(), match.end(), label


@lru_cache(maxsize=20_000)
def _pattern(kind: str, value: str) -> re.Pattern[str] | None:
    if kind == "postcode":
        return re.compile(rf"(?<!\w){re.escape(value)}(?:-\d{{4}})?(?!\w)")
    if kind == "code" and len(value) >= SHORTEST_CODE and any(map(str.isdigit, value)):
        return re.compile(r"(?<!\w)" + r"[-./ ]{0,2}".join(map(re.escape, value)) + r"(?!\w)", re.IGNORECASE)
    if kind == "term" and len(value) >= SHORTEST_PART:
        return re.compile(r"(?<!\w)" + r"\W{1,3}".join(map(re.escape, value.split())) + r"(?!\w)", re.IGNORECASE)
    return None
