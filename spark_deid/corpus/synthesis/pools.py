"""Pools of values, drawn once from Faker for a seed and a language; everything else combines them."""

import importlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from faker import Faker

from spark_deid.core.errors import UsageError
from spark_deid.corpus.synthesis.draws import draw_between, draw_item, draw_stream, random_digits
from spark_deid.corpus.synthesis.strangers import InventedName, bundled_names

# What differs between languages apart from the grammar: where Faker's values come from, and forms of writing.


class LanguageForms(NamedTuple):
    """Locales of Faker, and how dates and telephone numbers are written.

    Of ``name_locales`` the first is the commonest; strangers come from all of ``stranger_locales`` alike.

    Date forms are ``str.format`` templates over ``d, m, y`` (numbers), ``yy`` (two digits), ``month`` and ``abbr``;
    ``#`` in a telephone number is any digit, ``N`` one from 2 to 9.
    """

    code: str
    locale: str
    name_locales: tuple[str, ...]
    stranger_locales: tuple[str, ...]
    months: tuple[str, ...]
    abbreviations: tuple[str, ...]
    dates: tuple[str, ...]
    short_dates: tuple[str, ...]
    phones: tuple[str, ...]
    hospital_names: tuple[str, ...]
    surnames: int


_ENGLISH_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_SPANISH_MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
    "noviembre", "diciembre",
)  # fmt: skip

_ENGLISH = LanguageForms(
    code="en",
    locale="en_US",
    name_locales=("en_US", "en_GB", "en_IE", "es_MX", "en_IN", "de_DE", "it_IT", "fr_FR", "nl_NL", "sv_SE", "pt_BR"),
    stranger_locales=(
        *("en_US", "en_US", "en_GB", "en_IE", "en_IN", "en_KE", "en_PK", "de_DE", "fr_FR", "es_MX", "it_IT", "nl_NL"),
        *("tr_TR", "id_ID", "cs_CZ", "hr_HR", "fi_FI", "hu_HU", "ro_RO", "zu_ZA"),
    ),
    months=_ENGLISH_MONTHS,
    abbreviations=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    dates=(
        "{m:02}/{d:02}/{y}",
        "{m:02}/{d:02}/{y}",
        "{m}/{d}/{yy:02}",
        "{y}-{m:02}-{d:02}",
        "{month} {d}, {y}",
        "{month} {d}, {y}",
        "{d} {abbr} {y}",
        "{d:02}-{abbr}-{y}",
        "{abbr} {d}, {y}",
        "{month} of {y}",
    ),
    short_dates=("{m}/{d}", "{m:02}/{d:02}", "{month} {d}", "{abbr} {d}", "{d} {month}"),
    phones=("(N##) 555-####", "N##-555-####", "N##.555.####", "+1 N## 555 ####", "1-800-555-####", "555-####"),
    hospital_names=(
        "{city} General Hospital",
        "{city} Regional Medical Center",
        "St. {given}'s Hospital",
        "{surname} Memorial Hospital",
        "{city} Community Clinic",
        "{surname} Institute for Heart and Lung",
        "{city} Veterans Medical Center",
        "{surname} Children's Hospital",
        "University Hospital of {city}",
        "{city} Family Practice",
    ),
    surnames=1,
)

_SPANISH = LanguageForms(
    code="es",
    locale="es_ES",
    name_locales=("es_ES", "es_MX", "es_ES", "pt_PT", "it_IT", "ro_RO"),
    stranger_locales=("es_ES", "es_MX", "es_AR", "pt_PT", "fr_FR", "it_IT", "de_DE", "en_GB", "ro_RO"),
    months=_SPANISH_MONTHS,
    abbreviations=("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    dates=(
        "{d:02}/{m:02}/{y}",
        "{d:02}/{m:02}/{y}",
        "{d}-{m}-{yy:02}",
        "{d:02}.{m:02}.{y}",
        "{d} de {month} de {y}",
        "{d} de {month} de {y}",
        "{d}-{abbr}-{y}",
        "{month} de {y}",
    ),
    short_dates=("{d} de {month}", "{d}/{m}", "{d:02}/{m:02}"),
    phones=("9# ### ## ##", "9## ### ###", "6## ### ###", "6########", "+34 9## ### ###", "9##-##-##-##"),
    hospital_names=(
        "Hospital General de {city}",
        "Hospital Universitario de {city}",
        "Hospital San {given}",
        "Clínica {surname}",
        "Centro de Salud {surname}",
        "Complejo Hospitalario de {city}",
        "Instituto {surname}",
        "Hospital Comarcal de {city}",
    ),
    surnames=2,
)

LANGUAGES = MappingProxyType({language.code: language for language in (_ENGLISH, _SPANISH)})


_CITIES = 2000
_STREETS = 3000
_COMPANIES = 1200
_JOBS = 600
_HOSPITALS = 400
_DOCTORS = 1500
_COUNTRIES = 600
_STRANGERS_OF_A_LOCALE = 200


class TownRecord(NamedTuple):
    """A town, its state or province, and the first digits of its postal codes."""

    city: str
    state: str
    postcode: str


class DoctorName(NamedTuple):
    """Someone who treats or writes."""

    given: str
    surname: str
    licence: str
    phone: str
    email: str


class ValuePools(NamedTuple):
    """Values to combine; names stand the commonest first."""

    language: LanguageForms
    given_female: tuple[str, ...]
    given_male: tuple[str, ...]
    surnames: tuple[str, ...]
    towns: tuple[TownRecord, ...]
    streets: tuple[str, ...]
    employers: tuple[str, ...]
    jobs: tuple[str, ...]
    hospitals: tuple[str, ...]
    doctors: tuple[DoctorName, ...]
    hosts: tuple[str, ...]
    strangers: tuple[InventedName, ...]
    countries: tuple[str, ...]


@lru_cache(maxsize=4)
def make_pools(seed: int, language: str = "en") -> ValuePools:
    """Draw the pools of a seed, in about a second; a second call in the same process costs nothing.

    Raises UsageError where the language is not one of those known.
    """
    if language not in LANGUAGES:
        raise UsageError(f"language: expected one of {', '.join(LANGUAGES)}, got {language!r}")
    chosen = LANGUAGES[language]
    fake = Faker(chosen.locale)
    fake.seed_instance(seed)
    draws = draw_stream(seed, f"pools/{language}", 0)
    pools = ValuePools(
        language=chosen,
        given_female=_names(chosen, "first_names_female"),
        given_male=_names(chosen, "first_names_male"),
        surnames=_names(chosen, "last_names"),
        towns=tuple(TownRecord(fake.city(), fake.state(), random_digits(draws, 3)) for _ in range(_CITIES)),
        streets=_different(fake.street_name() for _ in range(_STREETS)),
        employers=_different(fake.company() for _ in range(_COMPANIES)),
        jobs=_different(fake.job().split(",")[0].lower() for _ in range(_JOBS)),
        hospitals=(),
        doctors=(),
        hosts=(),
        strangers=tuple(_strangers(chosen, draw_stream(seed, f"strangers/{language}", 0))),
        countries=_different(fake.country() for _ in range(_COUNTRIES)),
    )
    pools = pools._replace(hospitals=_different(_hospital(pools, draws) for _ in range(_HOSPITALS)))
    pools = pools._replace(hosts=_different(_host(name) for name in (*pools.hospitals, *pools.employers)))
    return pools._replace(doctors=tuple(_doctor(pools, draws) for _ in range(_DOCTORS)))


def phone_number(draws: Random, form: str) -> str:
    """Fill a form of telephone numbers."""
    number = []
    for mark in form:
        number.append(
            random_digits(draws, 1) if mark == "#" else str(draw_between(draws, 2, 9)) if mark == "N" else mark
        )
    return "".join(number)


def slug(name: str) -> str:
    """Write a name in the letters of mail addresses.

    >>> slug("St. José's Hospital")
    'stjoseshospital'
    """
    table = str.maketrans("áàâäãåçéèêëíìîïñóòôöõøúùûüýß", "aaaaaaceeeeiiiinoooooouuuuys")
    return "".join(c for c in name.lower().translate(table) if c.isascii() and c.isalnum())


def _names(language: LanguageForms, attribute: str) -> tuple[str, ...]:
    names: list[str] = []
    for locale in language.name_locales:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        names.extend(getattr(provider, attribute))
    return _different(names)


def _strangers(language: LanguageForms, draws: Random) -> Iterator[InventedName]:
    """Draw names of many countries, rare ones as often as common ones."""
    for locale in language.stranger_locales:
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        given, surnames = _different(provider.first_names), _different(provider.last_names)
        for _ in range(_STRANGERS_OF_A_LOCALE):
            yield InventedName(draw_item(draws, given), draw_item(draws, surnames))
    yield from bundled_names(draws)


def _different(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


def _hospital(pools: ValuePools, draws: Random) -> str:
    return draw_item(draws, pools.language.hospital_names).format(
        city=draw_item(draws, pools.towns).city,
        surname=draw_item(draws, pools.surnames),
        given=draw_item(draws, pools.given_female if draws.random() < 0.5 else pools.given_male),
    )


def _host(name: str) -> str:
    return f"{slug(name)[:24]}.example.{('com', 'org', 'net')[len(name) % 3]}"


def _doctor(pools: ValuePools, draws: Random) -> DoctorName:
    given = draw_item(draws, pools.given_female if draws.random() < 0.5 else pools.given_male)
    surname = draw_item(draws, pools.surnames)
    return DoctorName(
        given,
        surname,
        licence=random_digits(draws, 2) + " " + random_digits(draws, 2) + " " + random_digits(draws, 5),
        phone=phone_number(draws, draw_item(draws, pools.language.phones)),
        email=f"{slug(given)[:1]}{slug(surname)}@{draw_item(draws, pools.hosts)}",
    )
