"""Several values of one person that pass for the diversity of a class, and spellings of one value that do."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from numpy.random import default_rng
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.anonymity.spark.classes import CLASS, PERSON
from spark_deid.anonymity.spark.matching import MATCHED, count_matched, largest_matching
from spark_deid.core.errors import GateRefused

Classes = Mapping[tuple[object, ...], Mapping[str, set[str]]]


def people() -> pd.DataFrame:
    """Return 80 people, every third with two diseases."""
    random = default_rng(3)
    rows = []
    for person in range(80):
        age, illnesses = int(random.integers(20, 60)), random.choice(["flu", "cold", "gout"], 2, replace=False)
        rows += [(f"p{person}", age, illness) for illness in illnesses[: 2 if person % 3 == 0 else 1]]
    return pd.DataFrame(rows, columns=["person", "age", "disease"])


def classes_of(table: pd.DataFrame) -> Classes:
    found: dict[tuple[object, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for person, age, disease in table[["person", "age", "disease"]].itertuples(index=False):
        found[(age,)][person].add(disease.strip().lower())
    return found


def most_different(held: Mapping[str, set[str]]) -> int:
    """Return for how many people of a class different values can be found, by trying all choices."""
    for size in range(len(held), 0, -1):
        for persons in combinations(held.values(), size):
            if any(len(set(chosen)) == size for chosen in product(*persons)):
                return size
    return 0


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"algorithm": "mondrian"}, marks=pytest.mark.thorough),
        {"algorithm": "incognito", "suppression": 0.2},
    ],
)
def test_l_people_have_l_values(spark: SparkSession, given: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["disease"], "model": "l=2", "person": "person"}
    done = sd.anonymize(people(), **asked, **given)
    assert list(done.table.columns) == ["person", "age", "disease"]
    classes = classes_of(done.table)
    assert len(classes) > 1
    sizes = [min(most_different(dict(list(held.items())[:5])), 9) for held in classes.values()]
    assert min(sizes) >= 2
    assert done.assessments[0].value >= 2


def test_one_person_of_two_values_is_no_diverse_class(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("age,person,disease\n20,ann,flu\n20,ann,cold\n30,bob,flu\n30,cid,gout\n")
    columns: dict[str, Any] = {"quasi": ("age",), "sensitive": ("disease",), "person": "person"}
    told = app.assess(app.AssessOptions(table=str(table), model="l=2", **columns))
    assert not told.satisfied
    assert told.assessments[0]["value"] == 1


@pytest.mark.parametrize("model", ["entropy-l=1.5", "recursive-l=3:2"])
def test_models_that_state_nothing_of_people_of_several_values_are_refused(
    spark: SparkSession, tmp_path: Path, model: str
) -> None:
    frame = people()
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["disease"], "model": model, "person": "person"}
    with pytest.raises(GateRefused, match=r"27 people have several values of disease\. .* frequency-l"):
        sd.anonymize(frame, **asked)
    table = tmp_path / "table.csv"
    frame.assign(age="*").to_csv(table, index=False)
    columns: dict[str, Any] = {"quasi": ("age",), "sensitive": ("disease",), "person": "person"}
    told = app.assess(app.AssessOptions(table=str(table), model=model, **columns))
    assert [each["satisfied"] for each in told.assessments] == [True, False]


def test_spellings_of_a_value_are_no_diversity(spark: SparkSession) -> None:
    spellings = ["flu", "Flu ", "FLU", "\uff46lu"]
    frame = pd.DataFrame({"age": [20, 21, 40, 41] * 4, "disease": spellings * 3 + ["gout", "cold"] * 2})
    done = sd.anonymize(frame, quasi=["age"], sensitive=["disease"], model="l=2")
    assert done.table.groupby("age")["disease"].apply(lambda held: len({*held} & {"gout", "cold"})).min() >= 1
    assert sorted(done.table["disease"]) == sorted(frame["disease"])


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_matching_is_that_of_all_choices(seed: int) -> None:
    random = default_rng(seed)
    held = {f"p{at}": {*random.choice(list("abcd"), random.integers(1, 4))} for at in range(random.integers(1, 6))}
    single = sorted({value for values in held.values() if len(values) == 1 for value in values})
    several = [sorted(values) for values in held.values() if len(values) > 1]
    assert largest_matching(list(single), iter(several)) == most_different(held)


def test_matchings_of_many_classes_are_those_of_all_choices(spark: SparkSession) -> None:
    random = default_rng(7)
    held = {
        f"c{at}": {
            f"p{person}": {*random.choice([*"abc", None], random.integers(1, 4))}
            for person in range(random.integers(1, 5))
        }
        for at in range(60)
    }
    rows = [(name, person, value) for name, persons in held.items() for person in persons for value in persons[person]]
    frame = spark.createDataFrame(rows, f"{CLASS} string, {PERSON} string, disease string")
    found = {row[CLASS]: row[MATCHED] for row in count_matched(frame, "disease").collect()}
    assert found == {name: most_different(persons) for name, persons in held.items()}
