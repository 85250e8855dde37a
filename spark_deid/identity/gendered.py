"""Words that tell a person's gender where the attribute is hidden: pronouns, titles, gendered nouns; English alone."""

import re
from collections.abc import Iterable

from spark_deid.core.span import Span
from spark_deid.identity.gender_words import NOUNS, PRONOUNS, TITLES

LABEL = "GENDERED"
SOURCE = "identity/gendered"

_ANY_CASE = "|".join(sorted((*PRONOUNS, *NOUNS), key=len, reverse=True))
_AS_WRITTEN = "|".join(sorted((*TITLES, *map(str.upper, TITLES)), key=len, reverse=True))
_WORD = re.compile(rf"(?<![^\W_])(?:(?i:s/he|{_ANY_CASE})|{_AS_WRITTEN})(?![^\W_])")


def gendered_spans(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the words that tell a gender and that no span touches.

    >>> [(each.start, each.end) for each in gendered_spans("Mr. Lee said he knows HER2.", [])]
    [(0, 2), (13, 15)]
    """
    taken = sorted((span.start, span.end) for span in spans)
    found, place = [], 0
    reach = 0
    for match in _WORD.finditer(text):
        while place < len(taken) and taken[place][0] < match.end():
            reach = max(reach, taken[place][1])
            place += 1
        if reach <= match.start():
            found.append(Span(match.start(), match.end(), LABEL, source=SOURCE))
    return tuple(found)
