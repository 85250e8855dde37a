"""Read a mention: which parts of it state something, and what; all else of it is form and remains."""

import re
from collections.abc import Callable, Container, Mapping
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Literal, NamedTuple

from spark_deid.surrogates.check_digits import scheme_of
from spark_deid.surrogates.reserved_ranges import has_range
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name_form import LATIN, read_name_form
from spark_deid.values.plain import plain_form, words_of
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
    """A part of a mention that is replaced: its place in the surface, the source of its surrogate, its value.

    ``is_ascii`` states that its surrogate is written in ASCII's letters.
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
_JOINED_COUNTRY_CODE = re.compile(
    r"[\s(]*(?:\+|00)(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9][0-9]{2})(?=[\s(./-]*[0-9])"
)
"""A country's code (ITU E.164) that no sign parts from what follows: none begins as another does."""
_AMERICAN = re.compile("1?[2-9][0-9]{9}|[2-9][0-9]{6}")
_NATIONAL = 10
"""The figures of an American number after its country's one."""
_PHONE_WORDS = re.compile(r"(?:ext|extension|x|int|interno|poste|durchwahl|pager|beeper|or|o|y|and)", re.IGNORECASE)
_CITIES_TOO = ("new york", "washington")
_NUMBER = re.compile(r"[0-9]{1,3}")
_SPACES = re.compile(r"\s*")
_FIGURES = re.compile(r"[^0-9]+")
_EMAIL = re.compile(r"\s*(?:mailto:)?([^\s@]+)@([A-Za-z0-9.-]+\.[A-Za-z]{2,})[\s.]*", re.IGNORECASE)
_SUFFIX = re.compile(
    r"\.(?:(?:(?:ac|co|com|edu|gob|gov|net|org)\.)?"
    r"(?:at|au|be|br|ca|ch|cz|de|dk|es|eu|fi|fr|gr|ie|in|it|jp|mx|nl|no|nz|pl|pt|se|uk|us|za)"
    r"|biz|com|edu|gov|info|int|io|mil|net|org)$",
    re.IGNORECASE,
)
"""What of a host many share: ``.org``, ``.co.uk``."""
_AUTHORITY_ENDS = re.compile("[/?#]")
_PORT_BEGINS = re.compile("[:\\s]")
_OF_HOSTS, _OF_PATHS = (
    frozenset(("www",)),
    frozenset(["http", "https", "www", "html", "htm", "php", "asp", "aspx", "jsp", "index"]),
)
"""Words of addresses of the net that reveal no one: of hosts before what many share, and of paths."""
_SMALL_LETTERS, _STREET_LETTERS = frozenset("adely"), frozenset("adelyCENOPSW")
"""Letters separately that are words: ``y`` and ``d'``, and of streets those of the compass, ``P. O.`` and ``C/``."""
_ABROAD = re.compile(r"[\s(]*(?:\+|00)[\s(]*(?!1)[0-9]")
_POSSESSIVE, _ELIDED, _APOSTROPHES = frozenset("sS"), frozenset("dDlLoO"), frozenset("'’")
"""Letters behind and before an apostrophe that are not initials: ``Mary's``, ``O'Brien``."""
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
        return _RESERVED[kind](surface, locale)
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
        value = plain_form(match[0])
        is_state = bool(state and (found or (match[0].isupper() if len(match[0]) == 2 else value not in _CITIES_TOO)))
        found.append(ValuePart(match.start(), match.end(), "state" if is_state else "city", value))
    return tuple(found) if _SPACE_MARKS.fullmatch(surface, position) else None


def _with_generic(surface: str, locale: ValueLocale) -> Parts | None:
    """Read words that are not generic, and figures; abbreviations of states in uppercase are such."""
    return _generic_pieces(surface, locale, _SMALL_LETTERS)


def _street(surface: str, locale: ValueLocale) -> Parts | None:
    return _generic_pieces(surface, locale, _STREET_LETTERS)


def _generic_pieces(surface: str, locale: ValueLocale, letters: Container[str]) -> Parts | None:
    words, singles = ((), ()) if "@" in surface else (GENERIC, letters)
    parts = _pieces(surface, (0, len(surface)), "organization", is_ascii=False, generic=words, letters=singles)
    if parts is None or locale.country != "US":
        return parts
    return tuple(
        part._replace(pool="state")
        if len(part.value) == 2 and surface[part.start : part.end].isupper() and read_state(part.value, locale)
        else part
        for part in parts
    )


def _pieces(
    surface: str,
    place: tuple[int, int],
    pool: Pool,
    *,
    is_ascii: bool = True,
    generic: Container[str] = (),
    letters: Container[str] = (),
) -> Parts | None:
    """Read words and figures between a start and an end, but for generic words, and letters that are words."""
    found: list[ValuePart] = []
    start, end = place
    position = start
    for match in _PIECE.finditer(surface, start, end):
        if not _PLAIN_MARKS.fullmatch(surface, position, match.start()):
            return None
        position = match.end()
        if match[0].isdigit():
            found.append(ValuePart(match.start(), match.end(), "code", match[0]))
        elif (value := plain_form(match[0])) and len(value) == 1:
            if match[0] not in letters and not (letters and _is_elided(surface, match)):
                found.append(ValuePart(match.start(), match.end(), "initial", value, is_ascii))
        elif value and value not in generic:
            found.append(ValuePart(match.start(), match.end(), pool, value, is_ascii))
    return tuple(found) if _PLAIN_MARKS.fullmatch(surface, position, end) else None


def _is_elided(surface: str, letter: re.Match[str]) -> bool:
    """Return whether a letter is the possessive's, or represents a word before an apostrophe."""
    before, after = surface[letter.start() - 1 : letter.start()], surface[letter.end() : letter.end() + 1]
    return (before in _APOSTROPHES and letter[0] in _POSSESSIVE) or (after in _APOSTROPHES and letter[0] in _ELIDED)


def _code(surface: str, _: ValueLocale) -> Parts | None:
    """Read letters and figures as one value; what leads it, such as ``MRN:``, remains."""
    led = _LED_BY.match(surface)
    start = led.end() if led else 0
    places = [match.start() for match in _CODE.finditer(surface, start)]
    if not places or not _CODE_SHAPE.fullmatch(surface):
        return None
    value = "".join(surface[place] for place in places).upper()
    return (ValuePart(places[0], places[-1] + 1, "code", value),)


def _phone(surface: str, locale: ValueLocale) -> Parts | None:
    """Read the figures as one value, after the country's; what has other words than such numbers is a code.

    So a number is one value with signs and without: +1 617-555-2213, +16175552213, in American text 1-617-555-2213.

    Where all figures with the country's make a valid number of a card, as one long number in ten does by chance, they
    are one value, which is drawn so that they do again.
    """
    led = _LED_BY.match(surface) or _SPACES.match(surface)
    start = led.end() if led else 0
    is_checked = scheme_of(_FIGURES.sub("", surface)) == "luhn"
    forms = () if is_checked else (_COUNTRY_CODE, _JOINED_COUNTRY_CODE)
    start = next((match.end() for form in forms if (match := form.match(surface, start))), start)
    places = [place for place in range(start, len(surface)) if surface[place].isascii() and surface[place].isdigit()]
    if locale.country == "US" and len(places) == 1 + _NATIONAL and surface[places[0]] == "1":
        places = places[1:]
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
    local, host = _pieces(surface, match.span(1), "family"), _host(surface, match.span(2))
    return None if local is None or host is None else local + host


def _host(surface: str, place: tuple[int, int]) -> Parts | None:
    """Read the words of a host, but for what many share at its end; one of figures is an address."""
    start, end = place
    if _IP4.fullmatch(surface, start, end):
        return (ValuePart(start, end, "ip", surface[start:end]),)
    suffix = _SUFFIX.search(surface, start, end)
    return _pieces(surface, (start, suffix.start() if suffix else end), "organization", generic=_OF_HOSTS)


class LinkPlaces(NamedTuple):
    """Where the parts of a link occur: who logs in with a password, the host, and what follows, with its port."""

    user: tuple[int, int]
    host: tuple[int, int]
    path: tuple[int, int]


def _link(surface: str) -> LinkPlaces:
    """Cut a link as RFC 3986 does: the host begins behind the last @ before the path."""
    scheme = _SCHEME.match(surface)
    start = scheme.end() if scheme else 0
    ends = _AUTHORITY_ENDS.search(surface, start)
    end = ends.start() if ends else len(surface)
    host = surface.rfind("@", start, end) + 1 or start
    port = None if surface[host : host + 1] == "[" else _PORT_BEGINS.search(surface, host, end)
    return LinkPlaces(
        (start, host), (host, port.start() if port else end), (port.start() if port else end, len(surface))
    )


def _url(surface: str, _: ValueLocale) -> Parts | None:
    link = _link(surface)
    return _around_host(surface, link, _host(surface, link.host))


def _around_host(surface: str, link: LinkPlaces, host: Parts | None) -> Parts | None:
    """Read who logs in, and the path, beside the parts of a host."""
    user = _pieces(surface, link.user, "family")
    path = _pieces(surface, link.path, "organization", generic=_OF_PATHS)
    return None if user is None or host is None or path is None else (*user, *host, *path)


def _username(surface: str, _: ValueLocale) -> Parts | None:
    return _pieces(surface, (0, len(surface)), "family")


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


def _reserved_phone(surface: str, locale: ValueLocale) -> Parts | None:
    """Read a number of seven or ten figures, or eleven after a one: in North America only 555-01xx is not an one's."""
    parts = _phone(surface, locale)
    led = _LED_BY.match(surface)
    is_abroad = _ABROAD.match(surface, led.end() if led else 0) or (
        "+" not in surface and locale.country not in ("US", "CA")
    )
    if parts is None or is_abroad or not _AMERICAN.fullmatch(parts[0].value):
        return None
    return (parts[0]._replace(pool="reserved phone"),)


def _reserved_email(surface: str, _: ValueLocale) -> Parts | None:
    match = _EMAIL.fullmatch(surface)
    if match is None:
        return None
    local = _pieces(surface, match.span(1), "family")
    return None if local is None else (*local, ValuePart(*match.span(2), "reserved host", match[2].lower(), True))


def _reserved_url(surface: str, _: ValueLocale) -> Parts | None:
    link = _link(surface)
    name = surface[slice(*link.host)].lower()
    return _around_host(surface, link, (ValuePart(*link.host, "reserved host", name, True),)) if name else None


def _reserved_ip(surface: str, _: ValueLocale) -> Parts | None:
    if match := _IP4.fullmatch(surface):
        return (ValuePart(*match.span(1), "reserved ip", match[1]),)
    match = _IP6.fullmatch(surface)
    return (ValuePart(*match.span(1), "reserved ip6", match[1].upper()),) if match else None


def _reserved_mac(surface: str, _: ValueLocale) -> Parts | None:
    return _hexadecimal(surface, "reserved mac") if _MAC.fullmatch(surface) else None


def _reserved_code(surface: str, _: ValueLocale, *, pool: Pool) -> Parts | None:
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
        **dict.fromkeys(("organization", "hospital"), _with_generic),
        **dict.fromkeys(("street", "address"), _street),
        "phone": _phone,
        **dict.fromkeys(("postcode", "code", "ssn", "card", "iban"), _code),
        "email": _email,
        "url": _url,
        "ip": _ip,
        "mac": _mac,
        "age": _age,
    }
)
_RESERVED: Mapping[str, Callable[[str, ValueLocale], Parts | None]] = MappingProxyType(
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


# Words of organizations, streets and addresses that reveal no one: they remain where names around them are replaced.


GENERIC = frozenset(
    words_of(
        "hospital hospitals clinic clinics center centre medical health healthcare care general memorial"
        " university college school institute department dept unit ward practice surgery pharmacy laboratory"
        " laboratories lab community regional county city national children childrens women womens mens"
        " veterans st saint saints mount emergency cancer cardiology oncology pediatrics radiology neurology"
        " psychiatry rehabilitation nursing home house hospice group associates partners services service"
        " systems system foundation trust company co corp corporation inc incorporated ltd limited llc llp plc"
        " gmbh ag sa sl bv nv spa srl sarl holding holdings bank the of and for in at on to a an y e de del la"
        " las los el den der die das und des du les le et d l di dei della delle van het en do da dos street"
        " road rd avenue ave av boulevard blvd drive dr lane ln court ct place pl square sq terrace way"
        " highway hwy route apt apartment suite ste floor fl room rm building bldg box po p o north south east"
        " west n s ne nw se sw calle crta ctra pz ed esc c avenida avda plaza paseo carretera camino ronda"
        " piso puerta num numero no nr strasse str platz allee weg gasse ring rue chemin quai impasse via"
        " viale piazza corso vicolo largo rua travessa praca alameda straat laan plein gracht kade centro"
        " medico salud clinica universitario universitaria provincial servicio facultad instituto klinik"
        " klinikum krankenhaus universitatsklinikum praxis zentrum hopital clinique universitaire ospedale"
        " policlinico azienda ospedaliera universita hospitalar ziekenhuis medisch centrum http https www html"
        " htm php asp index com org net edu gov io info eu uk es fr it pt nl us biz"
    )
)
"""In plain form."""
