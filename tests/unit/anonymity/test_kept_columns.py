"""Columns that stay: which name persons, and which tell what is recoded; columns that say nothing are let through."""

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.identifying import found_in
from spark_deid.anonymity.kept_pairs import CLASS, PERSON, kept_column, original_column, telling_columns

Texts = list[str]


def rows(ages: np.ndarray, columns: list[Texts], width: int = 8) -> pa.Table:
    """Recode ages to classes of equal width, beside columns that stay."""
    classes = [f"[{age // width * width}-{age // width * width + width - 1}]" for age in ages]
    named = {CLASS: classes, PERSON: [None] * len(ages), original_column(0): [str(age) for age in ages]}
    return pa.table(
        {name: pa.array(texts, pa.string()) for name, texts in named.items()}
        | {kept_column(at): pa.array(texts, pa.string()) for at, texts in enumerate(columns)}
    )


def people(seed: int, number: int) -> tuple[np.random.Generator, np.ndarray]:
    random = np.random.default_rng(seed)
    return random, random.integers(20, 84, number)


def test_columns_that_show_an_age_are_found() -> None:
    random, ages = people(1, 400)
    bands = [f"{age // 5 * 5}-{age // 5 * 5 + 4}" for age in ages]
    coded = [f"B{age // 3}" for age in ages]
    years = [str(2024 - age - int(random.integers(0, 2))) for age in ages]
    some = [str(age) if random.random() < 0.4 else str(random.integers(20, 84)) for age in ages]
    noise = [str(random.integers(0, 9)) for _ in ages]
    found = telling_columns(
        rows(ages, [bands, coded, years, some, noise]), ["age"], ["band", "code", "year", "some", "n"]
    )
    assert sorted(found.telling) == ["band", "code", "some", "year"]
    assert not found.doubtful


def test_of_few_people_it_is_only_declared() -> None:
    _, ages = people(2, 80)
    found = telling_columns(rows(ages, [[str(age) for age in ages]]), ["age"], ["copy"])
    assert not found.telling
    assert [*found.doubtful] == ["copy"]


def test_what_the_class_shows_already_is_no_gain() -> None:
    _, ages = people(3, 300)
    assert not telling_columns(rows(ages, [[str(age // 8) for age in ages]]), ["age"], ["eighth"]).telling


def test_rows_in_another_order_show_the_same() -> None:
    random, ages = people(4, 300)
    table = rows(ages, [[str(age // 2) for age in ages]])
    shuffled = table.take(pa.array(random.permutation(300)))
    assert telling_columns(table, ["age"], ["half"]) == telling_columns(shuffled, ["age"], ["half"])


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.thorough) for part in (1, 2, 3))])
def test_hardly_an_independent_column_is_refused(part: int) -> None:
    refused = 0
    for seed in range(10):
        random, ages = people(100 * part + seed, int(np.random.default_rng(seed + 40 * part).integers(30, 1000)))
        columns = [
            [str(value) for value in random.integers(0, int(random.choice([2, 5, 20, 200])), len(ages))]
            if at % 2
            else [f"{value:.2f}" for value in random.normal(50, 20, len(ages))]
            for at in range(25)
        ]
        refused += len(telling_columns(rows(ages, columns), ["age"], [str(at) for at in range(25)]).telling)
    assert refused <= 1  # of 250, a fourth of 1,000 of which five may be


def test_names_mail_and_codes_are_known_and_diseases_are_not() -> None:
    assert found_in(["Ann Leeds", "Bob Ray", "James Smith", "Mary Johnson"]) == "NAME"
    assert found_in(["ann@example.org", "b.ray@example.org", "c@example.com"]) == "EMAIL"
    assert found_in(["617-555-0143", "(617) 555-0199", "617 555 0101"]) == "PHONE"
    assert found_in(["flu", "heart attack", "gout", "Parkinson's disease", "broken arm"]) is None
    assert found_in(["Boston", "New York", "Los Angeles", "San Francisco", "St. Louis"]) is None
