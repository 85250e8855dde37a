import random
from datetime import date, timedelta

import pytest

from spark_deid.ontology.ontology import Ontology, digest_of, ontology_at
from spark_deid.ontology.sources import ages, dates
from spark_deid.plausibility.term_generalization import climb


def path_of(ontology: Ontology, term: str) -> list[tuple[str, int]]:
    nodes, _, volumes = climb(ontology, [ontology.concept(term)])
    return [(ontology.name_of(node), volume) for node, volume in zip(nodes.tolist(), volumes.tolist(), strict=True)]


def test_a_day_is_in_a_month_a_year_a_decade_and_a_century() -> None:
    assert path_of(ontology_at("dates"), "29 February 1984") == [
        ("February 1984", 29),
        ("1984", 366),
        ("the 1980s", 3653),
        ("the 20th century", 36524),
        ("a date", (date(2050, 1, 1) - date(1900, 1, 1)).days),
    ]


def test_volumes_of_dates_count_days() -> None:
    known = ontology_at("dates")
    draw = random.Random(3)
    for _ in range(50):
        day = date(1900, 1, 1) + timedelta(days=draw.randrange(54000))
        in_month = (day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)
        term = f"{day.day} {day:%B} {day.year}"
        assert path_of(known, term)[:2] == [(f"{day:%B} {day.year}", in_month.day), (str(day.year), 365 + leap(day))]


def leap(day: date) -> int:
    return (date(day.year + 1, 1, 1) - date(day.year, 1, 1)).days - 365


@pytest.mark.parametrize(
    "term",
    ["1984-03-12", "1984/3/12", "March 12, 1984", "12th of March 1984", "mar. 12 1984", "3/12/84", "12.3.1984"],
)
def test_a_day_may_be_written_in_many_ways(term: str) -> None:
    known = ontology_at("dates")
    assert known.word(known.lemma(term) or 0) == "12 March 1984"
    assert [row[:2] for row in known.mentions(f"seen {term}, well").tolist()] == [[5, 5 + len(term)]]


@pytest.mark.parametrize("term", ["31/4/2000", "12 March", "30.2.1999", "1984-13-12", "12 March 3050", "1.2.3.4"])
def test_what_is_no_day_of_a_year_is_none(term: str) -> None:
    assert ontology_at("dates").lemma(term) is None


def test_of_figures_the_day_is_first_where_it_must() -> None:
    known = ontology_at("dates")
    words = [known.word(known.lemma(term) or 0) for term in ("13/12/1999", "12/13/1999", "11/12/1999", "11.12.1999")]
    assert words == ["13 December 1999", "13 December 1999", "12 November 1999", "11 December 1999"]


def test_ages_are_in_bands() -> None:
    known = ontology_at("ages")
    assert path_of(known, "47") == [("45-49", 5), ("40-49", 10), ("40-59", 20), ("any age", 121)]
    assert path_of(known, "93 years old") == [("90 or older", 31), ("80 or older", 41), ("any age", 121)]
    assert path_of(known, "88")[:3] == [("85-89", 5), ("80-89", 10), ("80 or older", 41)]


def test_bands_replace_figures() -> None:
    known = ontology_at("ages")
    text = "A 47-year-old man, aged 12, had 3.5 mg at 10:30; she is 61 years of age"
    found = known.mentions(text).tolist()
    told = {
        text[start:end]: known.replacement(text[start:end], int(climb(known, [int(known.senses_of(word)[0])]).nodes[0]))
        for start, end, word, _ in found
    }
    assert {"47-year-old": "45-49-year-old", "aged 12": "aged 10-14"}.items() <= told.items()
    assert told["61 years of age"] == "60-64 years of age"
    assert ages.SPELLING.read("3.5") is None
    assert ages.SPELLING.read("130") is None
    assert ages.SPELLING.replacement("47-year-old", ages.ANY) == "any age"


def test_what_is_code_has_a_digest_of_its_own() -> None:
    assert len({digest_of(name) for name in ("dates", "ages", "wordnet", "places")}) == 4
    assert digest_of("dates") == digest_of("dates")


def test_places_are_in_regions_countries_and_continents() -> None:
    places = ontology_at("places")
    assert [name for name, _ in path_of(places, "Sacramento")] == [
        "California",
        "United States",
        "North America",
        "the world",
    ]
    assert [name for name, _ in path_of(places, "paris")][:2] == ["Ile-de-France", "France"]
    assert places.lemma("Sao Paulo") is not None
    assert places.volumes.max() == 34032
    assert (places.ups() < 0).sum() == 1
    assert "CC BY" in places.about["licence"]


def test_a_month_of_a_letter_that_only_looks_like_one_of_its_own_is_no_date() -> None:
    assert dates.SPELLING.read("Sept 2001") == "September 2001"
    assert dates.SPELLING.read("ſept 2001") is None


def test_two_digits_are_years_up_to_2049() -> None:
    assert [dates.SPELLING.read(f"1/2/{year}") for year in (49, 50)] == ["2 January 2049", "2 January 1950"]
