"""Read a mention: which parts of it say something, and what; all else of it is form and stays."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Literal, NamedTuple

from spark_deid.surrogates.check_digits import scheme_of
from spark_deid.surrogates.generic_words import GENERIC
from spark_deid.surrogates.reserved_ranges import has_range
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name_form import LATIN, read_name_form
from spark_deid.values.plain import plain
from spark_deid.values.state import read_state

LONGEST = 200
"""A surface of more characters is not read."""
# fmt: off
Pool = Literal[
    "given", "family", "initial", "city", "state", "organization",
    "code", "figures", "age", "ip", "ip6", "mac", "reserved phone", "reserved host", "reserved ip", "reserved ip6",
    "reserved mac", "reserved ssn", "reserved card", "reserved iban",
]
# fmt: on
"""What a surrogate is drawn from."""
WORD_POOLS = frozenset(("given", "family", "initial", "city", "state", "organization"))
"""Those whose values are words: one word is one value in all of them."""


class ValuePart(NamedTuple):
    """A part of a mention that gives way: where it stands in the surface, what its surrogate is drawn from, its value.

    ``is_ascii`` tells that its surrogate is written in ASCII's letters.
    """

    start: int
    end: int
    pool: Pool
    value: str
    is_ascii: bool = False


Parts = tuple[ValuePart, ...]
_WORD = re.compile(f"[{LATIN}]+")
_PIECE = re.compile(f"[{LATIN}]+|[0-9]+")
_PLACE = re.compile(f"[{LATIN}]+(?:[ .'’-]+[{LATIN}]+)*")
_PLAIN_MARKS = re.compile(r"[\s.,;:'’‘`´()\[\]\"“”&/#\-‐‑–@_+%=?~º°ª*|]*")
_SPACE_MARKS = re.compile(r"[\s,;/()&.]*")
_CODE = re.compile(r"[A-Za-z0-9]")
_CODE_SHAPE = re.compile(r"[\x21-\x7e\sº°ª‐‑–]+")
_LED_BY = re.compile(
    r"\s*(?:(?:mrn|ssn|id|no|nr|num|number|acct|account|nhc|nhs|dni|nif|nie|bsn|iban|tel|tfno|telephone|phone|fax|ext|pager"
    r"|cell|mobile|zip|cp|n[º°o]|#)(?![A-Za-z0-9])[\s.:#º°]*)+(?=[A-Za-z0-9(+])",
    re.IGNORECASE,
)
_COUNTRY_CODE = re.compile(r"[\s(]*(?:\+|00)[0-9]{1,3}[\s./)-]+(?=[\s(]*[0-9])")
_PHONE_WORDS = re.compile(r"(?:ext|extension|x|int|interno|poste|durchwahl|pager|beeper|or|o|y|and)", re.IGNORECASE)
_CITIES_TOO = ("new york", "washington")
_NUMBER = re.compile(r"[0-9]{1,3}")
_SPACES = re.compile(r"\s*")
_FIGURES = re.compile(r"[^0-9]+")
_EMAIL = re.compile(r"\s*(?:mailto:)?([^\s@]+)@([A-Za-z0-9.-]+\.[A-Za-z]{2,})[\s.]*", re.IGNORECASE)
_URL = re.compile(
    r"\s*(?:[a-z]{3,6}://)?(?:[^\s/@]+@)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?=[/:?#\s]|$)", re.IGNORECASE
)
_IP4 = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,3}){3})\s*")
_IP6 = re.compile(r"\s*([0-9A-Fa-f:]{3,39})\s*")
_MAC = re.compile(r"\s*(?:[0-9A-Fa-f]{2}[:.-]?){5}[0-9A-Fa-f]{2}\s*")
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f]")
_SCHEME = re.compile(r"\s*(?:mailto:|[a-z]{3,6}://)?", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def read_mention(kind: str, surface: str, locale: ValueLocale, *, is_reserved: bool = False) -> Parts | None:
    """Return the parts of a mention that give way, in order; None where it can't be read, or has none.

    >>> [part[2:4] for part in read_mention("hospital", "Lincoln Memorial Hospital", ValueLocale())]
    [('organization', 'lincoln')]
    >>> read_mention("code", "№ 17", ValueLocale()) is None
    True
    """
    if len(surface) > LONGEST:
        return None
    if is_reserved and kind in _RESERVED:
        return _RESERVED[kind](surface)
    return _READERS[kind](surface, locale) or None


def _name(surface: str, locale: ValueLocale) -> Parts | None:
    words = read_name_form(surface, locale)
    return None if words is None else tuple(ValuePart(each.start, each.end, each.role, each.value) for each in words)


def _place(surface: str, locale: ValueLocale) -> Parts | None:
    """Read places between commas; what has figures is an address."""
    if any(character.isdigit() for character in surface):
        return _with_generic(surface, locale)
    found: list[ValuePart] = []
    position = 0
    for match in _PLACE.finditer(surface):
        if not _SPACE_MARKS.fullmatch(surface, position, match.start()):
            return None
        position = match.end()
        state = read_state(match[0], locale) if locale.country == "US" else None
        value = plain(match[0])
        is_state = bool(state and (found or (match[0].isupper() if len(match[0]) == 2 else value not in _CITIES_TOO)))
        found.append(ValuePart(match.start(), match.end(), "state" if is_state else "city", value))
    return tuple(found) if _SPACE_MARKS.fullmatch(surface, position) else None


def _with_generic(surface: str, locale: ValueLocale) -> Parts | None:
    """Read words that are not generic, and figures; abbreviations of states in capitals are such."""
    parts = _pieces(surface, 0, len(surface), "organization", is_ascii=False)
    if parts is None or locale.country != "US":
        return parts
    return tuple(
        part._replace(pool="state")
        if len(part.value) == 2 and surface[part.start : part.end].isupper() and read_state(part.value, locale)
        else part
        for part in parts
    )


def _pieces(surface: str, start: int, end: int, pool: Pool, *, is_ascii: bool) -> Parts | None:
    found: list[ValuePart] = []
    position = start
    for match in _PIECE.finditer(surface, start, end):
        if not _PLAIN_MARKS.fullmatch(surface, position, match.start()):
            return None
        position = match.end()
        if match[0].isdigit():
            found.append(ValuePart(match.start(), match.end(), "code", match[0]))
        elif (value := plain(match[0])) and value not in GENERIC:
            role: Pool = "initial" if len(value) == 1 else pool
            found.append(ValuePart(match.start(), match.end(), role, value, is_ascii))
    return tuple(found) if _PLAIN_MARKS.fullmatch(surface, position, end) else None


def _code(surface: str, _: ValueLocale) -> Parts | None:
    """Read letters and figures as one value; what leads it, such as ``MRN:``, stays."""
    led = _LED_BY.match(surface)
    start = led.end() if led else 0
    places = [match.start() for match in _CODE.finditer(surface, start)]
    if not places or not _CODE_SHAPE.fullmatch(surface):
        return None
    value = "".join(surface[place] for place in places).upper()
    return (ValuePart(places[0], places[-1] + 1, "code", value),)


def _phone(surface: str, locale: ValueLocale) -> Parts | None:
    """Read the figures as one value, after the country's; what has other words than such numbers is a code.

    Where all figures with the country's make a valid number of a card, as one long number in ten does by chance, they
    are one value, which is drawn so that they do again.
    """
    led = _LED_BY.match(surface) or _SPACES.match(surface)
    start = led.end() if led else 0
    country = None if scheme_of(_FIGURES.sub("", surface)) == "luhn" else _COUNTRY_CODE.match(surface, start)
    start = country.end() if country else start
    places = [place for place in range(start, len(surface)) if surface[place].isascii() and surface[place].isdigit()]
    if not all(_PHONE_WORDS.fullmatch(match[0]) for match in _WORD.finditer(surface, start)):
        return _code(surface, locale)
    if not places or not _CODE_SHAPE.fullmatch(surface):
        return None
    value = "".join(surface[place] for place in places)
    return (ValuePart(places[0], places[-1] + 1, "figures", value),)


def _age(surface: str, _: ValueLocale) -> Parts | None:
    numbers = [*_NUMBER.finditer(surface)]
    if len(numbers) != 1 or not _PIECE.search(surface) or int(numbers[0][0]) > 125:
        return None
    return (ValuePart(*numbers[0].span(), "age", str(int(numbers[0][0]))),)


def _email(surface: str, _: ValueLocale) -> Parts | None:
    match = _EMAIL.fullmatch(surface)
    if match is None:
        return None
    local = _pieces(surface, *match.span(1), "family", is_ascii=True)
    host = _pieces(surface, *match.span(2), "organization", is_ascii=True)
    return None if local is None or host is None else local + host


def _url(surface: str, _: ValueLocale) -> Parts | None:
    start = _SCHEME.match(surface)
    return _pieces(surface, start.end() if start else 0, len(surface), "organization", is_ascii=True)


def _username(surface: str, _: ValueLocale) -> Parts | None:
    return _pieces(surface, 0, len(surface), "family", is_ascii=True)


def _ip(surface: str, _: ValueLocale) -> Parts | None:
    if match := _IP4.fullmatch(surface):
        return (ValuePart(*match.span(1), "ip", match[1]),)
    return _hexadecimal(surface, "ip6") if _IP6.fullmatch(surface) else None


def _mac(surface: str, _: ValueLocale) -> Parts | None:
    return _hexadecimal(surface, "mac") if _MAC.fullmatch(surface) else None


def _hexadecimal(surface: str, pool: Pool) -> Parts | None:
    places = [match.start() for match in _HEXADECIMAL.finditer(surface)]
    value = "".join(surface[place] for place in places).upper()
    return (ValuePart(places[0], places[-1] + 1, pool, value),) if places else None


def _reserved_phone(surface: str) -> Parts | None:
    """Read a number of seven or ten figures, or eleven after a one."""
    parts = _phone(surface, ValueLocale())
    if parts is None or not parts[0].value.isdigit() or len(parts[0].value) not in (7, 10, 11):
        return None
    return (parts[0]._replace(pool="reserved phone"),)


def _reserved_email(surface: str) -> Parts | None:
    match = _EMAIL.fullmatch(surface)
    if match is None:
        return None
    local = _pieces(surface, *match.span(1), "family", is_ascii=True)
    return None if local is None else (*local, ValuePart(*match.span(2), "reserved host", match[2].lower(), True))


def _reserved_url(surface: str) -> Parts | None:
    match = _URL.match(surface)
    rest = None if match is None else _pieces(surface, match.end(), len(surface), "organization", is_ascii=True)
    if match is None or rest is None:
        return None
    return (ValuePart(*match.span(1), "reserved host", match[1].lower(), True), *rest)


def _reserved_ip(surface: str) -> Parts | None:
    if match := _IP4.fullmatch(surface):
        return (ValuePart(*match.span(1), "reserved ip", match[1]),)
    match = _IP6.fullmatch(surface)
    return (ValuePart(*match.span(1), "reserved ip6", match[1].upper()),) if match else None


def _reserved_mac(surface: str) -> Parts | None:
    return _hexadecimal(surface, "reserved mac") if _MAC.fullmatch(surface) else None


def _reserved_code(surface: str, *, pool: Pool) -> Parts | None:
    """Read a code whose shape has a reserved range."""
    parts = _code(surface, ValueLocale())
    if parts is None or not has_range(pool, parts[0].value):
        return None
    return (parts[0]._replace(pool=pool),)


_READERS: Mapping[str, Callable[[str, ValueLocale], Parts | None]] = MappingProxyType(
    {
        "name": _name,
        "username": _username,
        "place": _place,
        **dict.fromkeys(("organization", "hospital", "street", "address"), _with_generic),
        "phone": _phone,
        **dict.fromkeys(("postcode", "code", "ssn", "card", "iban"), _code),
        "email": _email,
        "url": _url,
        "ip": _ip,
        "mac": _mac,
        "age": _age,
    }
)
_RESERVED: Mapping[str, Callable[[str], Parts | None]] = MappingProxyType(
    {
        "phone": _reserved_phone,
        "email": _reserved_email,
        "url": _reserved_url,
        "ip": _reserved_ip,
        "mac": _reserved_mac,
        "ssn": partial(_reserved_code, pool="reserved ssn"),
        "card": partial(_reserved_code, pool="reserved card"),
        "iban": partial(_reserved_code, pool="reserved iban"),
    }
)


@lru_cache(maxsize=1 << 14)
def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a text, in plain form, that no surrogate of its scope may be."""
    return tuple(_plain(match[0]) for match in _WORD.finditer(text) if len(match[0]) > 1)


_plain = lru_cache(maxsize=1 << 14)(plain)
