"""Mentions: spans that tell an attribute of a document's person, with the values that they tell."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.identity.settings import LabelAttribute
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import ValueLocale


class AttributeMention(NamedTuple):
    """A span of a label that tells an attribute; ``value`` is None where none could be read."""

    start: int
    end: int
    label: str
    attribute: str
    value: str | None


def mentions_of(
    text: str, spans: Iterable[Span], labels: Mapping[str, LabelAttribute], locale: ValueLocale
) -> Iterator[AttributeMention]:
    """Yield the mentions of a text, each place once for a label, in order.

    >>> labels = {"AGE": LabelAttribute("age", "age")}
    >>> [each.value for each in mentions_of("Aged 77.", [Span(0, 7, "AGE")], labels, ValueLocale())]
    ['77']
    """
    places = {(span.start, span.end, span.label) for span in spans if span.label in labels}
    for start, end, label in sorted(places):
        attribute, kind = labels[label]
        yield AttributeMention(start, end, label, attribute, _read(kind, text[start:end], locale))


@lru_cache(maxsize=200_000)
def _read(kind: str, surface: str, locale: ValueLocale) -> str | None:
    return read_value(kind, surface, locale)
