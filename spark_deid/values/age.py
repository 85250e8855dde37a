"""Ages: figures or words, in years, months, weeks or days; completed years are the value."""

import re

from spark_deid.values.locale import ValueLocale
from spark_deid.values.numerals import number_of
from spark_deid.values.plain import plain_form

OLDEST = 125
_WORDS_BEFORE = {
    "en": "aged|age|ages|a|an|the|approximately|approx|about|of|is|now",
    "es": "edad|de|con|una?|aproximadamente",
}
_YEARS = {"en": "years?|yrs?|yr|y|yo", "es": "anos?|a|ano"}
_SHORTER = {
    "en": {"months?|mos?|mths?": 12, "weeks?|wks?|wk": 52, "days?|d": 365, "hours?|hrs?|h": 8760},
    "es": {"mes|meses|m": 12, "semanas?": 52, "dias?|d": 365, "horas?|h": 8760},
}
_AFTER = {"en": "old|of age|age|o|year old", "es": "de edad|edad"}
_OVER = {"en": "over|older than|above|more than|greater than", "es": "mas de|mayor de|mayores de|mas"}
_NEWBORN = {
    "en": ("newborn", "neonate", "new born", "newborn infant"),
    "es": ("recien nacido", "recien nacida", "neonato", "neonata"),
}
_DECIMAL = re.compile(r"(\d+)(?:[.,]\d+| ?½| 1/2)")
_OPEN = re.compile(r"(?:>\s*)(\d+)|(\d+)\s*\+")


def read_age(surface: str, locale: ValueLocale) -> str | None:
    """Return completed years as a number, None where the surface tells no age, or one above OLDEST.

    ``over 89`` is 90; who is under one is 0.

    >>> [read_age(each, ValueLocale()) for each in ("77 year old", "seventy-seven", "18 months", "90+", "over 89")]
    ['77', '77', '1', '90', '90']
    """
    years = _years(surface, locale.language)
    return None if years is None or years > OLDEST else str(years)


def _years(surface: str, language: str) -> int | None:
    if opened := _OPEN.match(surface.strip()):
        return int(opened[1]) + 1 if opened[1] else int(opened[2])
    words = plain_form(_DECIMAL.sub(r"\1", surface).replace("/", ""))
    words = re.sub(r"(\d)([a-z])", r"\1 \2", words)
    if words in _NEWBORN[language]:
        return 0
    words = re.sub(rf"^(?:(?:{_WORDS_BEFORE[language]}) )+", "", words)
    over = re.match(rf"(?:{_OVER[language]}) (.+)$", words)
    if over:
        years = _counted(over[1], language)
        return None if years is None else years + 1
    return _counted(words, language)


def _counted(words: str, language: str) -> int | None:
    """Read a number with a unit; what follows whole years, such as months, is passed over."""
    words = re.sub(rf" (?:{_AFTER[language]})$", "", words)
    match = re.fullmatch(rf"(.+?)(?: (?:{_YEARS[language]})(?: (?:and |y )?\d+ \w+)?)?", words)
    number = number_of(match[1], language) if match else None
    if number is not None:
        return number
    for unit, parts in _SHORTER[language].items():
        shorter = re.fullmatch(rf"(.+?) (?:{unit})", words)
        counted = number_of(shorter[1], language) if shorter else None
        if counted is not None:
            return counted // parts
    return None
