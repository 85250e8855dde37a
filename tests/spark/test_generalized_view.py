"""The view generalized by Spark, compared with the same in memory, and however it is divided."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_kind import RecodingFolders
from spark_deid.identity.spark.recoding import generalized_view, hierarchies_of, persons_of
from spark_deid.plan.load import check_methods
from tests.unit.identity.drawn_views import CITIES, KINDS, drawn, view_of
from tests.unit.identity.in_memory import HeldValues, ViewRecodingSettings, generalize

SENSITIVE = ("ill", "drug")


def shown_by_spark(
    spark: SparkSession, folder: Path, partitions: int, seed: int, anonymity: dict[str, Any]
) -> dict[tuple[str, str], tuple[str | None, str | None]]:
    names = (*KINDS, *SENSITIVE, "name")
    content = {
        "sources": ["gold", "identity"],
        "rules": {"AGE": "recode"},
        "identity": {
            "attributes": {name.upper(): name for name in names},
            "roles": {"quasi": [*KINDS], "sensitive": [*SENSITIVE], "identifiers": ["name"]},
            "kinds": {"city": "term"},
        },
        "anonymity": anonymity,
    }
    keys = check_methods(content, "plan").sections["identity"]
    rows, held = drawn(seed)
    cells = [(f"p{at}", name, value) for at, row in enumerate(rows) for name, value in zip(KINDS, row, strict=True)]
    cells += [(f"p{at}", SENSITIVE[which], value) for at, value, which in held]
    cells += [("p0", "name", "orr, di")]
    values = spark.createDataFrame(cells, "person string, attribute string, value string").repartition(partitions)
    persons = spark.createDataFrame([(f"p{at}",) for at in range(len(rows))], "person string")
    known: DataFrame = persons_of(persons, values.where("value IS NOT NULL"), keys.identity.roles).localCheckpoint()
    folders = RecodingFolders(folder / "scratch", folder / "output")
    view = generalized_view(known.repartition(partitions), keys, hierarchies_of(keys), folders).collect()
    assert len(view) == len(rows) * len(KINDS) + len(held) + 1
    assert {tuple(row) for row in view if row["attribute"] not in KINDS} == {
        *((f"p{at}", SENSITIVE[which], value, None) for at, value, which in held),
        ("p0", "name", "orr, di", None),
    }
    return {(row[0], row[1]): (row[2], row[3]) for row in view if row["attribute"] in KINDS}


def one_each(spark: SparkSession, held: HeldValues) -> HeldValues:
    """Return of each person the value that Spark hashes least."""
    values = held.values.to_pylist()
    rows = spark.createDataFrame([(value,) for value in values], "value string").distinct()
    hashed = {row[0]: row[1] for row in rows.select("value", F.xxhash64("value")).collect()}
    chosen: dict[int, str] = {}
    for person, value in sorted(zip(held.persons.tolist(), values, strict=True), key=lambda pair: -hashed[pair[1]]):
        chosen[person] = value
    return HeldValues(np.array([*chosen], np.int64), pa.array(chosen.values(), pa.string()))


@pytest.mark.parametrize(
    ("algorithm", "seed", "models", "partitions"),
    [
        ("mondrian", 1, {"k": 2, "frequency-l": 1.5}, 7),
        ("mondrian", 4, {"k": 3, "l": 2}, 1),
        ("incognito", 1, {"k": 2, "frequency-l": 1.5}, 1),
        ("incognito", 6, {"k": 4}, 7),
        ("mondrian", 2, {"k": 100}, 7),
    ],
)
def test_people_show_what_they_show_in_memory(
    spark: SparkSession, tmp_path: Path, algorithm: str, seed: int, models: dict[str, Any], partitions: int
) -> None:
    (tmp_path / "city.csv").write_text("\n".join(";".join(row) for row in CITIES.rows) + "\n")
    share = 0.3 if algorithm == "incognito" else 0.0
    anonymity = {"model": models, "algorithm": algorithm, "suppression": share, "hierarchies": str(tmp_path)}
    found = shown_by_spark(spark, tmp_path, partitions, seed, anonymity)
    told = read_models(",".join(f"{name}={number}" for name, number in models.items()))
    rows, held = drawn(seed)
    whole = view_of(rows, held)
    if "l" in models:
        whole = replace(whole, sensitive=(*whole.sensitive, *(one_each(spark, each) for each in whole.sensitive)))
    expected = generalize(whole, ViewRecodingSettings(told, KINDS, {"city": CITIES}, {}, algorithm, share))
    for name in KINDS:
        for at, label in enumerate(expected[name].to_pylist()):
            value = rows[at][[*KINDS].index(name)]
            is_partial = name == "birth_date" and value is not None and len(value) != len("1970-01-01")
            assert found[f"p{at}", name] == (None if is_partial else value, label)
    assert (models["k"] == 100) is all(label is None for _, label in found.values())
