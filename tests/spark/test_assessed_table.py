"""``assess --table`` from files: hierarchies, a population, and what was released before."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import TYPES, ColumnKind, ColumnType, save_types
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.known_persons import COLUMNS, KNOWN
from spark_deid.anonymity.spark.usable import read_table, unfold_lists
from spark_deid.app.assessing import assess_columns
from spark_deid.app.figures import TableAssessmentFigures
from spark_deid.app.options.assessing import AssessTableOptions
from spark_deid.app.tables import claim_of
from spark_deid.core.errors import CorpusError, UsageError

TABLE = """age,city,person,disease
[20-29],France,a,flu
[20-29],France,b,cold
[30-39],Italy,c,flu
[30-39],Italy,d,gout
"""
POPULATION = """age,city
20,Paris
21,Lyon
29,Paris
30,Rome
31,Rome
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "before.csv").write_text(TABLE.replace("gout", "cold"))
    (tmp_path / "people.csv").write_text(POPULATION)
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "hierarchies" / "city.csv").write_text("Paris;France;*\nLyon;France;*\nRome;Italy;*\n")
    (tmp_path / "hierarchies" / "disease.csv").write_text("flu;resp\ncold;resp\ngout;other\n")
    return tmp_path


def assessed(spark: SparkSession, folder: Path, model: str, **further: str) -> TableAssessmentFigures:
    options = AssessTableOptions(
        table=str(folder / "table.csv"),
        quasi=("age", "city"),
        sensitive=("disease",),
        person="person",
        model=model,
        **{name: str(folder / place) for name, place in further.items()},  # type: ignore[arg-type]
    )
    return assess_columns(spark, options, claim_of(options))


def test_a_population_is_covered_by_ranges_and_nodes(spark: SparkSession, folder: Path) -> None:
    told = assessed(spark, folder, "k=2,delta=0.5:1", population="people.csv", hierarchies="hierarchies")
    assert [(each["value"], each["satisfied"]) for each in told.assessments] == [(2, True), (2 / 3, True), (1, True)]
    assert told.risk["journalist"] == 0.5


def test_a_population_is_read_by_the_types_of_the_workspace(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("age\n[20-29]\n[20-29]\nother\nother\n")
    ages = [str(20 + at) for at in range(10)] * 4
    (tmp_path / "people.csv").write_text("\n".join(["age", *ages, "90+", "90+", "none"]) + "\n")
    (tmp_path / "w").mkdir()
    save_types(tmp_path / "w" / TYPES, {"age": ColumnType(ColumnKind.NUMBER)})
    said: list[str] = []

    def shares(**further: str) -> str:
        options = AssessTableOptions(
            table=str(tmp_path / "table.csv"),
            quasi=("age",),
            model="k=2,delta=0.01:1",
            population=str(tmp_path / "people.csv"),
            **further,  # type: ignore[arg-type]
        )
        told = assess_columns(spark, options, claim_of(options), said.append)
        return str(told.assessments)

    assert "0.6666" in shares(workspace=str(tmp_path / "w"))
    assert not said
    assert "0.6666" not in shares()
    assert said[0].startswith("--population: age: 3 of 43 cells are not numbers")


def test_ids_of_people_that_look_equal_are_one_people(spark: SparkSession, folder: Path) -> None:
    (folder / "table.csv").write_text(TABLE.replace(",b,", ",a\u00ad ,").replace(",d,", ",\uff43,"))
    said: list[str] = []
    options = AssessTableOptions(
        table=str(folder / "table.csv"), quasi=("age",), person="person", sensitive=("disease",), model="k=2,l=2"
    )
    told = assess_columns(spark, options, claim_of(options), said.append)
    assert [each["value"] for each in told.assessments] == [1, 1]
    assert told.respelled_ids == 2
    assert [line[:35] for line in said] == ["person: 2 spellings of ids differ from another"[:35]]


def test_an_id_of_which_nothing_is_seen_names_no_one(spark: SparkSession, folder: Path) -> None:
    (folder / "table.csv").write_text(TABLE.replace(",b,", ",\u200b ,"))
    with pytest.raises(CorpusError, match=r"person: 1 rows .*no person"):
        assessed(spark, folder, "k=2")


def test_distances_follow_a_hierarchy(spark: SparkSession, folder: Path) -> None:
    told = assessed(spark, folder, "t=0.2", hierarchies="hierarchies")
    assert told.assessments[0]["value"] == pytest.approx(0.25)
    assert not told.satisfied


@pytest.mark.thorough
def test_a_changed_signature_breaks_a_later_release(spark: SparkSession, folder: Path) -> None:
    for name, other in (("same", "gout"), ("changed", "cold")):
        before = {"a": ["cold", "flu"], "b": ["flu", "cold"], "c": ["flu", other], "d": ["flu", other]}
        known = spark.createDataFrame([(p.upper(), p, values, values) for p, values in before.items()], COLUMNS)
        known.coalesce(1).write.format("delta").save(str(folder / name / KNOWN))
    assert assessed(spark, folder, "m=2", workspace="same").satisfied
    told = assessed(spark, folder, "m=2", workspace="changed")
    assert "failing_persons_released_before=2" in told.assessments[1]["evidence"]
    with pytest.raises(UsageError, match="needs --workspace"):
        assessed(spark, folder, "m=2")


def test_cells_of_csv_are_read_as_they_are_written(spark: SparkSession, tmp_path: Path) -> None:
    lines = ("zip,id,weight,born", "02138,1234567890123456789,1.10,2010-06-22", "10001,,70.5,")
    (tmp_path / "t.csv").write_text("\n".join((*lines, "")))
    table = read_table(spark, str(tmp_path / "t.csv"))
    assert [kind for _, kind in table.dtypes] == ["string"] * 4
    assert [tuple(row) for row in table.collect()] == [
        ("02138", "1234567890123456789", "1.10", "2010-06-22"),
        ("10001", None, "70.5", None),
    ]


def test_lists_of_sensitive_values_are_those_of_a_row_which_is_a_person(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [("a", ["flu", "gout"], ["x"]), ("a", ["flu"], []), ("b", ["flu", "gout"], None)],
        "age string, ills array<string>, drugs array<string>",
    )
    models = read_models("k=2,l=2")
    table, claim = unfold_lists(frame, PrivacyClaim(("age",), models, ("ills", "drugs")))
    rows = [tuple(row) for row in table.select("age", "ills", "drugs").collect()]
    assert sorted(rows, key=str) == [
        ("a", "flu", "x"),
        ("a", "flu", None),
        ("a", "gout", "x"),
        ("b", "flu", None),
        ("b", "gout", None),
    ]
    assert {*table.columns} - {*frame.columns} == {claim.person}
    one = table.where("age = 'a'").groupBy(claim.person).count().collect()  # type: ignore[arg-type]
    assert sorted(row["count"] for row in one) == [1, 2]
    counted = [each.assessment.value for each in assess_table(table.where("age = 'b'"), claim).assessed]
    assert counted == [1, 1, 1], "a person's two values are no diversity"
    told = PrivacyClaim(("age",), models, ("ills",), "age")
    assert unfold_lists(frame, told).claim == told
