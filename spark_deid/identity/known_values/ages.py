"""Ages of a person wherever they stand: a known number, in figures or in words, where what is around it says an age.

A number alone is none: "73 mg", "BP 120/73", "for 73 years".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache

from spark_deid.identity.mentions import lowered_alike, starts_of
from spark_deid.values.age import first_words, number_of, words_of_numbers
from spark_deid.values.locale import LANGUAGES
from spark_deid.values.plain import plain_form

Hit = tuple[int, int, str]

_RUN = re.compile(r"\d+")
_NO_AGE_BEFORE = re.compile(r"[^\W_]\Z|\d[.,/:-]\Z|[.,]\Z")
_PART = r"(?:[.,]\d{1,2}(?!\d)|\s?½|\s1/2(?!\d))?"
_YEARS = r"(?:years?|yrs?|años?|anos?)"
_LETTER = r"(?:[mf]|[\s,_-]{0,2}(?:(?-i:[MF])|female|male|fem|masc))(?![^\W\d_])(?!')"
"""A gender right after a number; a small letter apart from it may be a unit."""
_AFTER = re.compile(
    rf"{_PART}(?:[\s_,-]{{0,2}}(?:{_YEARS}\.?[\s_,-]{{0,2}}(?:old|of\s+age|de\s+edad)|y\s?[./]\s?o\.?|yo|yr\.?\s?o)"
    r"(?![^\W\d_])|(?:st|nd|rd|th)[\s-]+(?:birthday|year\s+of\s+life))",
    re.IGNORECASE,
)
_GENDER_AFTER = re.compile(_LETTER, re.IGNORECASE)
_UNIT = re.compile(rf"{_PART}[\s_-]{{0,2}}{_YEARS}(?![^\W_])", re.IGNORECASE)
_LASTS_BEFORE = re.compile(
    r"(?<![^\W_])(?:for|past|last|over|x|every|in|within|after|durante|hace|desde|por|the|cada|of|during|than|about"
    r"|nearly|almost|approximately|some|smoked|smoking|married|worked)\s+\Z",
    re.IGNORECASE,
)
_LASTS_AFTER = re.compile(
    r"\s+(?:ago|later|before|earlier|prior|history|now|and\s+counting|ppd|pack|of\s+(?!age)|hx|experience|duration|since"
    r"|atrás|después|antes|de\s+(?!edad))",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?<![^\W\d_])(?:ages?|aged|age\s+(?:is|of)|turn(?:s|ed|ing)?|edad(?:\s+de)?|años\s+cumplidos|cumpli[oó]|cumple"
    r"|years?\s+of\s+age)(?:[\s:=(_-]{1,3}|\s+(?:now|of|is|was|about|approximately|de)\s+)\Z",
    re.IGNORECASE,
)
_BORN_AGO = re.compile(r"(?<![^\W_])born\s+(?:about\s+|some\s+)?\Z", re.IGNORECASE)
_PATIENT_OF = re.compile(
    r"(?<![^\W_])(?:varón|var[oó]n|hombre|mujer|paciente|niñ[oa]|señora?|anciano|anciana)\s+(?:\w+\s+)?de\s+\Z",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?<![^\W_])(?:(?:s?he|they|who|patient|pt|wife|husband)(?:\s+(?:is|was|just\s+turned)|'s)|(?:i\s+am|i'm)|[eé]l\s+tiene"
    r"|ella\s+tiene|paciente\s+tiene)(?:\s+(?:now|currently|already|only))?\s+\Z",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s*(?:[,;!?)\]]|\.(?!\d)|$)|\s+(?:and|but|now|when|who|years|y|con|with)(?![^\W_])", re.IGNORECASE)
_NO_AGE_AFTER = re.compile(
    r"[.,/:-]\d|\s?(?:%|°|(?:mg|mcg|µg|ug|g|kg|lbs?|ml|l|cc|cm|mm|bpm|mmhg|units?|iu|degrees?|percent|points?|times|minutes"
    r"|min|hours?|days?|weeks?|months?|d[ií]as|horas|meses|semanas|grados)(?![^\W_]))",
    re.IGNORECASE,
)
_SHORTER = re.compile(
    r"[\s_-]{0,2}(?:(months?|mos?|mths?|mes(?:es)?)|(weeks?|wks?|semanas?)|(days?|d[ií]as?))"
    r"[\s_-]{0,2}(?:old|of\s+age|de\s+edad)(?![^\W_])",
    re.IGNORECASE,
)
_PER_YEAR = (12, 52, 365)
_LAST_IN_MONTHS = 4
"""Ages below it are told in months, weeks or days, too."""
_REACH = 32


def find_known_ages(text: str, ages: Mapping[str, str]) -> Iterator[Hit]:
    """Yield where known ages (labels by completed years) stand, with the words that belong to them; the text is folded.

    >>> text = "A 73F, seventy-three years old, turned 73, on 73 mg for 73 years; 18-month-old"
    >>> [text[start:end] for start, end, _ in find_known_ages(text, {"73": "AGE", "1": "AGE"})]
    ['73', 'seventy-three years old', '73', '18-month-old']
    """
    if not ages:
        return
    wanted = {int(age) for age in ages if age.isdecimal()}
    found = {*_numbers(text, wanted), *_numbers_in_words(text, wanted)}
    for start, end, number in sorted(found):
        label = ages.get(str(number))
        if label is not None and (last := _end_of_age(text, start, end)) >= 0:
            yield start, last, label
        elif (shorter := _SHORTER.match(text, end)) and shorter.lastindex:
            label = ages.get(str(number // _PER_YEAR[shorter.lastindex - 1]))
            if label is not None:
                yield start, shorter.end(), label


def _numbers(text: str, wanted: Set[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers in figures that are known, and where infants are, those that may be months, weeks or days."""
    most = max((age + 1 for age in wanted if age < _LAST_IN_MONTHS), default=0) * _PER_YEAR[-1]
    for run in _RUN.finditer(text):
        start, end = run.span()
        if end - start > 4 or ((number := int(run[0])) not in wanted and number > most):
            continue
        if not _NO_AGE_BEFORE.search(text, max(0, start - 2), start):
            yield start, end, number


def _numbers_in_words(text: str, wanted: Set[int]) -> Iterator[tuple[int, int, int]]:
    """Yield known numbers in words, of any language: from where their first word is, as many as stand in a row."""
    lowered = lowered_alike(text)
    for language in LANGUAGES:
        anchors = {word for number in wanted for word in first_words(number, language)}
        for anchor in sorted(anchors):
            for place in starts_of(lowered, anchor):
                match = _number_words(language).match(text, place)
                number = number_of(plain_form(match[0]), language) if match else None
                if match and number is not None and number in wanted:
                    yield *match.span(), number


@cache
def _number_words(language: str) -> re.Pattern[str]:
    words, joints = ("|".join(sorted(each, key=len, reverse=True)) for each in words_of_numbers(language))
    further = rf"(?:[\s-]{{1,2}}(?:{joints}))?[\s-]{{1,2}}(?:{words})"
    return re.compile(rf"(?:{words})(?:{further}){{0,4}}(?![^\W\d_])", re.IGNORECASE)


def _end_of_age(text: str, start: int, end: int) -> int:
    """Return where the age ends that a number begins; -1 where what is around it says none."""
    first = max(0, start - _REACH)
    unit = _UNIT.match(text, end)
    if match := _AFTER.match(text, end):
        return match.end()
    if _GENDER_AFTER.match(text, end):
        return end
    if _NO_AGE_AFTER.match(text, end):
        return -1
    if unit:
        lasts = _LASTS_BEFORE.search(text, first, start) or _LASTS_AFTER.match(text, unit.end())
        entry = _CALLED.search(text, first, start) or _BORN_AGO.search(text, first, start)
        entry = entry or _PATIENT_OF.search(text, first, start)
        return unit.end() if entry or not lasts else -1
    if _CALLED.search(text, first, start):
        return end
    return end if _SUBJECT.search(text, first, start) and _ENDS.match(text, end) else -1


def labels_of_ages(known: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Return the labels of ages by value, of known values (kind, label, value); the first of a value wins."""
    return {value: label for kind, label, value in reversed([*known]) if kind == "age"}
