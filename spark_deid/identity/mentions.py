"""Mentions: spans that tell an attribute of a document's person, with the values that they tell."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from spark_deid.core.span import Span
from spark_deid.identity.settings import Attributed
from spark_deid.values.kinds import read_value
from spark_deid.values.locale import Locale


class Mention(NamedTuple):
    """A span of a label that tells an attribute; ``value`` is None where none could be read."""

    start: int
    end: int
    label: str
    attribute: str
    value: str | None


def mentions_of(
    text: str, spans: Iterable[Span], labels: Mapping[str, Attributed], locale: Locale
) -> Iterator[Mention]:
    """Yield the mentions of a text, each place once for a label, in order.

    >>> labels = {"AGE": Attributed("age", "age")}
    >>> [each.value for each in mentions_of("Aged 77.", [Span(0, 7, "AGE")], labels, Locale())]
    ['77']
    """
    places = {(span.start, span.end, span.label) for span in spans if span.label in labels}
    for start, end, label in sorted(places):
        attribute, kind = labels[label]
        yield Mention(start, end, label, attribute, _read(kind, text[start:end], locale))


@lru_cache(maxsize=200_000)
def _read(kind: str, surface: str, locale: Locale) -> str | None:
    return read_value(kind, surface, locale)
