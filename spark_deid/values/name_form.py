"""Names of people as they are written: where their parts occur, so that other names can be written in their place."""

import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from spark_deid.values.locale import ValueLocale
from spark_deid.values.name import PARTICLES, SUFFIXES, TITLES
from spark_deid.values.plain import plain_form, words_of

LONGEST = 120
"""A surface of more characters is not a name."""
NameRole = Literal["given", "family", "initial"]
LATIN = r"A-Za-zªºÀ-ÖØ-öø-ɏ\u0300-\u036fḀ-ỿ"
"""Characters of words in Latin letters, marks that combine with them among these."""
_WORD = re.compile(f"[{LATIN}]+")
_BETWEEN = re.compile(r"[\s.,;:'’‘`´ʼ()\[\]\"“”&/\-‐‑–]*")
_POSSESSIVE = re.compile(r"['’ʼ´`]\Z")
_APOSTROPHE = re.compile(r"['’ʼ´`]")
_HYPHEN = re.compile(r"\s?[-‐‑–]\s?")
_TITLES = TITLES | frozenset(
    words_of(
        "drs dres lic ing sres sras herr frau hr fr prof frl monsieur madame mme mlle mm me signor signora sig dott"
        " dottoressa dottssa avv senhor senhora exmo exma dhr mevr mw meneer mevrouw patient paciente brother sister"
        " father mister missus enf enfermera nurse capt lt sgt col"
    )
)
_CREDENTIALS = frozenset(words_of("md phd rn np do dds pa mph ms dnp lpn facs esq mba bsc msc")) | SUFFIXES
_NAMES_TOO = (_CREDENTIALS - {"ms"}) | frozenset(words_of("don dona hon fr ing sig col enf capt"))
"""Titles that are names as well."""
_SAFE_PARTICLES = frozenset(words_of("de la del las los von der den dos das des della delle af zu zum zur bin ibn el"))
"""Particles that are hardly ever names, however they are written."""
_PARTICLES = PARTICLES | _SAFE_PARTICLES | frozenset(words_of("di da do d l lo ten ter te het 't"))
_JOINTS = MappingProxyType(
    {
        "en": ("and", "or"),
        "es": ("y", "e", "o"),
        "de": ("und",),
        "fr": ("et",),
        "it": ("e",),
        "pt": ("e",),
        "nl": ("en",),
    }
)
"""Small words that join names, by language."""


class NameWord(NamedTuple):
    """A word of a name that states who it is: where it occurs, what it is, and itself in plain form."""

    start: int
    end: int
    role: NameRole
    value: str


class _Word(NamedTuple):
    start: int
    end: int
    text: str


def read_name_form(surface: str, locale: ValueLocale) -> tuple[NameWord, ...] | None:
    """Return the words of a name that state who it is, in order; titles, particles and degrees do not.

    Of what may be a title or a name, such as ``Do``, it is taken for a name unless its place or writing state
    otherwise. None where the surface has no such word, or anything but words in Latin letters and the marks of names.

    >>> [word.role for word in read_name_form("Dr. SMITH-JONES, John Q., MD", ValueLocale())]
    ['family', 'family', 'given', 'initial']
    >>> read_name_form("user17", ValueLocale()) is None, read_name_form("Dr.", ValueLocale()) is None
    (True, True)
    """
    if len(surface) > LONGEST:
        return None
    words = [_Word(match.start(), match.end(), match[0]) for match in _WORD.finditer(surface)]
    ends, starts = [0, *(word.end for word in words)], [*(word.start for word in words), len(surface)]
    if not all(_BETWEEN.fullmatch(surface, end, start) for end, start in zip(ends, starts, strict=True)):
        return None
    found = [each for person in _persons(surface, words, locale) for each in _read(surface, person, locale)]
    return tuple(found) if found else None


def _persons(surface: str, words: Sequence[_Word], locale: ValueLocale) -> Iterator[list[_Word]]:
    """Part names that are joined by ``and`` or a sign."""
    own: list[_Word] = []
    for number, word in enumerate(words):
        between = surface[own[-1].end : word.start] if own else ""
        is_joint = 0 < number < len(words) - 1 and word.text in _JOINTS.get(locale.language, ())
        if is_joint or any(sign in between for sign in "&/;"):
            yield own
            own = []
        if not is_joint:
            own.append(word)
    yield own


def _read(surface: str, words: list[_Word], locale: ValueLocale) -> Iterator[NameWord]:
    disclosing = _telling(surface, words, locale)
    if not disclosing:
        return
    comma = next(
        (n for n in range(1, len(disclosing)) if "," in surface[disclosing[n - 1].end : disclosing[n].start]), 0
    )
    units = _units(surface, disclosing)
    lasts = 2 if locale.language in ("es", "pt") and len(units) > 2 else 1
    for number, unit in enumerate(units):
        family = unit[0].start < disclosing[comma].start if comma else number >= len(units) - lasts
        for word in unit:
            role: NameRole = "family" if family else "given"
            if len(plain_form(word.text)) == 1:
                role = "initial"
            yield NameWord(word.start, word.end, role, plain_form(word.text))


def _units(surface: str, words: Sequence[_Word]) -> list[list[_Word]]:
    """Join what hyphens join."""
    units: list[list[_Word]] = []
    for word in words:
        if units and _HYPHEN.fullmatch(surface, units[-1][-1].end, word.start):
            units[-1].append(word)
        else:
            units.append([word])
    return units


def _telling(surface: str, words: list[_Word], locale: ValueLocale) -> list[_Word]:
    """Omit titles before a name, what represents degrees after it, particles in it, and the s of a possessive."""
    if words and words[-1].text.lower() == "s" and _POSSESSIVE.search(surface[: words[-1].start]):
        words = words[:-1]
    while len(words) > 1 and plain_form(words[0].text) in _TITLES and _is_title(surface, words[0], locale):
        words = words[1:]
    while len(words) > 1 and (number := _credentials(surface, words)):
        words = words[:-number]
    if len(words) == 1 and plain_form(words[0].text) in _TITLES and _ends_with_dot(surface, words[0]):
        return []
    return [word for number, word in enumerate(words) if not _goes_with_name(surface, words, number)]


def _is_title(surface: str, word: _Word, locale: ValueLocale) -> bool:
    """Return whether a first word that may be a title is one: what is a name as well has a dot then."""
    title = plain_form(word.text)
    is_don = title in ("don", "dona") and locale.language in ("es", "it", "pt")
    return title not in _NAMES_TOO or is_don or _ends_with_dot(surface, word)


def _credentials(surface: str, words: Sequence[_Word]) -> int:
    """Return how many of the last words are a degree or a suffix, which is in uppercase, or after a comma."""
    last, word = words[-1], plain_form(words[-1].text)
    if word not in _CREDENTIALS:
        return 2 * _is_spelled(surface, words)
    others_are_uppercase = all(each.text.isupper() for each in words[:-1] if len(each.text) > 1)
    after_comma = "," in surface[words[-2].end : last.start] and len(words) > 2
    is_one = after_comma or (last.text.isupper() and not others_are_uppercase) or word in ("jr", "sr", "phd")
    return int(is_one)


def _is_spelled(surface: str, words: Sequence[_Word]) -> bool:
    """Return whether the last two words are a degree with dots, such as M.D."""
    if len(words) < 3 or surface[words[-2].end : words[-1].start] != "." or len(words[-1].text + words[-2].text) > 4:
        return False
    return (
        plain_form(words[-2].text + words[-1].text) in _CREDENTIALS and "," in surface[words[-3].end : words[-2].start]
    )


def _ends_with_dot(surface: str, word: _Word) -> bool:
    return surface[word.end : word.end + 1] == "."


def _goes_with_name(surface: str, words: Sequence[_Word], number: int) -> bool:
    """Tell whether a word goes with the name beside it: ``van``, ``de la``, the O of O'Brien, ``Jr`` before a comma."""
    word = words[number]
    if number and plain_form(word.text) in ("jr", "sr"):
        return True
    if number + 1 >= len(words):
        return False
    following = words[number + 1]
    between = surface[word.end : following.start]
    if len(between) == 1 and _APOSTROPHE.match(between) and len(word.text) <= 4:
        return True
    name = plain_form(word.text)
    if name not in _PARTICLES or between.strip():
        return False
    if word.text.islower():
        return True
    return name in _SAFE_PARTICLES and (number > 0 or len(words) > 2)
