"""t-PAT over columns of terms and over tables, on Spark."""

import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_deid import app
from spark_deid.core.errors import CorpusError
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.sources.reading import build, read_source
from spark_deid.plausibility.spark.table import QuasiColumn, generalize_rows, recount_rows
from spark_deid.plausibility.spark.udf import generalize_column, write_generalized
from spark_deid.plausibility.term_generalization import GeneralizationRequest

AGES = "\n".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*" for age in range(20, 50))
CITIES = "Lyon;France;*\nParis;France;*\nRome;Italy;*\nMilan;Italy;*\n"


def test_terms_are_generalized_by_a_pandas_udf_into_a_delta_table(spark: SparkSession, tmp_path: Path) -> None:
    texts = [
        ("a", ["marijuana|02953127-n", "phantom limb pain"]),
        ("b", ["cat", "qwertzuiop", None]),
        ("c", None),
        ("d", []),
    ]
    table = spark.createDataFrame(texts, "doc_id string, terms array<string>")
    write_generalized(table.coalesce(1), "terms", str(tmp_path / "out"), "wordnet", GeneralizationRequest(t=10))
    found = {row.doc_id: row for row in spark.read.format("delta").load(str(tmp_path / "out")).collect()}
    told = generalize_column(F.col("terms"), "wordnet", GeneralizationRequest(t=10)).alias("told")
    again = table.repartition(3).select("doc_id", told).select("doc_id", "told.*").collect()
    assert found == {row.doc_id: row for row in again}
    assert found["a"].asDict() | {"entropy": None, "cost": None} == {
        "doc_id": "a",
        "terms": ["soft drug", "pain"],
        "volumes": [5, 3],
        "originals": "15",
        "entropy": None,
        "cost": None,
        "feasible": True,
        "method": "exact",
    }
    assert found["a"].cost == pytest.approx(0.1534, abs=5e-5)
    assert (found["b"].terms, found["b"].feasible) == (["feline", None, None], True)
    assert (found["c"].terms, found["c"].feasible) == (None, None)
    assert found["d"].feasible is False
    log = (tmp_path / "out" / "_delta_log").glob("*.json")
    assert all("marijuana" not in told and "soft drug" not in told for told in (path.read_text() for path in log))


def quasi(folder: Path) -> list[QuasiColumn]:
    for name, text in (("age", AGES), ("city", CITIES)):
        (folder / f"{name}.csv").write_text(text)
        build(read_source(str(folder / f"{name}.csv")), name, folder / f"{name}.npz")
    return [QuasiColumn(name, str(folder / f"{name}.npz")) for name in ("age", "city")]


def people(spark: SparkSession) -> DataFrame:
    draw = random.Random(5)
    rows = [(str(n), draw.randint(20, 49), draw.choice(("Lyon", "Paris", "Rome", "Milan"))) for n in range(60)]
    return spark.createDataFrame(rows, "id string, age int, city string")


def test_each_row_becomes_the_least_tuple_that_k_records_reach(spark: SparkSession, tmp_path: Path) -> None:
    table, columns = people(spark), quasi(tmp_path)
    released = generalize_rows(table, columns, 5)
    rows, before = released.collect(), {row.id: row for row in table.collect()}
    assert released.columns == table.columns
    assert {row.id for row in rows} == set(before)
    for row in rows:
        reached = {y: sum(fits(x, y) for x in before.values()) for y in candidates(before[row.id])}
        assert reached[(row.age, row.city)] == min(number for number in reached.values() if number >= 5)
    told = recount_rows(table, released, columns, 5)
    assert (told.satisfied, told.value >= 5) == (True, True)
    assert not recount_rows(table, released, columns, 61).satisfied


def candidates(row: Row) -> list[tuple[str, str]]:
    country = "France" if row.city in ("Lyon", "Paris") else "Italy"
    band = f"{row.age // 10 * 10}-{row.age // 10 * 10 + 9}"
    return [(age, city) for age in (str(row.age), band, "*") for city in (row.city, country, "*")]


def fits(row: Row, released: tuple[str, str]) -> bool:
    return released in candidates(row)


def test_what_too_few_could_have_become_and_lost_rows_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    table, columns = people(spark), quasi(tmp_path)
    released = generalize_rows(table, columns, 5, least="cost").cache()
    assert recount_rows(table, released, columns, 5).satisfied
    changed = released.where("id != '7'").unionByName(
        table.where("id = '7'").selectExpr("id", "string(age) age", "city")
    )
    assert not recount_rows(table, changed, columns, 5).satisfied
    assert not recount_rows(table, released.where("id != '7'"), columns, 5).satisfied
    with pytest.raises(CorpusError, match="city: 1 values are not in the ontology"):
        generalize_rows(table.replace("Rome", "Roma", "city"), columns, 5)
    with pytest.raises(CorpusError, match="60 records share the roots of their values with fewer than 60 others"):
        generalize_rows(table, columns, 61)
    released.unpersist()


def test_an_ontology_is_built_of_a_delta_table(spark: SparkSession, tmp_path: Path) -> None:
    rows = [("animal", None), ("cat", "animal"), ("dog", "animal")]
    place, output = str(tmp_path / "terms"), str(tmp_path / "animals.npz")
    spark.createDataFrame(rows, "term string, parent string").write.format("delta").save(place)
    built = app.build_ontology(app.BuildOntologyOptions(source=place, output=output))
    assert (built.kind, built.concepts, built.warnings) == ("hypernyms", 3, ())
    assert ontology_at(output).lemma("cats") is not None


@pytest.mark.thorough
def test_the_experiment_writes_tables_charts_and_a_page(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("term,count\nmarijuana,3\npain,4\nphantom limb pain,1\nopium,2\nmigraine,5\n")
    done = app.experiment_plausibility(
        app.PlausibilityExperimentOptions(
            output=str(tmp_path / "out"),
            size=(2,),
            t=(8,),
            alpha=(0.5,),
            delta=(1,),
            draws=1,
            frequencies=str(tmp_path / "counts.csv"),
        )
    )
    methods = {row.method for row in spark.read.format("delta").load(f"{done.output}/results").collect()}
    assert methods == {row["method"] for row in done.results["summary"]}
    assert spark.read.format("delta").load(f"{done.output}/guesses").count() == 2
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.html", *(f"3{letter}.{kind}" for letter in "abcdefghi" for kind in ("svg", "png"))} <= written
    assert "uses soft drug for pain" in (tmp_path / "out" / "report.html").read_text()
