"""Cities and states are replaced by larger places, and the recount reads the same of the list by separate code."""

from random import Random

import pyarrow as pa
import pytest

from spark_deid.anonymity.generalization import tree_of
from spark_deid.anonymity.models import read_models
from spark_deid.identity.recount.covering import PlaceLines
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.places import PlaceHierarchy
from spark_deid.values.locale import ValueLocale, locale_of
from spark_deid.values.plain import plain_form
from tests.unit.identity.in_memory import IdentifierView, ViewRecodingSettings, generalize

UNKNOWN = ("*",) * 5


@pytest.mark.parametrize(
    ("value", "locale", "row"),
    [
        ("atlanta", "en_US", ("Georgia", "South Atlantic", "South", "United States", "North America")),
        ("portland", "en_US", (*["United States"] * 4, "North America")),  # in Texas, Maine and Oregon
        ("tbilisi", "en_US", ("Tbilisi (Georgia)", *["Georgia (country)"] * 3, "Asia")),
        ("sevilla", "es_ES", ("Andalusia", *["Spain"] * 3, "Europe")),
        ("sevilla", "en_US", UNKNOWN),  # in Spain, and in Colombia: they share the world only
        ("sevilla", "es", UNKNOWN),
        ("timothyfurt", "en_US", UNKNOWN),
    ],
)
def test_cities_are_in_what_all_places_of_their_name_share(value: str, locale: str, row: tuple[str, ...]) -> None:
    assert PlaceHierarchy("city", locale_of(locale))(value) == (value, *row, "*")


@pytest.mark.parametrize(
    ("value", "locale", "row"),
    [
        ("WI", "en_US", ("East North Central", "Midwest", "United States", "North America")),
        ("GA", "en_US", ("South Atlantic", "South", "United States", "North America")),
        ("PR", "en_US", (*["Puerto Rico"] * 3, "North America")),
        ("jalisco", "es_MX", (*["Mexico (country)"] * 3, "North America")),
        ("nowhere", "en_US", ("*",) * 4),
    ],
)
def test_states_are_in_divisions_or_their_country(value: str, locale: str, row: tuple[str, ...]) -> None:
    assert PlaceHierarchy("state", locale_of(locale))(value) == (value, *row, "*")


DIVISIONS = {
    "New England, Northeast": "CT ME MA NH RI VT",
    "Middle Atlantic, Northeast": "NJ NY PA",
    "East North Central, Midwest": "IL IN MI OH WI",
    "West North Central, Midwest": "IA KS MN MO NE ND SD",
    "South Atlantic, South": "DE DC FL GA MD NC SC VA WV",
    "East South Central, South": "AL KY MS TN",
    "West South Central, South": "AR LA OK TX",
    "Mountain, West": "AZ CO ID MT NV NM UT WY",
    "Pacific, West": "AK CA HI OR WA",
}


@pytest.mark.parametrize("division", DIVISIONS)
def test_states_are_in_the_divisions_of_the_census(division: str) -> None:
    told = {
        state: ", ".join(PlaceHierarchy("state", locale_of("en_US"))(state)[1:3])
        for state in DIVISIONS[division].split()
    }
    assert told == dict.fromkeys(told, division)


@pytest.mark.parametrize("locale", ["en_US", "en_GB", "es_ES", "es_MX", "en"])
@pytest.mark.parametrize("kind", ["city", "state"])
def test_every_label_has_one_parent_and_the_recount_reads_the_same(kind: str, locale: str) -> None:
    ontology, place, random = ontology_at("places"), locale_of(locale), Random(7)
    words = [plain_form(ontology.word(number)) for number in random.sample(range(ontology.n_lemmas), 1500)]
    hierarchy = PlaceHierarchy(kind, place).hierarchy([*words, "WI", "GA", "georgia", "nowhere"])
    assert hierarchy is not None  # which checks that a label has one parent
    tree_of(hierarchy)
    lines = PlaceLines(kind, place)
    for row in hierarchy.rows:
        assert lines(row[0]) == {*row} - {"*"}


def test_classes_show_the_least_place_that_covers_them_and_nothing_of_places_that_no_one_knows() -> None:
    cities = ["boston", "worcester", "atlanta", "miami", "timothyfurt", "lake ashley"]
    view = IdentifierView(6, {"city": pa.array(cities)})
    hierarchy = PlaceHierarchy("city", ValueLocale()).hierarchy(cities)
    assert hierarchy is not None
    shown = generalize(view, ViewRecodingSettings(read_models("k=2"), {"city": "city"}, {"city": hierarchy}, {}))
    assert shown["city"].to_pylist() == [*["Massachusetts"] * 2, *["South Atlantic"] * 2, "*", "*"]
