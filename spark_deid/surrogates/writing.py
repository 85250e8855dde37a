"""Write surrogates in the form of a mention: its titles, marks, order and uppercase letters."""

from collections.abc import Mapping

from spark_deid.surrogates.assigning import FAMILIES
from spark_deid.surrogates.reading import Parts, ValuePart
from spark_deid.surrogates.scoped import AssignedText
from spark_deid.values.plain import plain_form

_IN_SHAPE = ("code", "mac", "ip6", "reserved ssn", "reserved card", "reserved iban")
"""Pools whose surrogates have a letter or figure for each."""


def write_mention(surface: str, parts: Parts, surrogates: Mapping[tuple[str, str], AssignedText]) -> str | None:
    """Return a mention with the surrogates of its parts; None where one has none.

    >>> from spark_deid.surrogates.reading import read_mention
    >>> from spark_deid.values.locale import ValueLocale
    >>> surface = "Dr. SMITH's"
    >>> parts = read_mention("name", surface, ValueLocale())
    >>> write_mention(surface, parts, {("word", "smith"): AssignedText("word", "smith", "Keller")})
    "Dr. KELLER's"
    """
    written: list[str] = []
    position = 0
    for part in parts:
        surrogate = surrogates.get((FAMILIES[part.pool], part.value))
        if surrogate is None or surrogate.text is None:
            return None
        written += (surface[position : part.start], _written(surface[part.start : part.end], part, surrogate.text))
        position = part.end
    return "".join((*written, surface[position:]))


def _written(was: str, part: ValuePart, new: str) -> str:
    if part.pool in _IN_SHAPE:
        return _in_shape(was, new)
    if part.pool == "reserved mac":  # it has letters where others have figures
        return _in_shape(was, new.lower() if any(map(str.islower, was)) else new)
    if part.pool in ("figures", "reserved phone"):
        drawn = iter(new)
        return "".join(next(drawn) if each.isascii() and each.isdigit() else each for each in was)
    if part.is_ascii:
        new = plain_form(new) if part.pool != "reserved host" else new
    return _in_case(was, new)


def _in_shape(was: str, new: str) -> str:
    """Write letters and figures in the places of others, letters in their case."""
    drawn = iter(new)
    return "".join(_as(character, next(drawn)) if _counts(character) else character for character in was)


def _counts(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _as(was: str, new: str) -> str:
    return new.lower() if was.islower() else new


def _in_case(was: str, new: str) -> str:
    if was.isupper() and (len(was) > 1 or len(new) == 1):
        return new.upper()
    return new.lower() if was.islower() else new
