"""Tables are recounted by grouping them: what holds is stated to hold, and what is planted is refused."""

from collections.abc import Sequence

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.constraint import free_constraint, sensitive_of
from spark_deid.anonymity.kernels.constraint import distance
from spark_deid.anonymity.model_options import SensitiveDistance
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.spark.assessment import TableRecount, assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.known_persons import COLUMNS
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from spark_deid.guarantees.gate import require

Row = tuple[str | None, str | None, str, str | None]
TABLE: Sequence[Row] = (
    ("[20-29]", "A", "ann", "flu"),
    ("[20-29]", "A", "bob", "cold"),
    (None, "A", "cid", "flu"),
    (None, "A", "dan", "cold"),
    ("[30-39]", None, "eve", "flu"),
    ("[30-39]", None, "eve", None),
    ("[30-39]", None, "fay", "cold"),
)
EVERY_MODEL = "k=2,l=2,frequency-l=2,entropy-l=2,recursive-l=2:2,t=0.2,alpha=0.5"


def frame(spark: SparkSession, rows: Sequence[Row]) -> DataFrame:
    return spark.createDataFrame(list(rows), "age string, zip string, person string, disease string")


def recount(spark: SparkSession, rows: Sequence[Row], models: str, *, person: str | None = "person") -> TableRecount:
    claim = PrivacyClaim(("age", "zip"), read_models(models), ("disease",), person)
    return assess_table(frame(spark, rows), claim)


def test_every_model_is_recounted_by_people(spark: SparkSession) -> None:
    of_one_value = tuple(row for row in TABLE if row != ("[30-39]", None, "eve", None))
    told = recount(spark, of_one_value, EVERY_MODEL)
    assert [(each.assessment.guarantee, each.assessment.value) for each in told.assessed] == [
        ("k-anonymous", 2),
        ("l-diverse", 2),
        ("frequency-l-diverse", 0.5),
        ("entropy-l-diverse", pytest.approx(2)),
        ("entropy-l-diverse", 1),
        ("recursive-l-diverse", 1),
        ("recursive-l-diverse", 1),
        ("t-close", pytest.approx(0)),
        ("alpha-k-anonymous", 0.5),
    ]
    assert told.satisfied
    assert (told.classes, told.rows, told.persons_in_several_classes) == (3, 6, 0)


def test_a_missing_value_is_one_and_two_models_state_nothing_of_people_of_several(spark: SparkSession) -> None:
    told = recount(spark, TABLE, EVERY_MODEL)
    values = {each.assessment.guarantee: each.assessment.value for each in told.assessed}
    assert values["t-close"] == pytest.approx(4 / 21)
    failing = [(each.assessment.guarantee, each.assessment.value) for each in told.assessed if each.reasons]
    assert failing == [("entropy-l-diverse", 2), ("recursive-l-diverse", 2)]
    assert not told.satisfied


def test_what_holds_is_no_violation(spark: SparkSession) -> None:
    assert recount(spark, TABLE, "k=2,l=2,frequency-l=2").satisfied


@pytest.mark.parametrize(
    ("planted", "models", "guarantee"),
    [
        ((("[40-49]", "A", "gus", "flu"),), "k=2", "k-anonymous"),
        ((("[40-49]", "A", "gus", "flu"), ("[40-49]", "A", "hal", "flu")), "k=2,l=2", "l-diverse"),
        ((("[40-49]", "A", "gus", "flu"), ("[40-49]", "A", "gus", "cold")), "k=2", "k-anonymous"),
        ((("[20-29]", "A", "eve", "flu"),), "k=2", "k-anonymous"),
        ((("[20-29]", "A", "gus", "flu"), ("[20-29]", "A", "gus", "cold")), "frequency-l=2", "frequency-l-diverse"),
    ],
    ids=["k - 1", "one value", "k rows of one person", "a person in two classes", "all but one hold a value"],
)
def test_planted_violations_are_refused(
    spark: SparkSession, planted: Sequence[Row], models: str, guarantee: str
) -> None:
    told = recount(spark, (*TABLE, *planted), models)
    assert guarantee in {each.assessment.guarantee for each in told.assessed if not each.assessment.satisfied}
    with pytest.raises(GateRefused):
        require(told.assessed, expected=[guarantee])


def test_rows_count_where_no_person_is_named(spark: SparkSession) -> None:
    rows = [("[20-29]", "A", "gus", "flu"), ("[20-29]", "A", "gus", "cold")]
    assert recount(spark, rows, "k=2", person=None).satisfied
    assert not recount(spark, rows, "k=2").satisfied


def test_an_empty_table_satisfies_nothing(spark: SparkSession) -> None:
    told = recount(spark, (), "k=2,l=2,t=0.5")
    assert not any(each.assessment.satisfied for each in told.assessed)


def test_a_row_without_a_person_is_an_error(spark: SparkSession) -> None:
    with pytest.raises(CorpusError, match="person: 1 rows"):
        assess_table(
            spark.createDataFrame([("a", None)], "age string, person string"),
            PrivacyClaim(("age",), read_models("k=2"), person="person"),
        )


def test_an_unknown_column_is_bad_usage(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match="size"):
        assess_table(frame(spark, TABLE), PrivacyClaim(("size",), read_models("k=2")))


LEVELS = (("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"))


@pytest.mark.parametrize("kind", [SensitiveDistance.EQUAL, SensitiveDistance.ORDERED, SensitiveDistance.HIERARCHICAL])
def test_distances_equal_those_that_the_enforcers_keep_to(spark: SparkSession, kind: SensitiveDistance) -> None:
    random = np.random.default_rng(7)
    counts = random.integers(0, 4, (5, 5))
    counts[0] = 1
    rows = [
        (str(number), (None, "a", "b", "c", "d")[value])
        for number, row in enumerate(counts)
        for value in range(5)
        for _ in range(row[value])
    ]
    claim = PrivacyClaim(("q",), read_models("t=0"), ("s",), distance=kind, hierarchies={"s": LEVELS})
    told = assess_table(spark.createDataFrame(rows, "q string, s string"), claim).assessed[0].assessment
    ancestors = np.array([[0, 1, 2, 3, 4], [0, 1, 1, 2, 2]])
    constraint = claim.models.tighten(free_constraint([sensitive_of(counts.sum(axis=0), kind, ancestors=ancestors)]))
    assert told.value == pytest.approx(max(distance(constraint, 0, row) for row in counts))


Quasi = tuple[str | None, str | None]
POPULATION: Sequence[Quasi] = (
    *((str(age), "A") for age in range(20, 26)),
    *((None, "A") for _ in range(4)),
    *(("31", None), ("39", None), ("35", None), ("35", None)),
)


@pytest.mark.parametrize(
    ("models", "further", "holds"),
    [
        ("delta=0.3:0.5", (), (True, True)),
        ("delta=0.4:0.5", (), (False, True)),
        ("delta=0:0.4", (), (True, False)),
        ("delta=0.3:0.5", (("40", None),), (False, True)),
        ("delta=0:0.5", (("40", None),), (True, True)),
    ],
    ids=["within", "too few", "too many", "absent though some of everybody must be there", "absent as may be"],
)
def test_who_is_present_is_counted_by_what_labels_cover(
    spark: SparkSession, models: str, further: Sequence[Quasi], holds: tuple[bool, bool]
) -> None:
    claim = PrivacyClaim(("age", "zip"), read_models(models), (), "person")
    population = spark.createDataFrame([*POPULATION, *further], "age string, zip string")
    told = assess_table(frame(spark, TABLE), claim, ReferenceTables(population=population))
    assert tuple(each.assessment.satisfied for each in told.assessed) == holds


@pytest.mark.parametrize(
    ("before", "holds"),
    [
        pytest.param((("x", "A", "ann", "flu"), ("x", "A", "old", "cold")), (True, True), marks=pytest.mark.thorough),
        ((("x", "A", "ann", "flu"), ("x", "A", "old", "gout")), (True, False)),
        ((("x", "A", "old", "flu"),), (True, True)),
    ],
    ids=["the same values", "another value", "nobody is left"],
)
def test_who_was_released_before_keeps_the_values_of_the_class(
    spark: SparkSession, before: Sequence[Row], holds: tuple[bool, bool]
) -> None:
    claim = PrivacyClaim(("age", "zip"), read_models("m=2"), ("disease",), "person")
    told = assess_table(frame(spark, TABLE[:4]), claim, ReferenceTables(known=known(spark, TABLE[:4], before)))
    assert tuple(each.assessment.satisfied for each in told.assessed) == (*holds, True)
    strangers = ReferenceTables(known=known(spark, TABLE[1:4], before))
    assert not assess_table(frame(spark, TABLE[:4]), claim, strangers).assessed[2].assessment.satisfied
    with pytest.raises(UsageError, match="--workspace: expected the workspace of the run"):
        assess_table(frame(spark, TABLE[:4]), claim)


def known(spark: SparkSession, rows: Sequence[Row], before: Sequence[Row] = ()) -> DataFrame:
    """State who is who: people under their own names, with the values that one class had before."""
    earlier = {person: sorted({str(row[3]) for row in before}) for _, _, person, _ in before}
    there = [(person, person, earlier.get(person), None) for person in dict.fromkeys(row[2] for row in rows)]
    return spark.createDataFrame(there, COLUMNS)


def test_values_of_a_class_must_differ_for_later_releases(spark: SparkSession) -> None:
    planted = (*TABLE[:4], (None, "A", "eve", "cold"))
    claim = PrivacyClaim(("age", "zip"), read_models("m=2"), ("disease",), "person")
    assert not assess_table(frame(spark, planted), claim, ReferenceTables(known=known(spark, planted))).satisfied
