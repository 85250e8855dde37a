"""Ends of ranges as originals: who knows whom a class has looks whose birth date, age or postcode stands at an end."""

import re

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import RecodingMode, read_recoding
from spark_deid.plan.load import check_methods
from tests.unit.identity.in_memory import IdentifierView, ViewRecodingSettings, generalize

KINDS = {"birth_date": "date", "age": "age", "zip": "postcode"}
PERSONS = 440


def view(seed: int) -> IdentifierView:
    random = np.random.default_rng(seed)
    born = np.datetime64("1931-02-03") + random.integers(0, 25_000, PERSONS)
    ages = (np.datetime64("2024-06-01") - born).astype(int) // 365
    columns = {
        "birth_date": born.astype(str),
        "age": ages.astype(str),
        "zip": random.integers(10003, 99938, PERSONS).astype(str),
    }
    return IdentifierView(PERSONS, {name: pa.array(values, pa.string()) for name, values in columns.items()})


def ends(labels: list[str]) -> set[str]:
    return {end for label in labels for end in re.split(r"\.\.|(?<=\d)-(?=\d+\]$)", label.strip("[]")) if "[" in label}


def originals_at_ends(name: str, recoding: dict[str, RecodingMode]) -> int:
    """Count, over five tables, the persons whose value is an end of what their class shows."""
    found = 0
    for seed in range(5):
        given = view(seed)
        how = ViewRecodingSettings(read_models("k=5"), KINDS, {}, recoding)
        shown = generalize(given, how)[name].to_pylist()
        found += sum(value in ends([label]) for value, label in zip(given.quasi[name].to_pylist(), shown, strict=True))
    return found


def test_by_default_ends_of_ranges_are_no_one_s_birth_dates() -> None:
    tight = originals_at_ends("birth_date", {"birth_date": RecodingMode.TIGHT})
    assert tight > PERSONS  # a fifth of five times 440 persons
    # The first of a month is an end by chance: 1 day in 30, of which few are an end of their own class.
    assert originals_at_ends("birth_date", {}) < tight / 50


def test_postcodes_and_ages_end_at_borders_of_the_grid() -> None:
    given = view(1)
    shown = generalize(given, ViewRecodingSettings(read_models("k=5"), KINDS, {}, {}))
    postcodes = [label.strip("[]").split("-") for label in shown["zip"].to_pylist() if "[" in label]
    assert postcodes
    assert all(low.endswith("0") and high.endswith("9") for low, high in postcodes)
    ages = [label.strip("[]").split("-") for label in shown["age"].to_pylist() if "[" in label]
    assert ages
    assert all(int(low) % 5 == 0 and int(high) % 5 == 4 for low, high in ages)


def test_a_table_shows_bands_where_nothing_else_is_stated() -> None:
    assert set(read_recoding("age=tight", ("age", "zip")).values()) == {RecodingMode.TIGHT, RecodingMode.BANDS}


@pytest.mark.parametrize(("mode", "warned"), [("tight", True), ("region", True), ("bands", False)])
def test_a_plan_that_asks_for_ends_that_show_warns(mode: str, warned: bool) -> None:
    from spark_deid.identity.detector import KIND

    settings = check_methods(
        {
            "sources": ["gold", "identity"],
            "rules": {"AGE": "recode"},
            "identity": {"attributes": {"AGE": "age"}, "roles": {"quasi": ["age"]}},
            "anonymity": {"model": {"k": 2}, "recoding": {"age": mode}},
        },
        "plan",
    )
    assert KIND.warn is not None
    told = KIND.warn(settings.sections["identity"], [])
    assert bool(told) is warned
