"""Names of people, in parts."""

import re
from typing import NamedTuple

from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form, words_of

TITLES = frozenset(
    words_of(
        "mr mrs ms miss mx dr prof sir madam rev hon messrs sr sra srta don dona dna dra doctor doctora professor"
        " profesor profesora md phd rn np do dds pa"
    )
)
SUFFIXES = frozenset(words_of("jr sr ii iii iv esq"))
PARTICLES = frozenset(words_of("de la del las los van von der den di da dos du le y e bin ibn al el st san"))


class PersonName(NamedTuple):
    """Parts of a name in plain form; ``str`` has the family name first.

    >>> str(PersonName("ann", "b", "lee")), str(PersonName("", "", "lee"))
    ('lee, ann b', 'lee')
    """

    given: str = ""
    middle: str = ""
    family: str = ""

    def __str__(self) -> str:
        others = " ".join(part for part in (self.given, self.middle) if part)
        return ", ".join(part for part in (self.family, others) if part)


def read_name(surface: str, locale: ValueLocale) -> str | None:
    """Return a name as ``family, given middle`` in plain form, None where nothing of one is there.

    >>> (
    ...     read_name("Dr. Ann B. Lee", ValueLocale()),
    ...     read_name("Lee, Ann B.", ValueLocale()),
    ...     read_name("Mrs. Lee", ValueLocale()),
    ... )
    ('lee, ann b', 'lee, ann b', 'lee')
    """
    return str(name_of(surface, locale)) or None


def name_of(surface: str, locale: ValueLocale) -> PersonName:
    """Part a name.

    After a comma stand given names. Without one the last word is the family's, with particles before it; in Spanish, of
    three or more, the last two. A single word is a family name.
    """
    family, comma, given = re.sub(r"[’']s\b", "", surface).partition(",")
    others = _words(given)
    if comma and others and not set(plain_form(given).split()) <= SUFFIXES:
        return PersonName(others[0], " ".join(others[1:]), " ".join(_words(family)))
    words = _words(family)
    if len(words) < 2:
        return PersonName(family=" ".join(words))
    first = len(words) - (2 if locale.language == "es" and len(words) > 2 else 1)
    while first > 1 and words[first - 1] in PARTICLES:
        first -= 1
    return PersonName(words[0], " ".join(words[1:first]), " ".join(words[first:]))


def _words(text: str) -> list[str]:
    words = plain_form(text).split()
    while words and words[0] in TITLES:
        words = words[1:]
    while words and words[-1] in TITLES | SUFFIXES:
        words = words[:-1]
    return words
