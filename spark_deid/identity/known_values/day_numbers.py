"""Days of a month as they are written: in figures, and as ordinals or numbers in words, in English and Spanish."""

import re
from functools import cache

from spark_deid.values.plain import plain_form, words_of

_ONES = words_of("first second third fourth fifth sixth seventh eighth ninth")
_TEENS = words_of("tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth")
_ES_SMALL = words_of(
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho"
    " diecinueve veinte veintiuno veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho"
    " veintinueve treinta"
)


@cache
def _in_words() -> dict[str, int]:
    days = {word: number for number, word in enumerate((*_ONES, *_TEENS), 1)} | {"twentieth": 20, "thirtieth": 30}
    days |= {f"twenty {word}": 20 + number for number, word in enumerate(_ONES, 1)} | {"thirty first": 31}
    days |= {word: number for number, word in enumerate(_ES_SMALL, 1)} | {"primero": 1, "treinta y uno": 31}
    return days


_ACCENTED = {"dieciseis": "diecis[eé]is", "veintidos": "veintid[oó]s", "veintitres": "veintitr[eé]s"}
_ACCENTED["veintiseis"] = "veintis[eé]is"


def _written(word: str) -> str:
    return _ACCENTED.get(word, word).replace(" ", r"[\s-]{1,4}")


def _expression() -> str:
    words = "|".join(map(_written, sorted(_in_words(), key=len, reverse=True)))
    return rf"(?<!\d)\d{{1,2}}(?!\d)|(?<![^\W\d_])(?:{words})(?![^\W\d_])"


DAY = _expression()
"""An expression of a day, in figures or in words."""


@cache
def words_of_day(day: int) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return expressions of a day in words, each with the letters that it begins with."""
    words = [word for word, number in _in_words().items() if number == day]
    return tuple((re.compile(rf"{_written(word)}(?![^\W\d_])", re.IGNORECASE), word[:5].split()[0]) for word in words)


def day_number(written: str) -> int:
    """Return the number of a day that ``DAY`` matches.

    >>> day_number("06"), day_number("Twenty-First"), day_number("dieciséis")
    (6, 21, 16)
    """
    return int(written) if written.isdecimal() else _in_words()[plain_form(written)]
