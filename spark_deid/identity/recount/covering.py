"""Which values a shown value covers, read from how it is written."""

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.ontology.places import DIVISIONS, HOMES
from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import name_of_state

Above = Callable[[str], Collection[str]]
"""Return the labels that a value of an attribute lies under, itself among them."""

_UNIT = re.compile(r"[\s-]*(?:years?|yrs?\.?|yo|y/o|y\.o\.?|años?)(?:[\s-]+(?:old|of\sage|de\sedad))?", re.IGNORECASE)


def value_in(text: str) -> str:
    """Return the value that a published piece of text shows: what its brackets hold, with them if a range.

    After the brackets an age's unit may stand; with anything else there the piece as a whole is what it shows.

    >>> value_in("[70-79] year old"), value_in("[male]"), value_in("{a, b}"), value_in("77"), value_in("[70-79] 77")
    ('[70-79]', 'male', '{a, b}', '77', '[70-79] 77')
    """
    value = _without_unit(text)
    if value.startswith("[") and value.endswith("]") and not is_range(value[1:-1]):
        return value[1:-1]
    return value


def _without_unit(text: str) -> str:
    """Cut a unit off that follows brackets."""
    end = max(map(text.rfind, "[]{}")) + 1
    return text[:end] if end and _UNIT.fullmatch(text, end) else text


def canonical_label(label: str) -> str:
    """Return a label as ``value_in`` reads it from a text.

    >>> canonical_label("70-79"), canonical_label("[70-79]"), canonical_label("77")
    ('[70-79]', '[70-79]', '77')
    """
    is_bracketed = label.startswith(("[", "{")) and label.endswith(("]", "[", "}"))
    return value_in(label if is_bracketed else f"[{label}]")


def as_generalized(published: str, generalized: str | None) -> str:
    """Return what a view has where a text shows it with capitals and accents, else what the text shows.

    >>> as_generalized("Zürich", "zurich"), as_generalized("{Ulm, Łódź}", "{lodz, ulm}"), as_generalized("Ulm", "bonn")
    ('zurich', '{Ulm, Łódź}', 'Ulm')
    """
    return published if generalized is None or _base_form(published) != generalized else generalized


def _base_form(label: str) -> str:
    """Return a label in small letters, without accents and hyphens."""
    letters = unicodedata.normalize("NFKD", label.replace("Ł", "L").replace("ł", "l").replace("ß", "ss"))
    bare = "".join(letter for letter in letters if not unicodedata.combining(letter)).lower()
    return " ".join(re.sub("[-'’.]", " ", bare).split())


def is_range(inner: str) -> bool:
    """Tell whether what brackets hold is two ends."""
    return ends_of(inner) is not None


def ends_of(inner: str) -> tuple[str, str] | None:
    """Return the two ends of a range: of dates, or of numbers.

    >>> ends_of("70-79"), ends_of("2001-01-01..2001-12-31"), ends_of("2001-06-22"), ends_of("2001-06")
    (('70', '79'), ('2001-01-01', '2001-12-31'), None, None)
    """
    low, dots, high = inner.partition("..")
    if dots:
        return low, high
    low, dash, high = inner.partition("-")
    if not (dash and _is_number(low) and _is_number(high)):
        return None
    return (low, high) if float(low) < float(high) else None  # else the month of a year


def is_covered(value: str | None, published: str, above: Above | None) -> bool:
    """Tell whether a shown value stands for a value among others; a missing one is covered by nothing but all.

    ``above`` tells of the attribute's hierarchy, or of places.
    """
    if published == "*":
        return True
    if value is None:
        return published.startswith("{missing, ")
    if above is not None:
        return published in above(value)
    if published.startswith("{"):
        return f", {value}," in f", {published[1:-1]}," or _within(value, published[1:-1].removeprefix("missing, "))
    return value == published or _within(value, published) or _begins(value, published)


def _begins(value: str, published: str) -> bool:
    """Tell whether a code is masked to this, or a day is in this month or year."""
    head = published.rstrip("*")
    if head != published:
        return bool(head) and len(value) == len(published) and value[: len(head)] == head
    parts, entry = value.split("-"), published.split("-")
    is_day = len(parts) == 3 and all(map(str.isdecimal, parts)) and len(parts[0]) == 4
    return is_day and len(entry) < 3 and parts[: len(entry)] == entry


def _within(value: str, published: str) -> bool:
    ends = ends_of(published[1:-1]) if published.startswith("[") and published.endswith("]") else None
    if ends is None:
        return False
    if all(map(_is_number, (value, *ends))):
        return float(ends[0]) <= float(value) <= float(ends[1])
    if value[4:5] == "-" and len(ends[0]) == len(ends[1]) == 4:
        return ends[0] <= value[:4] <= ends[1]
    return len(value) == len(ends[0]) == len(ends[1]) and ends[0] <= value <= ends[1]


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdecimal() and text.isascii()


# What places lie in, read from the list that comes with the package; shares nothing with hierarchies made of it.


_CONTINENT, _COUNTRY, _REGION = 1, 2, 3
"""How many steps below the world these are."""


@dataclass(frozen=True)
class PlaceLines:
    """Tell what a place of a kind is covered by, as values are read in a locale.

    >>> sorted(PlaceLines("state", ValueLocale())("OH"))
    ['East North Central', 'Midwest', 'North America', 'OH', 'United States']
    """

    kind: str
    locale: ValueLocale

    def __call__(self, value: str) -> frozenset[str]:
        """Return the labels that a text may show for a value."""
        return _labels(value, self.kind == "state", self.locale)


@lru_cache(maxsize=100_000)
def _labels(value: str, is_state: bool, locale: ValueLocale) -> frozenset[str]:
    """Return the value and every label that all places lie in that it may mean; those at home, if some are there."""
    ontology, home = ontology_at("places"), HOMES.get(locale.country, "")
    lemma = ontology.lemma(name_of_state(value, locale) if is_state else value)
    climbs = [] if lemma is None else [_climb(ontology, int(c)) for c in ontology.senses_of(lemma)]
    below = [climb for climb in climbs if len(climb) == _REGION + 1 or (len(climb) > _REGION and not is_state)]
    meant = below or [climb for climb in climbs if len(climb) == _COUNTRY + 1]
    near = [climb for climb in meant if climb[_COUNTRY] == home] or meant
    sets = [_labels_above(climb, home, is_state) for climb in near]
    return frozenset({value}).union(sets[0].intersection(*sets) if sets else ())


def _climb(ontology: Ontology, concept: int) -> list[str]:
    """Return the names from the world down to a place."""
    names = []
    while True:
        names.append(ontology.name_of(concept))
        above = ontology.hypernyms[ontology.hypernym_starts[concept] : ontology.hypernym_starts[concept + 1]]
        if not len(above):
            return names[::-1]
        concept = int(above[0])


def _labels_above(climb: list[str], home: str, is_state: bool) -> frozenset[str]:
    country = climb[_COUNTRY]
    shared = _is_region_of(country, home)
    results = {climb[_CONTINENT], f"{country} (country)" if shared else country}
    if len(climb) > _REGION:
        region = climb[_REGION]
        results.update(DIVISIONS.get(region, ()) if country == "United States" else ())
        if not is_state:
            results.add(region if country == home else f"{region} ({country})")
    return frozenset(results)


@lru_cache
def _is_region_of(name: str, country: str) -> bool:
    """Tell whether a country has a region of this name."""
    ontology = ontology_at("places")
    lemma = ontology.lemma(name)
    climbs = [] if lemma is None else [_climb(ontology, int(c)) for c in ontology.senses_of(lemma)]
    return any(len(climb) == _REGION + 1 and climb[_COUNTRY:] == [country, name] for climb in climbs)
