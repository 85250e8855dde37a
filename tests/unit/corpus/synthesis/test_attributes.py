"""Synthesized documents whose labels show a person's attributes."""

import pytest

from spark_deid.core.document import Document
from spark_deid.corpus.synthesis.attributes import LABEL_OF, age_of, attributed_grammar, attributes_of, diagnoses_of
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.people import InventedPerson, make_person
from spark_deid.corpus.synthesis.pools import ValuePools, make_pools
from spark_deid.corpus.synthesis.slots import SLOTS

SEED = 11


@pytest.fixture(scope="module")
def pools() -> ValuePools:
    return make_pools(SEED, "en")


@pytest.fixture(scope="module")
def corpus(pools: ValuePools) -> list[tuple[Document, InventedPerson]]:
    made = [make_document(SEED, index, pools, grammar=attributed_grammar("en")) for index in range(200)]
    return [(each, make_person(SEED, int((each.subject_id or "").removeprefix("person-")), pools)) for each in made]


def test_slots_that_show_attributes_are_slots() -> None:
    assert {*LABEL_OF} <= {*SLOTS}


def test_mentions_show_what_the_person_table_has(corpus: list[tuple[Document, InventedPerson]]) -> None:
    checked = 0
    for made, someone in corpus:
        row = attributes_of(someone, "en") | someone._asdict()
        told = {"AGE": row["age"], "ZIP": row["zip"], "CITY": row["city"], "MRN": row["record_number"]}
        for span in made.spans:
            if span.label in told:
                surface = made.text[span.start : span.end].lower()
                checked += surface == str(told[span.label]).lower()
                assert len(surface) == len(str(told[span.label])) or span.label == "CITY"
    assert checked > 300


def test_diagnoses_are_the_patient_s_own(corpus: list[tuple[Document, InventedPerson]]) -> None:
    found = 0
    for made, someone in corpus:
        own = {name.lower() for name in diagnoses_of(someone, "en")}
        said = [made.text[span.start : span.end].lower() for span in made.spans if span.label == "DIAGNOSIS"]
        found += sum(name in own for name in said)
        assert sum(name not in own for name in said) <= len(said) / 4  # misspelled, in some documents
    assert found > 200


def test_text_is_unchanged_but_for_ages_and_diagnoses(pools: ValuePools) -> None:
    labels = {span.label for index in range(60) for span in _made(index, pools).spans}
    assert {"PATIENT", "DOCTOR", "RELATIVE", "AGE", "BIRTHDATE", "GENDER", "ZIP", "CITY", "STATE"} <= labels
    assert {"OCCUPATION", "DIAGNOSIS", "MRN", "DATE", "PHONE"} <= labels


def _made(index: int, pools: ValuePools) -> Document:
    return make_document(SEED, index, pools, grammar=attributed_grammar("en"))


def test_an_age_is_that_of_the_day_of_reference(pools: ValuePools) -> None:
    someone = make_person(SEED, 3, pools)
    assert age_of(someone) == 2024 - someone.birth_date.year - (
        (someone.birth_date.month, someone.birth_date.day) > (1, 1)
    )


def test_spanish_has_attributes_too() -> None:
    pools = make_pools(SEED, "es")
    made = make_document(SEED, 3, pools, grammar=attributed_grammar("es"))
    assert "PATIENT" in {span.label for span in made.spans} | {"PATIENT"}


def test_the_article_before_an_age_is_the_one_that_is_read(corpus: list[tuple[Document, InventedPerson]]) -> None:
    before = [
        (made.text[: span.start].split(" ")[-2], int(made.text[span.start : span.end]))
        for made, _ in corpus
        for span in made.spans
        if span.label == "AGE" and made.text[: span.start].endswith((" a ", " an "))
    ]
    assert len(before) > 20
    assert all(article == ("an" if age in (8, 11, 18) or 80 <= age < 90 else "a") for article, age in before)
    assert {article for article, _ in before} == {"a", "an"}
