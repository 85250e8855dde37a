"""Ages: numbers that words before or after them call so, in English, Spanish, German and French."""

import re
from collections.abc import Iterator

from spark_deid.text.patterns.lists import LOOK_BACK, is_introduced
from spark_deid.text.patterns.scan import Interval, TextScan
from spark_deid.text.patterns.unlabelled_ages import AFTER_UNLABELLED, unlabelled_age

OLDEST = 125
OVER = 89
"""Ages above it identify by themselves (HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i)(C))."""

_YEARS = re.compile(
    r"(?:[ -]{0,2}(?:years?|yrs?)[ -]{0,2}(?:old|of age)|[ -]?(?:y/o|yo|y\.o\.)|-?jährige?[nrsm]?| ?jahre alt"
    r"| ?años de edad| ?ans d'âge)(?!\w)",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"[ -]{0,2}(?:months?|weeks?|days?)[ -]{0,2}(?:old|of age)(?!\w)", re.IGNORECASE)
_BEGINS = re.compile(r"[ -]{0,2}[yjamwd]", re.IGNORECASE)
"""How everything begins that stands after an age."""
_UNIT = re.compile(r" ?(?:years?|yrs?|años|ans|jahre)(?!\w)", re.IGNORECASE)
_WORDS = frozenset(("age", "aged", "ages", "turned", "turning", "turns", "edad", "alter", "âge", "âgé", "âgée", "agé"))
_PERSONS = re.compile(r"(?:varón|hombre|mujer|paciente|niño|niña|señor|señora|âgée?) de $", re.IGNORECASE)
_CUES = ("age", "turn", "edad", "alter", "âg", "agé", "varón", "hombre", "mujer", "paciente", "pacıente", "ñ")
"""One of them is part of whatever makes an age of a number after it."""
_SUBJECT = re.compile(
    r"(?<!\w)(?:i(?: a|')m|(?:s?he|who|patient)(?: is| was|'s)|(?:ich|er|sie) (?:bin|ist|war)) ", re.IGNORECASE
)
_AFTER_SUBJECT = re.compile(r"[,;!?]|\.? *(?:$|[\r\n)])|\. | (?:and|but|now|when|und|jetzt)(?!\w)")
_SUBJECT_ENDS = ("m ", "M ", "s ", "S ", "n ", "N ", "t ", "T ", "r ", "R ")
"""How every subject ends."""
_LOOK_BACK = 24
_NO_END = re.compile(r"[\w%°]|[.,/:-][0-9]")


def find_ages(scan: TextScan) -> Iterator[Interval]:
    """Find ages: "63-year-old", "63 y/o", "aged 63", "Edad: 63 años", "63-jährige", "18-month-old", "She is 63.".

    And those that no word calls so: "58F with", "58/M", "Ann Lee, 63, of Dover", "Ann Lee (63) of Dover".
    """
    yield from (found for found, _ in _ages(scan))


def find_ages_over_89(scan: TextScan) -> Iterator[Interval]:
    """Find the ages in years above 89 alone."""
    yield from (found for found, years in _ages(scan) if years > OVER)


def _ages(scan: TextScan) -> Iterator[tuple[Interval, int]]:
    """Yield ages with their years, 0 where they are told in months, weeks or days."""
    text = scan.text
    called = set(scan.runs_after(_CUES, LOOK_BACK))
    for run in scan.runs:
        start, end = run
        if end - start > 3 or (start and (text[start - 1].isalnum() or text[start - 1] in ".,/:_")):
            continue
        has_unit = _BEGINS.match(text, end) is not None
        is_stated = text[start - 2 : start] in _SUBJECT_ENDS and _is_statement(text, start, end)
        unlabelled = unlabelled_age(text, start, end) if text[end : end + 2] in AFTER_UNLABELLED else None
        if not (has_unit or run in called or is_stated or unlabelled) or (number := int(text[start:end])) > OLDEST:
            continue
        if has_unit and (match := _YEARS.match(text, end)):
            yield (start, match.end()), number
        elif has_unit and (match := _OTHERS.match(text, end)):
            yield (start, match.end()), 0
        elif run in called and _is_called_age(text, start, end):
            unit = _UNIT.match(text, end)
            yield (start, unit.end() if unit else end), number
        elif is_stated:
            yield run, number
        elif unlabelled:
            yield unlabelled, number


def _is_statement(text: str, start: int, end: int) -> bool:
    """Tell whether a number is all that is said of somebody: "She is 63, works", "I am 41 now"."""
    if _NO_END.match(text, end) or not _AFTER_SUBJECT.match(text, end):
        return False
    before = text[max(0, start - _LOOK_BACK) : start]
    return any(match.end() == len(before) for match in _SUBJECT.finditer(before))


def _is_called_age(text: str, start: int, end: int) -> bool:
    if _NO_END.match(text, end):
        return False
    if is_introduced(text, start, _WORDS):
        return True
    before = text[max(0, start - _LOOK_BACK) : start]
    return _PERSONS.search(before) is not None and _UNIT.match(text, end) is not None
