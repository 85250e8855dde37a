"""Dates: days, and the months, years, decades and centuries that they lie in."""

import re
from calendar import monthrange
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_deid.ontology.array_validation import NAMED
from spark_deid.ontology.spelling import TermSpelling
from spark_deid.values.date import MONTHS as MONTH_NAMES
from spark_deid.values.date import PartialDate, is_real, month_of
from spark_deid.values.locale import ValueLocale

FIRST_YEAR, LAST_YEAR = 1900, 2049
ANY = "a date"
_LOCALE = ValueLocale("en", "US", LAST_YEAR)
MONTHS = tuple(name.capitalize() for name in MONTH_NAMES[_LOCALE.language])
_MONTH = "|".join(rf"{month[:3]}(?:{month[3:]})?" for month in MONTHS) + "|Sept"
_PATTERN = re.compile(
    rf"""(?<![\w/.-])(?:
      (?P<year1>\d{{4}})[-/](?P<month1>\d{{1,2}})[-/](?P<day1>\d{{1,2}})
    | (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?[\s-]+(?:of\s+)?(?P<month2>{_MONTH})\.?,?[\s-]+(?P<year2>\d{{4}})
    | (?P<month3>{_MONTH})\.?\s+(?P<day3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year3>\d{{4}})
    | (?P<month4>{_MONTH})\.?,?(?:\s+of)?[\s-]+(?P<year4>\d{{4}})
    | (?P<a5>\d{{1,2}})(?P<mark>[/.-])(?P<b5>\d{{1,2}})(?P=mark)(?P<year5>\d{{4}}|\d{{2}})
    | (?P<month6>\d{{1,2}})/(?P<year6>\d{{4}})
    )(?![\w/-]|\.\d)""",
    re.VERBOSE | re.IGNORECASE,
)


def arrays() -> dict[str, NDArray[Any]]:
    """Return all days from 1900 to 2049 with what they lie in, as ``ontology.from_arrays`` takes them.

    Made of numbers rather than of concepts, since a worker makes it when it first meets a date.
    """
    wide, days = _wide(), list(_days())
    number = {name: place for place, name in enumerate(wide)}
    names = [*wide, *(day for day, _ in days)]
    above = [number[up] for up in wide.values() if up is not None] + [number[month] for _, month in days]
    volumes = np.zeros(len(wide), np.int32)
    for _, month in days:
        volumes[number[month]] += 1
    for name, up in reversed(wide.items()):
        if up is not None:
            volumes[number[up]] += volumes[number[name]]
    ones, nothing = np.ones(len(names), np.uint8), np.zeros(len(names), np.uint8)
    return {
        "text": np.frombuffer("".join(names).encode(), np.uint8),
        "word_counts": np.array([len(name) for name in names], np.uint8),
        "senses": np.arange(len(names), dtype=np.int32) | NAMED,
        "sense_counts": ones,
        "sense_keys": np.zeros(0, np.uint16),
        "lemmas": np.zeros(0, np.int32),
        "ids": np.zeros(0, np.uint32),
        "hypernyms": np.array(above, np.int32),
        "hypernym_counts": np.concatenate((nothing[:1], ones[1:])),
        "volumes": volumes,
        "glosses": np.zeros(0, np.uint16),
        "gloss_counts": nothing,
    }


def _wide() -> dict[str, str | None]:
    """Return what lies above what, wider ones first; that of any date is None."""
    wide: dict[str, str | None] = {ANY: None}
    years = range(FIRST_YEAR, LAST_YEAR + 1)
    wide |= {_century(year): ANY for year in years}
    wide |= {_decade(year): _century(year) for year in years}
    wide |= {str(year): _decade(year) for year in years}
    wide |= {f"{month} {year}": str(year) for year in years for month in MONTHS}
    return wide


def _days() -> Iterator[tuple[str, str]]:
    for year in range(FIRST_YEAR, LAST_YEAR + 1):
        for number, month in enumerate(MONTHS, 1):
            named = f"{month} {year}"
            yield from ((f"{day} {named}", named) for day in range(1, monthrange(year, number)[1] + 1))


def _decade(year: int) -> str:
    return f"the {year // 10 * 10}s"


def _century(year: int) -> str:
    return "the 20th century" if year < 2000 else "the 21st century"


def _word(found: re.Match[str]) -> str | None:
    """Return a date in the words of the ontology; of figures alone the month stands first, unless it can't."""
    parts = {name[:-1]: value for name, value in found.groupdict().items() if value and name != "mark"}
    year = int(parts["year"]) if len(parts["year"]) > 2 else _LOCALE.year_of(int(parts["year"]))
    if "a" in parts:
        first, second = int(parts["a"]), int(parts["b"])
        is_day_first = first > len(MONTHS) or found["mark"] == "."
        parts["day"], parts["month"] = parts["a" if is_day_first else "b"], str(second if is_day_first else first)
    month = int(parts["month"]) if parts["month"].isdigit() else month_of(parts["month"].lower(), _LOCALE.language)
    day = int(parts["day"]) if "day" in parts else None
    if not (FIRST_YEAR <= year <= LAST_YEAR and month and is_real(PartialDate(year, month, day))):
        return None
    named = f"{MONTHS[month - 1]} {year}"
    return named if day is None else f"{day} {named}"


SPELLING = TermSpelling(_PATTERN, _word, lambda _, name: name)
