"""What a mention shows of a generalized value, and whether that covers what the mention tells."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import capwords

from spark_deid.anonymity.labels import MISSING_WORD
from spark_deid.ontology.hierarchy import ROOT, ValueHierarchy
from spark_deid.ontology.ontology import ontology_at
from spark_deid.values.plain import plain_form

LONGEST_SET = 5
"""A set of more values is not written into a text: its mentions are suppressed."""

Above = Callable[[str], Collection[str]]
"""Return what a value of an attribute lies under: the labels of its hierarchy, itself among them."""

_YEARS = re.compile(
    r"\d+(\s*-?\s*(?:years?|yrs?\.?|yo|y/o|y\.o\.?|años?)(?:[\s-]+(?:old|of[\s]age|de[\s]edad))?)", re.IGNORECASE
)
"""Years in figures with their unit: the unit's own words alone, since they stay in the text."""

_SHORTER = re.compile(
    r"(?!.*(?:year|yr|año)).*?(?:\d|\w{2})(?P<gap>[\s-]*)(?P<unit>(?P<en>months?|mos?\.?|mths?\.?|weeks?|wks?\.?|days?|hours?|hrs?\.?)"
    r"|mes(?:es)?|semanas?|d[ií]as?|horas?)(?P<rest>[\s-]+(?:old|of\s+age|de\s+edad))?",
    re.IGNORECASE,
)
"""An age in a shorter unit than years: what is shown counts years, and says so."""

_RANGE = re.compile(r"\[(.+?)(?:\.\.|-)(.+)\]")
_MASKED = re.compile(r"([^*]+)\*+")
_PERIOD = re.compile(r"\d{4}(?:-\d\d)?")
_DAY = re.compile(r"\d{4}(?:-\d\d){0,2}")
_DATES = re.compile(r"\[(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)\]")


def is_publishable(generalized: str) -> bool:
    """Tell whether a text may show a value: not one that says nothing, nor one of a class that has missing values.

    >>> [is_publishable(each) for each in ("[70-79]", "*", "{missing, [70-79]}", "{a, b, c, d, e, f}")]
    [True, False, False, False]
    """
    if generalized.startswith("{"):
        values = generalized[1:-1].split(", ")
        return len(values) <= LONGEST_SET and values[0] != MISSING_WORD
    return generalized != ROOT


def write_value(surface: str, kind: str, generalized: str) -> str:
    """Write a generalized value in place of a surface; what stands alone is bracketed, units of an age stay.

    Shorter units than years become these, and towns have their capitals and accents.

    >>> write_value("77 year old", "age", "[70-79]"), write_value("F", "gender", "{female, male}")
    ('[70-79] year old', '{female, male}')
    >>> write_value("77", "age", "77"), write_value("8-month-old", "age", "[0-4]")
    ('[77]', '[0-4]-year-old')
    >>> write_value("6 weeks", "age", "0"), write_value("18 meses de edad", "age", "1")
    ('[0] years', '[1] año de edad')
    """
    if kind == "city":
        generalized = with_towns_written(generalized)
    shown = generalized if generalized[0] in "[{" and generalized[-1] in "[]}" else f"[{generalized}]"
    if kind != "age":
        return shown
    unit = _YEARS.fullmatch(surface.strip())
    return shown + (unit[1] if unit else _years_for(surface.strip(), generalized))


def _years_for(surface: str, generalized: str) -> str:
    """Return the years that stand for the months, weeks, days or hours of an age, and what joins them; else nothing."""
    shorter = _SHORTER.fullmatch(surface)
    if shorter is None:
        return ""
    word, rest = ("year" if shorter["en"] else "año"), shorter["rest"] or ""
    is_one = generalized == "1" or (shorter["gap"] == "-" and shorter["unit"][-1:].lower() != "s")
    return f"{shorter['gap'] or ' '}{word}{'' if is_one else 's'}{rest}"


def covers_value(generalized: str, value: str, above: Above | None = None) -> bool:
    """Tell whether a generalized value covers a value; one that can't be compared is not covered.

    >>> covers_value("[70-79]", "77"), covers_value("[2001-01-01..2001-12-31]", "2001-06"), covers_value("{a, b}", "c")
    (True, True, False)
    """
    if above is not None:
        return generalized in above(value)
    if generalized == value:
        return True
    if generalized.startswith("{"):
        return value in generalized[1:-1].split(", ")
    if dates := _DATES.fullmatch(generalized):
        dated = value[:1].isdigit()
        return (
            dated and dates[1] <= value + "-01-01"[len(value) - 4 :] and value + "-12-31"[len(value) - 4 :] <= dates[2]
        )
    if masked := _MASKED.fullmatch(generalized):
        return value.startswith(masked[1]) and len(value) == len(generalized)
    if _PERIOD.fullmatch(generalized) and value.startswith(generalized + "-"):
        return True
    bounds = _RANGE.fullmatch(generalized)
    if bounds and _DAY.fullmatch(value):
        return _PERIOD.fullmatch(bounds[1]) is not None and bounds[1] <= value[:4] <= bounds[2]
    return bool(bounds and value.isdecimal() and _number(bounds[1]) <= int(value) <= _number(bounds[2]))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


# How towns are written that are shown as they are: values are in plain form, without capitals and accents.


def with_towns_written(generalized: str) -> str:
    """Return a label of a city as people write it: the names of the list of places, else with capitals.

    Labels of hierarchies have capitals of their own, and stay.

    >>> with_towns_written("zurich"), with_towns_written("{leeds, stow on the wold}"), with_towns_written("New England")
    ('Zürich', '{Leeds, Stow On The Wold}', 'New England')
    """
    if generalized.startswith("{"):
        return "{" + ", ".join(map(_written, generalized[1:-1].split(", "))) + "}"
    return _written(generalized)


@lru_cache(maxsize=100_000)
def _written(value: str) -> str:
    if value != plain_form(value):
        return value
    ontology = ontology_at("places")
    lemma = ontology.lemma(value)
    names = [] if lemma is None else [ontology.name_of(int(concept)) for concept in ontology.senses_of(lemma)]
    return next((name for name in names if plain_form(name) == value), capwords(value))


# What values of an attribute lie under, by the rows of a hierarchy.


@dataclass(frozen=True)
class ValueAncestors:
    """What values lie under by the rows of a hierarchy; a value lies under itself, one that it lacks under nothing."""

    rows: Mapping[str, frozenset[str]]

    def __call__(self, value: str) -> frozenset[str]:
        """Return the labels of a value's row."""
        return self.rows.get(value, frozenset())


def ancestors_of(hierarchies: Mapping[str, ValueHierarchy]) -> dict[str, Above]:
    """Return what values lie under, by attribute."""
    return {name: ValueAncestors({row[0]: frozenset(row) for row in each.rows}) for name, each in hierarchies.items()}
