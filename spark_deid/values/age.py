"""Ages: figures or words, in years, months, weeks or days; completed years are the value."""

import re
from functools import cache
from types import MappingProxyType

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form, words_of

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
    """Return completed years as a number, None where the surface shows no age, or one above OLDEST.

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
    """Read a number with a unit; what follows whole years, such as months, is skipped."""
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


# Numbers in words, from zero to 199, in English and Spanish.


_EN_SMALL = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_EN_TENS = words_of("twenty thirty forty fifty sixty seventy eighty ninety")
_ES_SMALL = words_of(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete"
    " dieciocho diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete"
    " veintiocho veintinueve"
)
_ES_TENS = words_of("treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_JOINTS = MappingProxyType({"en": ("and", "a"), "es": ("y",)})


def number_of(text: str, language: str) -> int | None:
    """Return the number that plain words state (see ``plain_form``), None for other words.

    >>> number_of("seventy seven", "en"), number_of("setenta y siete", "es"), number_of("77", "en")
    (77, 77, 77)
    """
    if text.isascii() and text.isdigit():
        return int(text)
    known = _known(language)
    parts = [word for word in text.split() if word not in _JOINTS[language]]
    if not parts or len(parts) > 4 or any(part not in known for part in parts):
        return None
    values = [known[part] for part in parts]
    hundreds = 0
    if 100 in values[:2]:
        place = values.index(100)
        hundreds, values = 100 * (values[0] if place else 1), values[place + 1 :]
    if len(values) == 2 and (values[0] < 20 or values[0] % 10 or not 0 < values[1] < 10):
        return None
    return None if len(values) > 2 or 100 in values else hundreds + sum(values)


def words_of_numbers(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that numbers consist of, and those that join them."""
    return tuple(_known(language)), _JOINTS[language]


@cache
def first_words(number: int, language: str) -> frozenset[str]:
    """Return the words that a number below 200 may begin with, or that are it.

    >>> sorted(first_words(73, "en")), sorted(first_words(101, "en"))
    (['seventy'], ['hundred', 'one'])
    """
    known = _known(language)
    if number >= 100:
        return frozenset(word for word, value in known.items() if value in (1, 100))
    largest = max(value for value in known.values() if value <= number)
    return frozenset(word for word, value in known.items() if value in (number, largest))


@cache
def _known(language: str) -> dict[str, int]:
    if language == "es":
        small = {word: number for number, word in enumerate(_ES_SMALL)} | {"un": 1, "veintiun": 21}
        return small | {word: 10 * ten for ten, word in enumerate(_ES_TENS, 3)} | {"cien": 100, "ciento": 100}
    small = {word: number for number, word in enumerate(_EN_SMALL)}
    return small | {word: 10 * ten for ten, word in enumerate(_EN_TENS, 2)} | {"hundred": 100}
