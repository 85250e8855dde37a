"""Words that tell a person's gender where the attribute is hidden: pronouns, titles, gendered nouns; English alone."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from spark_deid.core.span import Span
from spark_deid.identity.words import places_of
from spark_deid.text.visible import visible
from spark_deid.values.gender_words import NOUNS, PRONOUNS, TITLES

LABEL = "GENDERED"
SOURCE = "identity/gendered"

_ANY_CASE = "|".join((*PRONOUNS, *NOUNS))
_AS_WRITTEN = "|".join((*TITLES, *map(str.upper, TITLES)))
_TELLING = re.compile(rf"(?:(?i:{_ANY_CASE})|{_AS_WRITTEN})")
_WORD = re.compile(r"[^\W_]+")
_WITH_SLASH = re.compile(r"(?<![^\W_])s/\Z", re.IGNORECASE)


def gendered_spans(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the words that tell a gender and that no span touches; texts are read as they look (``text.visible``).

    >>> [(each.start, each.end) for each in gendered_spans("Mr. Lee said s/he knows HER2.", [])]
    [(0, 2), (13, 17)]
    """
    shown = visible(text)
    if not shown.is_whole:
        return tuple(map(shown.original, gendered_spans(shown.text, map(shown.inside, spans))))
    taken = sorted((span.start, span.end) for span in spans)
    found, place = [], 0
    reach = 0
    for start, end in sorted(_places(text)):
        while place < len(taken) and taken[place][0] < end:
            reach = max(reach, taken[place][1])
            place += 1
        if reach <= start:
            found.append(Span(start, end, LABEL, source=SOURCE))
    return tuple(found)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each word that tells a gender; each word of a text is looked up once."""
    for word in frozenset(_WORD.findall(text)):
        if _tells(word):
            for start in places_of(text, word):
                yield _start(text, start, word), start + len(word)


@lru_cache(maxsize=100_000)
def _tells(word: str) -> bool:
    return _TELLING.fullmatch(word) is not None


def _start(text: str, start: int, word: str) -> int:
    """Return where a word starts: of "s/he" at its first letter."""
    if word.lower() == "he" and _WITH_SLASH.search(text, max(0, start - 3), start):
        return start - 2
    return start
