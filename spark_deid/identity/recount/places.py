"""What places lie in, read from the list that comes with the package; shares nothing with hierarchies made of it."""

from dataclasses import dataclass
from functools import lru_cache

from spark_deid.ontology.divisions import DIVISIONS, HOMES
from spark_deid.ontology.ontology import Ontology, ontology_at
from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import name_of_state

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
