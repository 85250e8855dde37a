"""A table that is released twice: the recount of both finds them to hold together."""

from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.invariance import claim_classes, recode_by_invariance
from spark_deid.anonymity.spark.known_persons import COLUMNS, known_persons
from spark_deid.core.errors import GateRefused

KEYS: dict[str, Any] = {"key": b"k" * 32, "release_key": b"r" * 32}
CLAIM = PrivacyClaim(("age", "city"), read_models("m=3"), ("disease",), "person")


def people(spark: SparkSession, numbers: range, partitions: int) -> DataFrame:
    random = np.random.default_rng(2)
    rows = [(int(random.integers(90)), f"p{number}", f"d{number % 5}", "xy"[number % 2]) for number in range(60)]
    chosen = [rows[number] for number in numbers]
    return spark.createDataFrame(chosen, "age int, person string, disease string, city string").repartition(partitions)


@pytest.mark.thorough
def test_two_releases_hold_together_for_any_partitioning(spark: SparkSession) -> None:
    table = people(spark, range(40), 3)
    first = recode_by_invariance(table, CLAIM, previous=None, **KEYS)
    rows = spark.createDataFrame(first.table.collect(), first.table.schema)
    before = known_persons(table, rows, claim_classes(CLAIM), KEYS["release_key"], signed=True).localCheckpoint()
    keys = {**KEYS, "release_key": b"s" * 32}
    made = [
        recode_by_invariance(people(spark, range(12, 60), partitions), CLAIM, previous=before, **keys)
        for partitions in (1, 7)
    ]
    after = spark.createDataFrame(made[0].table.collect(), made[0].table.schema)
    assert sorted(after.collect()) == sorted(made[1].table.collect())
    assert made[0].summary["counterfeits"] == after.count() - 48 + made[0].summary["suppressed_rows"]
    assert not {row["person"] for row in rows.collect()} & {row["person"] for row in after.collect()}
    table = people(spark, range(12, 60), 3)
    known = known_persons(
        table, after, claim_classes(CLAIM), keys["release_key"], before, signed=True
    ).localCheckpoint()
    told = assess_table(after, claim_classes(CLAIM), ReferenceTables(known=known)).assessed
    assert [each.assessment.satisfied for each in told] == [True, True, True]
    assert "persons_released_before=28" in told[1].assessment.evidence
    kept = {row["person"]: row["signature"] for row in before.collect() if row["person"]}
    later = {row["person"]: row["signature"] for row in known.collect() if row["person"]}
    assert len(later) == 60
    assert {person: later[person] for person in kept} == kept


def test_a_table_of_no_one_who_was_there_before_is_refused(spark: SparkSession) -> None:
    """Another column of people would have them put into classes of other values."""
    before = spark.createDataFrame([("p1", "x", None, ["d1", "d2", "d3"])], COLUMNS)
    with pytest.raises(GateRefused, match="--previous: the table has no person"):
        recode_by_invariance(people(spark, range(30, 60), 3), CLAIM, previous=before, **KEYS)
