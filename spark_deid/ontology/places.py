"""Hierarchies of cities and states: the region, country and continent of the places that come with the package.

In the United States the Census Bureau's divisions and regions are between a state and the country.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from spark_deid.ontology.hierarchy import ROOT, ValueHierarchy
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import name_of_state

_REGION, _COUNTRY = -4, -3
"""Where the path of a place, from itself to the world, has its region and its country."""


@dataclass(frozen=True)
class PlaceHierarchy:
    """The larger places that contain places of a kind, as values are read in a locale.

    >>> PlaceHierarchy("city", ValueLocale())("boston")
    ('boston', 'Massachusetts', 'New England', 'Northeast', 'United States', 'North America', '*')
    """

    kind: str
    locale: ValueLocale

    def __call__(self, value: str) -> tuple[str, ...]:
        """Return the row of a value: itself, then what it is in; ``*`` where that is not known.

        Of several places of a name those of the locale's country are meant, if any are there; and what not all of them
        are in is not reported.
        """
        return _row(value, self.kind, self.locale)

    def hierarchy(self, values: Iterable[str]) -> ValueHierarchy | None:
        """Return the hierarchy of values, in order; None if they are missing."""
        rows = tuple(self(value) for value in sorted(set(values)))
        return ValueHierarchy(rows, "places") if rows else None


@lru_cache(maxsize=100_000)
def _row(value: str, kind: str, locale: ValueLocale) -> tuple[str, ...]:
    ontology, home = ontology_at("places"), HOMES.get(locale.country)
    paths = [*_paths(ontology, value, kind, locale)]
    at_home = [path for path in paths if path[_COUNTRY] == home]
    lines = [_line(path, home) for path in at_home or paths]
    if kind == "state":
        lines = [line[1:] for line in lines]
    row, entry = [], ROOT
    for labels in zip(*(line[::-1] for line in lines), strict=True):
        entry = labels[0] if len(set(labels)) == 1 else entry
        row.append(entry)
    height = len(_LEVELS) - (kind == "state")
    return (value, *(row[::-1] or [ROOT] * height), ROOT)


_LEVELS = ("region", "division", "area", "country", "continent")


def _paths(ontology: Ontology, value: str, kind: str, locale: ValueLocale) -> Iterator[Sequence[str]]:
    """Yield the names on the path of each place that a value may mean, itself first, the world last."""
    term = name_of_state(value, locale) if kind == "state" else value
    lemma = ontology.lemma(term)
    senses = [] if lemma is None else ontology.senses_of(lemma).tolist()
    paths = [[ontology.name_of(node) for node in ontology.path(concept)] for concept in senses]
    regions = [path for path in paths if len(path) == -_REGION]
    cities = [path for path in paths if len(path) > -_REGION]
    countries = [path for path in paths if len(path) == -_COUNTRY]
    # "New York" is a state alone in the list, and Puerto Rico a country.
    yield from (regions or countries) if kind == "state" else (cities + regions or countries)


def _line(path: Sequence[str], home: str | None) -> tuple[str, ...]:
    """Return what a place is in: region, division, area, country, continent; what there is not, its country again."""
    country, continent = path[_COUNTRY], path[_COUNTRY + 1]
    named = f"{country} (country)" if country in _regions_of(home) else country
    if len(path) < -_REGION:
        return named, named, named, named, continent
    region = path[_REGION]
    division, area = DIVISIONS.get(region, (named, named)) if country == "United States" else (named, named)
    return region if country == home else f"{region} ({country})", division, area, named, continent


@cache
def _regions_of(country: str | None) -> frozenset[str]:
    """Return the names of a country's regions."""
    if country is None:
        return frozenset()
    ontology = ontology_at("places")
    lemma = ontology.lemma(country)
    senses = [] if lemma is None else ontology.senses_of(lemma).tolist()
    top = next((concept for concept in senses if len(ontology.path(concept)) == -_COUNTRY), -1)
    starts, above = ontology.hypernym_starts, ontology.hypernyms
    below = (node for node in range(ontology.n_concepts) if top in above[starts[node] : starts[node + 1]])
    return frozenset(map(ontology.name_of, below))


# The Census Bureau's divisions and regions of the United States, and the countries that locales name.


_DIVISIONS = (
    "Northeast|New England|Connecticut,Maine,Massachusetts,New Hampshire,Rhode Island,Vermont\n"
    "Northeast|Middle Atlantic|New Jersey,New York,Pennsylvania\n"
    "Midwest|East North Central|Illinois,Indiana,Michigan,Ohio,Wisconsin\n"
    "Midwest|West North Central|Iowa,Kansas,Minnesota,Missouri,Nebraska,North Dakota,South Dakota\n"
    "South|South Atlantic|Delaware,District of Columbia,Florida,Georgia,Maryland,North Carolina,South Carolina,"
    "Virginia,West Virginia\n"
    "South|East South Central|Alabama,Kentucky,Mississippi,Tennessee\n"
    "South|West South Central|Arkansas,Louisiana,Oklahoma,Texas\n"
    "West|Mountain|Arizona,Colorado,Idaho,Montana,Nevada,New Mexico,Utah,Wyoming\n"
    "West|Pacific|Alaska,California,Hawaii,Oregon,Washington"
)

DIVISIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        state: (division, area)
        for area, division, states in (line.split("|") for line in _DIVISIONS.splitlines())
        for state in states.split(",")
    }
)
"""Division and region of each state."""

HOMES: Mapping[str, str] = MappingProxyType(
    {
        "AR": "Argentina",
        "AU": "Australia",
        "CA": "Canada",
        "CL": "Chile",
        "CO": "Colombia",
        "CR": "Costa Rica",
        "CU": "Cuba",
        "DO": "Dominican Republic",
        "EC": "Ecuador",
        "ES": "Spain",
        "GB": "United Kingdom",
        "GT": "Guatemala",
        "HN": "Honduras",
        "IE": "Ireland",
        "MX": "Mexico",
        "NI": "Nicaragua",
        "NZ": "New Zealand",
        "PA": "Panama",
        "PE": "Peru",
        "PH": "Philippines",
        "PY": "Paraguay",
        "SV": "El Salvador",
        "US": "United States",
        "UY": "Uruguay",
        "VE": "Venezuela",
        "ZA": "South Africa",
    }
)
"""Countries by the letters that a locale has; where several places have one name, its country's are meant."""
