"""Numbers in words, from zero to 199, in English and Spanish."""

from functools import cache
from types import MappingProxyType

from spark_deid.values.plain import words_of

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
    """Return the number that plain words say (see ``plain_form``), None where they say none.

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
    """Return the words that numbers are made of, and those that join them."""
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
