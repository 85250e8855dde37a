"""Words that show a gender where the attribute is hidden: pronouns, titles, nouns, letters; English only."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from spark_deid.core.span import Span
from spark_deid.identity.mentions import places_of
from spark_deid.text.patterns.scan import fold_signs
from spark_deid.text.visible import visible
from spark_deid.values.gender_words import ADDRESSES, BEFORE_NAMES, NOUNS, PRONOUNS, TITLES
from spark_deid.values.plain import plain_form

LABEL = "GENDERED"
SOURCE = "identity/gendered"

_ANY_CASE = frozenset((*PRONOUNS, *ADDRESSES, *NOUNS))
_PLURALS = frozenset(
    plural
    for noun in NOUNS
    for plural in (f"{noun}s", f"{noun}es", f"{noun[:-1]}ies", *([f"{noun[:-2]}en"] if noun.endswith("man") else ()))
) | {"wives"}
_AS_WRITTEN = frozenset((*TITLES, *map(str.upper, TITLES)))
_WORD = re.compile(r"[^\W_]+")
_WITH_SLASH = re.compile(r"(?<![^\W_])s/\Z", re.IGNORECASE)
_NAME_AFTER = re.compile(r"\.?[^\S\n]{1,2}(?:[^\W\d_a-z]|\[)")
_ADDRESS = re.compile(r"(?<![^\W_])ma['’]am(?![^\W_])", re.IGNORECASE)

_UNIT = r"(?:[\s_-]{0,2}(?:years?|yrs?)\.?(?:[\s_-]{0,2}old)?|[\s_-]{0,2}y[./]?\s?o\.?)"
_AGE = r"(?:\d{1,3})"
_NO_LETTER = r"(?![^\W_])(?!['’.]\w)"
_LETTERS = (
    re.compile(rf"{_AGE}{_UNIT}[\s,;/_-]{{0,3}}([MFmf]){_NO_LETTER}", re.IGNORECASE),
    re.compile(rf"{_AGE}[\s,;/_-]{{0,3}}([MF]){_NO_LETTER}"),
    re.compile(rf"{_AGE}([mf]){_NO_LETTER}"),
    re.compile(rf"(?i:sex|gender|sexo)(?:\s?(?i:is|at\s+birth|assigned))?[\s:=/(_-]{{1,4}}([MFmf]){_NO_LETTER}"),
    re.compile(r"\(([MF])(?=[),/;])"),
    re.compile(r"([MF])\s?/\s?\d{1,3}(?![\d.,]?\d)(?![^\W_])"),
)
"""Letters that show a gender: after an age, after "sex", in brackets, before an age. Each begins with what is rare."""
_DIGITS = re.compile(r"\d{1,3}")
_DEGREES = re.compile(r"(?:temp(?:erature)?|t|tmax|tm|fever(?:\s+of)?)[\s:=]{0,3}\Z|\d[.,]\Z", re.IGNORECASE)
_REACH = 16
_FIRST_DEGREES = 94
"""From here to 110 a number before F may be a temperature."""


def gendered_spans(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the words that show a gender and that no span touches; texts are read as they look (``text.visible``).

    >>> [(each.start, each.end) for each in gendered_spans("Mr. Lee, 54M, said s/he knows HER2.", [])]
    [(0, 2), (11, 12), (19, 23)]
    """
    shown = visible(text)
    if not shown.is_whole:
        return tuple(map(shown.original, gendered_spans(shown.text, map(shown.inside, spans))))
    taken = sorted((span.start, span.end) for span in spans)
    found, place = [], 0
    reach = 0
    for start, end in sorted({*_places(text)}):
        while place < len(taken) and taken[place][0] < end:
            reach = max(reach, taken[place][1])
            place += 1
        if reach <= start:
            found.append(Span(start, end, LABEL, source=SOURCE))
    return tuple(found)


def _places(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each word that shows a gender; each word of a text is looked up once."""
    for word in frozenset(_WORD.findall(text)):
        if _tells(word):
            for start in places_of(text, word):
                yield _start(text, start, word), start + len(word)
        elif word in BEFORE_NAMES:
            for start in places_of(text, word):
                if _NAME_AFTER.match(text, start + len(word)):
                    yield start, start + len(word)
    yield from (match.span() for match in _ADDRESS.finditer(text))
    yield from _letters(fold_signs(text))


def _letters(text: str) -> Iterator[tuple[int, int]]:
    for pattern in _LETTERS:
        for match in pattern.finditer(text):
            before = text[match.start() - 1 : match.start()]
            if before.isalnum() or _may_be_degrees(text, match):
                continue
            yield match.span(1)


def _may_be_degrees(text: str, match: re.Match[str]) -> bool:
    digits = _DIGITS.match(match[0])
    if not digits or "y" in match[0].lower():
        return False
    first = max(0, match.start() - _REACH)
    return (match[1] in "fF" and _FIRST_DEGREES <= int(digits[0]) <= 110) or bool(
        _DEGREES.search(text, first, match.start())
    )


@lru_cache(maxsize=100_000)
def _tells(word: str) -> bool:
    if word in _AS_WRITTEN:
        return True
    small = plain_form(word)
    return small in _ANY_CASE or small in _PLURALS


def _start(text: str, start: int, word: str) -> int:
    """Return where a word starts: of "s/he" at its first letter."""
    if word.lower() == "he" and _WITH_SLASH.search(text, max(0, start - 3), start):
        return start - 2
    return start
