"""Tables of one model m that are released again and again: what who has all of them learns of a target.

Xiao and Tao (SIGMOD 2007, 1 and 3): the attacker has every published table, knows the quasi-identifiers of all targets
as they are and when each was in the table, and intersects the values of the classes that may be a target's.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
import pytest
from numpy.random import default_rng
from pyspark.sql import SparkSession

from spark_deid import app

DISEASES = ("flu", "cold", "gout", "asthma", "lupus")
PERSONS = 60
Rows = list[dict[str, object]]


def present(release: int) -> list[int]:
    """Return who is there: a third leaves for the second release and comes back, others come or go for good."""
    away = {1: range(50, 60), 2: range(20), 3: range(20, 30)}[release]
    return [person for person in range(PERSONS) if person not in away]


def ages() -> Mapping[int, int]:
    random = default_rng(8)
    return {person: int(random.integers(20, 90)) for person in range(PERSONS)}


def publish(folder: Path, release: int) -> Rows:
    """Release those who are there, and return what is published."""
    age = ages()
    rows = [(f"p{person}", age[person], DISEASES[(person * 7 + person // 9) % 5]) for person in present(release)]
    table = folder / f"people-{release}.csv"
    pd.DataFrame(rows, columns=["person", "age", "disease"]).to_csv(table, index=False)
    given: Any = {"workspace": str(folder / f"w{release}"), "key_file": folder / "key"}
    if release > 1:
        given["previous"] = str(folder / f"w{release - 1}")
    options = app.AnonymizeOptions(
        input=str(table),
        output=str(folder / f"out-{release}"),
        quasi=("age",),
        sensitive=("disease",),
        person="person",
        model="m=2",
        **given,
    )
    app.anonymize(options)
    parts = (folder / f"out-{release}" / "table").glob("*.parquet")
    return [row for part in parts for row in pq.read_table(part).to_pylist()]


def covers(shown: str, age: int) -> bool:
    low, _, high = shown.strip("[]").partition("-")
    return int(low) <= age <= int(high or low)


def classes_of(rows: Iterable[Mapping[str, object]]) -> dict[object, tuple[str, set[object], set[object]]]:
    found: dict[object, tuple[str, set[object], set[object]]] = {}
    for row in rows:
        _, values, ids = found.setdefault(row["class"], (str(row["age"]), set(), set()))
        values.add(row["disease"])
        ids.add(row["person"])
    return found


@pytest.mark.thorough
def test_no_target_is_certain_over_three_releases(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("5a" * 32)
    published = {release: publish(tmp_path, release) for release in (1, 2, 3)}
    classes = {release: classes_of(rows) for release, rows in published.items()}
    by_id: dict[object, list[set[object]]] = defaultdict(list)
    for rows in classes.values():
        for _, values, ids in rows.values():
            for name in ids:
                by_id[name].append(values)
    assert {len(values) for values in by_id.values()} == {1}, "an id stands in two releases"
    for person, age in ages().items():
        may_have: set[object] = set(DISEASES)
        for release in (each for each in (1, 2, 3) if person in present(each)):
            own = [values for shown, values, _ in classes[release].values() if covers(shown, age)]
            may_have &= set().union(*own)
        assert len(may_have) >= 2, person


@pytest.mark.thorough
def test_the_ids_of_every_algorithm_are_drawn_again(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    rows = [(f"p{person}", age, "x") for person, age in ages().items()]
    pd.DataFrame(rows, columns=["person", "age", "disease"]).to_csv(table, index=False)
    (tmp_path / "key").write_text("5a" * 32)
    for algorithm in ("mondrian", "incognito"):
        seen: list[set[str]] = []
        for at in range(2):
            output = tmp_path / f"{algorithm}-{at}"
            given: Any = {"algorithm": algorithm, "key_file": tmp_path / "key", "person": "person", "model": "k=3"}
            app.anonymize(app.AnonymizeOptions(input=str(table), output=str(output), quasi=("age",), **given))
            parts = (output / "table").glob("*.parquet")
            seen.append({name for part in parts for name in pq.read_table(part).column("person").to_pylist()})
        assert len(seen[0]) == len(seen[1]) == PERSONS
        assert not seen[0] & seen[1]
