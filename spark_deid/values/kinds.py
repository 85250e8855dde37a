"""Kinds of attribute values by name, one line each: what reads a surface."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from spark_deid.values.age import read_age
from spark_deid.values.code import read_code
from spark_deid.values.date import read_date
from spark_deid.values.gender import read_gender
from spark_deid.values.locale import ValueLocale
from spark_deid.values.name import read_name
from spark_deid.values.postcode import read_postcode
from spark_deid.values.state import read_state
from spark_deid.values.term import read_term

LONGEST = 200
"""A surface of more characters tells no value."""

Read = Callable[[str, ValueLocale], str | None]
"""Return the value that a surface says, as text of the kind's one form; None where it says none."""

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
    """Return the kind of an attribute by its name; one whose name says nothing is a term.

    >>> kind_of("birth_date"), kind_of("diagnosis")
    ('date', 'term')
    """
    return _KIND_OF.get(attribute, "term")


def read_value(kind: str, surface: str, locale: ValueLocale) -> str | None:
    """Return the value that a surface says, None where it says none, or has more than LONGEST characters."""
    if len(surface) > LONGEST:
        return None
    return KINDS[kind](surface, locale)
