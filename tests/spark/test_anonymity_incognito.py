"""Incognito on Spark: the nodes of trying every node, a table that its recount finds to hold, for any partitioning."""

from collections.abc import Sequence

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.incognito import recode, recode_by_incognito, search_full_domain
from spark_deid.core.errors import GateRefused, UsageError
from tests.unit.anonymity.brute import People, brute_minimal, random_people


def quasi(people: People) -> tuple[str, ...]:
    return tuple(f"q {at}" for at in range(len(people.hierarchies)))


def frame(spark: SparkSession, people: People, partitions: int) -> DataFrame:
    rows = [(*place, f"p{person}", value, "kept") for place, person, value in people.rows]
    columns = [f"`{name}` string" for name in quasi(people)]
    made = spark.createDataFrame(rows, ", ".join([*columns, "person string", "disease int", "more string"]))
    return made.repartition(partitions)


def claim_of(people: People, models: str) -> PrivacyClaim:
    hierarchies = {name: each.rows for name, each in zip(quasi(people), people.hierarchies, strict=True)}
    return PrivacyClaim(quasi(people), read_models(models), ("disease",), "person", hierarchies=hierarchies)


@pytest.mark.parametrize(
    ("seed", "models", "suppression"),
    [pytest.param(3, "k=2,l=2", 0.3, marks=pytest.mark.thorough), (8, "k=2,delta=0.2:0.9", 0.0)],
)
def test_nodes_are_those_of_trying_all_and_the_table_holds(
    spark: SparkSession, seed: int, models: str, suppression: float
) -> None:
    people = random_people(np.random.default_rng(seed))
    table, claim = frame(spark, people, 7), claim_of(people, models)
    population = spark.createDataFrame(people.population, ", ".join(f"`{name}` string" for name in quasi(people)))
    found = search_full_domain(table, claim, suppression=suppression, population=population)
    most = int(suppression * len(people.rows))
    assert found.search.minimal == brute_minimal(people, claim.models, most)
    published = recode(table, found)
    assert published.columns == table.columns
    recount = assess_table(published, PrivacyClaim(claim.quasi, read_models("k=2"), ("disease",), "person"))
    assert recount.satisfied
    assert recount.rows == len(people.rows) - found.choice.outcome.suppressed


def test_the_least_loss_is_chosen_for_any_partitioning(spark: SparkSession) -> None:
    people = random_people(np.random.default_rng(5))
    claim = claim_of(people, "k=2")
    told = [
        recode_by_incognito(frame(spark, people, partitions), claim, suppression=0.5, metric=LossMetric.PRECISION)
        for partitions in (1, 7)
    ]
    assert told[0].summary == told[1].summary
    assert sorted(told[0].table.collect()) == sorted(told[1].table.collect())


def test_a_column_that_is_missing_throughout_has_one_level(spark: SparkSession) -> None:
    rows: Sequence[tuple[None, int]] = [(None, 20), (None, 24), (None, 31), (None, 39)]
    found = search_full_domain(
        spark.createDataFrame(rows, "gone string, age int"), PrivacyClaim(("gone", "age"), read_models("k=2"))
    )
    assert found.search.minimal == ((0, 2),)


@pytest.mark.parametrize(("models", "error"), [("k=9", GateRefused), ("m=2", UsageError)])
def test_what_no_node_satisfies_is_refused(spark: SparkSession, models: str, error: type[Exception]) -> None:
    table = spark.createDataFrame([("a", "p", 1), ("b", "q", 2)], "q string, p string, s int")
    with pytest.raises(error):
        search_full_domain(table, PrivacyClaim(("q",), read_models(models), ("s",), "p"))
