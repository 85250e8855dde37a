"""Kinds of attribute values by name, one line each: what reads a surface."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from spark_deid.text.base_letters import normalize
from spark_deid.values.age import read_age
from spark_deid.values.date import read_date
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name import read_name
from spark_deid.values.plain import plain_form
from spark_deid.values.state import read_state

# Codes that name a person, such as record numbers: letters and digits only.


_CODE_MARKS = re.compile(
    r"^(?:mrn|ssn|id|no|nr|num|number|acct|account|nhc|dni|nif|nie|n[ºo°]|#)\b\s*[:.#]*\s*", re.IGNORECASE
)
_OTHERS = re.compile(r"[^0-9A-Z]+")


def read_code(surface: str, locale: ValueLocale) -> str | None:
    """Return a code's letters and digits in uppercase, None for a surface without any.

    >>> read_code("MRN: sh-02-22222", ValueLocale())
    'SH0222222'
    """
    text = normalize("NFKC", surface).strip()
    return _OTHERS.sub("", _CODE_MARKS.sub("", text).upper()) or None


# Postcodes: five digits, or the British and Canadian forms.


_FIVE = re.compile(r"([0-9]{5})(?:[-\s]?[0-9]{4})?")
_BRITISH = re.compile(r"([A-Z]{1,2}\d[A-Z\d]?)\s*(\d[A-Z]{2})")
_CANADIAN = re.compile(r"([A-Z]\d[A-Z])[\s-]*(\d[A-Z]\d)")
_LED_BY = re.compile(r"^(?:zip(?:\s*code)?|postcode|c\.?\s*p\.?|c[oó]digo postal)\s*[:.]?\s*", re.IGNORECASE)


def read_postcode(surface: str, locale: ValueLocale) -> str | None:
    """Return a postcode without what follows its fifth digit, None if the surface is not a postcode.

    >>> read_postcode("53710-1234", ValueLocale()), read_postcode("sw1a1aa", ValueLocale("en", "GB"))
    ('53710', 'SW1A 1AA')
    """
    text = _LED_BY.sub("", surface.strip()).strip(" ,.;()").upper()
    lettered = {"GB": _BRITISH, "CA": _CANADIAN}.get(locale.country)
    if lettered is not None:
        match = lettered.fullmatch(text)
        return f"{match[1]} {match[2]}" if match else None
    match = _FIVE.fullmatch(text)
    return match[1] if match else None


# Terms: diagnoses, occupations, cities and other values without a special form.


_ARTICLES = {"en": ("the ", "a ", "an "), "es": ("el ", "la ", "los ", "las ", "un ", "una ")}


def read_term(surface: str, locale: ValueLocale) -> str | None:
    """Return a term in plain form, without its article; None where it has no word.

    >>> read_term("a  Machine-operator", ValueLocale())
    'machine operator'
    """
    words = plain_form(surface)
    for article in _ARTICLES[locale.language]:
        words = words.removeprefix(article)
    return words or None


# Gender, as words and letters show it.


MALE, FEMALE, OTHER = "male", "female", "nonbinary"
_WORDS = {
    "en": {
        MALE: "m male man boy gentleman masculine males men",
        FEMALE: "f female woman girl lady feminine females women",
        OTHER: "x nonbinary other diverse",
    },
    # "M" is masculino to some and mujer to others: it shows nothing.
    "es": {
        MALE: "h v hombre varon masculino nino chico caballero",
        FEMALE: "f mujer femenino femenina hembra nina chica senora",
        OTHER: "x otro nobinario",
    },
}


def read_gender(surface: str, locale: ValueLocale) -> str | None:
    """Return ``male``, ``female`` or ``nonbinary``; None where the surface does not show which.

    >>> (
    ...     read_gender("Woman", ValueLocale()),
    ...     read_gender("Varón", ValueLocale("es", "ES")),
    ...     read_gender("M", ValueLocale("es", "ES")),
    ... )
    ('female', 'male', None)
    """
    word = plain_form(surface).replace(" ", "")
    return next((gender for gender, words in _WORDS[locale.language].items() if word in words.split()), None)


LONGEST = 200
"""A surface of more characters has no value."""

Read = Callable[[str, ValueLocale], str | None]
"""Return the value of a surface, as text of the kind's one form; None without a value."""

KINDS: Mapping[str, Read] = MappingProxyType(
    {
        "age": read_age,
        "date": read_date,
        "postcode": read_postcode,
        "gender": read_gender,
        "code": read_code,
        "name": read_name,
        "state": read_state,
        "city": read_term,
        "term": read_term,
    }
)

_KIND_OF = MappingProxyType(
    {
        **{kind: kind for kind in KINDS},
        **dict.fromkeys(("birth_date", "death_date", "admission_date", "discharge_date"), "date"),
        **dict.fromkeys(("zip", "zip_code"), "postcode"),
        **dict.fromkeys(("town", "suburb", "municipality", "locality", "county"), "city"),
        **dict.fromkeys(("dob", "birthday", "date_of_birth"), "date"),
        "province": "state",
        "sex": "gender",
        **dict.fromkeys(("id", "mrn", "ssn", "soc_sec_id", "account", "phone", "fax", "license"), "code"),
        **dict.fromkeys(("patient", "given_name", "surname"), "name"),
    }
)


def kind_of(attribute: str) -> str:
    """Return the kind of an attribute by its name; one with an unknown name is a term.

    >>> kind_of("birth_date"), kind_of("diagnosis")
    ('date', 'term')
    """
    return _KIND_OF.get(attribute, "term")


def read_value(kind: str, surface: str, locale: ValueLocale) -> str | None:
    """Return the value of a surface, None without a value, or for more than LONGEST characters."""
    if len(surface) > LONGEST:
        return None
    return KINDS[kind](surface, locale)
