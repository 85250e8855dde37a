"""A table that is released twice: the recount of both finds them to hold together."""

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.demands import read_models
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.invariance import numbered, recode_by_invariance
from spark_deid.core.errors import GateRefused

CLAIM = PrivacyClaim(("age", "city"), read_models("m=3"), ("disease",), "person")


def people(spark: SparkSession, numbers: range, partitions: int) -> DataFrame:
    random = np.random.default_rng(2)
    rows = [(int(random.integers(90)), f"p{number}", f"d{number % 5}", "xy"[number % 2]) for number in range(60)]
    chosen = [rows[number] for number in numbers]
    return spark.createDataFrame(chosen, "age int, person string, disease string, city string").repartition(partitions)


def test_two_releases_hold_together_for_any_partitioning(spark: SparkSession) -> None:
    first = recode_by_invariance(people(spark, range(40), 3), CLAIM, previous=None, key=b"k" * 32)
    before = spark.createDataFrame(first.table.collect(), first.table.schema)
    made = [
        recode_by_invariance(people(spark, range(12, 60), partitions), CLAIM, previous=before, key=b"k" * 32)
        for partitions in (1, 7)
    ]
    after = spark.createDataFrame(made[0].table.collect(), made[0].table.schema)
    assert sorted(after.collect()) == sorted(made[1].table.collect())
    assert made[0].summary["counterfeits"] == after.count() - 48 + made[0].summary["suppressed_rows"]
    told = assess_table(after, numbered(CLAIM), ReferenceTables(previous=before)).assessed
    assert [each.assessment.satisfied for each in told] == [True, True]
    assert "persons_released_before=28" in told[1].assessment.evidence


def test_a_table_of_nobody_who_was_there_before_is_refused(spark: SparkSession) -> None:
    """Hashes by another key look like new persons, and would be put into classes of other values."""
    key = b"k" * 32
    before = recode_by_invariance(people(spark, range(30), 3), CLAIM, previous=None, key=key).table
    with pytest.raises(GateRefused, match="none of its persons is in the table"):
        recode_by_invariance(people(spark, range(30, 60), 3), CLAIM, previous=before, key=key)
