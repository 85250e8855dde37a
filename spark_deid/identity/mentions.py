"""Mentions: spans that show an attribute of a document's person, with the values that they show."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from spark_deid.core.span import Span, merge_places
from spark_deid.identity.settings import LabelAttribute
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale


class AttributeMention(NamedTuple):
    """A span of a label that shows an attribute; ``value`` is None where none could be read."""

    start: int
    end: int
    label: str
    attribute: str
    value: str | None


def mentions_of(
    text: str,
    spans: Iterable[Span],
    labels: Mapping[str, LabelAttribute],
    locale: ValueLocale,
    staying: Collection[str] = (),
) -> Iterator[AttributeMention]:
    """Yield the mentions of a text, each place once for a label, in order.

    Text of labels that are ``staying`` in the text states what spans of all other labels leave of it.

    >>> labels = {"AGE": LabelAttribute("age", "age"), "ILL": LabelAttribute("illness", "term")}
    >>> [each.value for each in mentions_of("Aged 77.", [Span(0, 7, "AGE")], labels, ValueLocale())]
    ['77']
    >>> spans = [Span(0, 8, "ILL"), Span(0, 3, "NAME"), Span(1, 3, "ILL")]
    >>> [each.value for each in mentions_of("Ann's ill", spans, labels, ValueLocale(), {"ILL"})]
    ['s il', None]
    """
    marked = tuple(spans)
    places = {(span.start, span.end, span.label) for span in marked if span.label in labels}
    edited = merge_places((span.start, span.end) for span in marked if span.label not in staying) if staying else []
    for start, end, label in sorted(places):
        attribute, kind = labels[label]
        surface = _unedited(text, start, end, edited) if label in staying else text[start:end]
        yield AttributeMention(start, end, label, attribute, _read(kind, surface, locale) if surface else None)


def _unedited(text: str, start: int, end: int, edited: Sequence[tuple[int, int]]) -> str:
    """Return what edited places, disjoint and in order, leave of a place; nothing where no letter or digit remains."""
    pieces = []
    at = bisect_right(edited, start, key=itemgetter(1))
    while at < len(edited) and edited[at][0] < end:
        pieces.append(text[start : edited[at][0]])
        start = edited[at][1]
        at += 1
    pieces.append(text[start:end])
    left = " ".join(filter(None, pieces))
    return left if any(map(str.isalnum, left)) else ""


@lru_cache(maxsize=200_000)
def _read(kind: str, surface: str, locale: ValueLocale) -> str | None:
    return read_value(kind, surface, locale)


# Where a word is in a text.


def places_of(text: str, word: str) -> Iterator[int]:
    """Yield where a word of letters and digits stands that no other letter or digit touches.

    >>> list(places_of("he, she; he_", "he"))
    [0, 9]
    """
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not text[end : end + 1].isalnum() and (not place or not text[place - 1].isalnum()):
            yield place
        place = text.find(word, end)


def starts_of(lowered: str, word: str) -> Iterator[int]:
    """Yield where a word of letters begins that no letter is before.

    >>> list(starts_of("march, demarch, 6march", "mar"))
    [0, 17]
    """
    place = lowered.find(word)
    while place >= 0:
        if not place or not lowered[place - 1].isalpha():
            yield place
        place = lowered.find(word, place + 1)


def lowered_alike(text: str) -> str:
    """Return a text in lowercase, as long as it was: a letter remains that would become several."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(small if len(small := each.lower()) == 1 else each for each in text)
