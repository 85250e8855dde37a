"""How towns are written that are shown as they are: values are in plain form, without capitals and accents."""

from functools import lru_cache
from string import capwords

from spark_deid.ontology.ontology import ontology_at
from spark_deid.values.plain import plain_form


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
