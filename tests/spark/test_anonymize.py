"""The command `anonymize`: what it writes, and what it refuses."""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.app.corpora import convert_table, released_table
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError
from spark_deid.storage.delta_log import write_small_table
from spark_deid.storage.folder import LocalFolder
from tests.unit.toy_packages import install


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = np.random.default_rng(4)
    n = 400
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame = pd.DataFrame(
        {
            "name": [f"name-{at}" for at in range(n)],
            "person": random.integers(0, 200, n),
            "age": random.integers(20, 60, n),
            "zip": random.choice(["53710", "53711", "53712"], n),
            "disease": random.choice(["flu", "cold", "asthma"], n),
            "visits": random.integers(1, 9, n),
        }
    )
    frame.to_csv(path, index=False)
    return str(path)


def options(people: str, output: Path, **given: Any) -> app.AnonymizeOptions:
    asked = {"quasi": ("age", "zip"), "sensitive": ("disease",), "model": "k=5,l=2", **given}
    return app.AnonymizeOptions(input=people, output=str(output), **asked)


def covers(age: str, shown: str) -> bool:
    ends = [int(end) for end in re.findall(r"\d+", shown)]
    return not ends or ends[0] <= int(age) <= ends[-1]


@pytest.mark.parametrize(
    ("algorithm", "given"), [("mondrian", {}), ("incognito", {"suppression": 0.3, "workspace": "w"})]
)
def test_a_table_is_written_with_what_was_named_and_holds(
    spark: SparkSession,
    people: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    algorithm: str,
    given: dict[str, Any],
) -> None:
    monkeypatch.chdir(tmp_path)
    output = Path("out")
    done = app.anonymize(options(people, output, person="person", keep=("visits",), algorithm=algorithm, **given))
    rows = spark.read.format("delta").load(str(output.absolute() / "table"))
    assert rows.columns == ["person", "age", "zip", "disease", "visits"]
    assert dict(rows.dtypes)["age"] == "string"
    classes: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    for row in rows.collect():
        classes[row["age"], row["zip"]].add((row["person"], row["disease"]))
    assert all(len({person for person, _ in held}) >= 5 for held in classes.values())
    assert all(len({disease for _, disease in held}) >= 2 for held in classes.values())
    assert all(len(person) == 32 for held in classes.values() for person, _ in held)
    manifest = json.loads((output / "manifest.json").read_text())
    assert manifest["rows"] + manifest["suppressed_rows"] == 400
    if algorithm == "incognito":  # rows are not in the order of the input, but in one of their own
        compared = spark.read.format("delta").load(str(tmp_path / "w" / "rows")).toPandas()
        assert sorted(compared["age recoded"]) == sorted(row["age"] for row in rows.collect())
        assert all(map(covers, compared["age"], compared["age recoded"]))
        for path in (output / "table").glob("*.parquet"):
            held = [(row.person, row.age, row.zip) for row in pd.read_parquet(path).itertuples()]
            assert sorted(held) == held
    assert manifest["classes"] == len(classes) == sum(manifest["class_sizes"]["after"].values())
    assert manifest["risk"]["after"]["prosecutor"] <= 0.2 < manifest["risk"]["before"]["prosecutor"]
    assert {each["guarantee"] for each in done.assessments} == {"k-anonymous", "l-diverse"}
    page = (output / "report.html").read_text()
    assert page.count("<svg") == 2
    assert "Persons by the size of" in page
    assert ("Cuts by attribute" in page) is (algorithm == "mondrian")
    log = "".join(path.read_text() for path in (output / "table" / "_delta_log").glob("*.json"))
    assert "minValues" not in log
    assert "name-" not in page + log + json.dumps(manifest)
    left = sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("."))
    assert left == ["out", *filter(None, [given.get("workspace")])]
    with pytest.raises(SparkDeidError, match="contains a release") as refused:
        app.anonymize(options(people, output))
    assert refused.value.exit_code == 1


def test_a_model_that_no_class_satisfies_leaves_no_table(spark: SparkSession, people: str, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with pytest.raises(GateRefused):
        app.anonymize(options(people, output, model="k=401"))
    assert not (output / "table").exists()
    assert not (output / "manifest.json").exists()


def test_unknown_columns_are_bad_usage(spark: SparkSession, people: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="height: expected columns of the table"):
        app.anonymize(options(people, tmp_path / "out", quasi=("height",)))
    with pytest.raises(UsageError, match="weight: expected columns of the table"):
        app.anonymize(options(people, tmp_path / "out", keep=("weight",)))


REPUBLISHED = {"model": "m=2", "person": "person", "workspace": "w"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "z=3"}, "expected some of k=5, l=2, .*, got 'z=3'"),
        ({"recoding": "height=tight"}, "--recoding: height"),
        ({"recoding": "wide"}, "expected one of bands, region, tight"),
        ({"sensitive": ()}, "needs --sensitive"),
        ({"model": "m=2", "person": "person"}, "--model m=2: needs --workspace"),
        (
            {"model": "m=2", "person": "person", "workspace": "w", "previous": "."},
            "--previous: .: expected the workspace",
        ),
        ({"suppression": 0.1}, "^--suppression: not allowed with --algorithm mondrian$"),
        ({"loss": LossMetric.PRECISION}, "--loss: not allowed with --algorithm mondrian"),
        (
            {"relaxed": True, "recoding": "region", "algorithm": "incognito"},
            "^--recoding: .* --algorithm incognito\n--relaxed: not allowed with --algorithm incognito$",
        ),
        (
            {"model": "m=2", "person": "person", "workspace": "w", "relaxed": True},
            "--relaxed: not allowed with the model m",
        ),
        (
            {"fitted": ".", "algorithm": "incognito"},
            "--fitted .: expected the --workspace of a run with --algorithm incognito",
        ),
        (
            {"fitted": ".", "algorithm": "incognito", "loss": LossMetric.PRECISION},
            "--loss: not allowed with --fitted",
        ),
        (
            {"fitted": ".", "algorithm": "incognito", "model": "delta=0:1", "population": "people.csv"},
            "--population: not allowed with --fitted",
        ),
        ({"fitted": ".", "recoding": "region"}, "--recoding: not allowed with --fitted"),
        (
            {"model": "delta=0:1", "population": "."},
            "--model delta: not available with Mondrian. Set --algorithm incog",
        ),
        ({"population": "."}, "--population: expected delta in --model"),
        ({"previous": "."}, "--previous: expected m in --model"),
        ({"input": "nowhere.csv"}, "nowhere.csv: there is no such file"),
    ],
)
def test_what_is_wrong_is_stated_before_anything_is_read(
    people: str, tmp_path: Path, given: dict[str, Any], message: str
) -> None:
    asked = options(people, tmp_path / "out").model_dump() | given
    with pytest.raises(UsageError, match=message):
        app.anonymize(app.AnonymizeOptions(**asked))
    assert not (tmp_path / "out").exists()


def test_frames_of_pandas_come_back_as_such(spark: SparkSession, people: str) -> None:
    frame = pd.read_csv(people)
    done = sd.anonymize(frame, quasi=["age", "zip"], model="k=5", person="person", keep=["visits"], recoding="region")
    assert isinstance(done.table, pd.DataFrame)
    assert list(done.table.columns) == ["person", "age", "zip", "visits"]
    assert sorted(done.table["visits"]) == sorted(frame["visits"])
    assert any(
        each.startswith("--recoding: the bounds of the published ranges of age (region), zip (region)")
        for each in done.warnings
    )
    assert done.table.groupby(["age", "zip"])["person"].nunique().min() == done.assessments[0].value >= 5


def test_people_whose_ids_look_equal_are_one(spark: SparkSession) -> None:
    spellings = ("p{}", "p{} ", "\uff50{}", "p\u00ad{}")
    persons = [spelling.format(at) for at in range(4) for spelling in spellings]
    frame = pd.DataFrame({"person": persons, "age": [20 + at for at in range(4) for _ in spellings]})
    said: list[str] = []
    done = sd.anonymize(frame, quasi=["age"], model="k=2", person="person", progress=said.append)
    assert isinstance(done.table, pd.DataFrame)
    assert done.table.groupby("age")["person"].nunique().min() >= 2
    assert done.table["person"].nunique() == 4
    assert done.told["respelled_ids"] == 12
    assert done.warnings[0].startswith("person: 12 spellings of ids")
    assert f"warning: {done.warnings[0]}" in said
    assert done.manifest["warnings"] == list(done.warnings)


@pytest.mark.thorough
def test_a_kept_recoding_is_applied_to_a_later_batch(spark: SparkSession, people: str, tmp_path: Path) -> None:
    private = tmp_path / "private"
    app.anonymize(options(people, tmp_path / "first", keep=("visits",), workspace=str(private)))
    assert "Rows by the size of" in (tmp_path / "first" / "report.html").read_text()
    manifest = json.loads((private / "manifest.json").read_text())
    assert manifest["plan"]["release"] == str(tmp_path / "first")
    assert (private / "fitted").stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o077 == 0 for path in (private / "fitted").iterdir())
    compared = spark.read.format("delta").load(str(private / "rows")).toPandas()
    frame = pd.read_csv(people)
    assert sorted(compared["age"].astype(int)) == sorted(frame["age"])

    def recoded(name: str) -> Counter[tuple[object, ...]]:
        rows = spark.read.format("delta").load(str(tmp_path / name / "table"))
        return Counter(map(tuple, rows.collect()))

    app.anonymize(options(people, tmp_path / "again", keep=("visits",), fitted=str(private)))
    assert recoded("again") == recoded("first")
    batch = frame.iloc[:150]
    strange = batch.head(2).assign(age=[99, 30], zip=[53710, 60000])
    path = tmp_path / "batch.csv"
    pd.concat([batch, strange]).to_csv(path, index=False)
    near = {"model": "k=5,l=2,t=0.3", "keep": ("visits",)}
    done = app.anonymize(options(str(path), tmp_path / "later", **near, fitted=str(private)))
    reasons = done.summary["suppressed_rows_by_reason"]
    assert reasons["outside_of_fitted_ranges"] == 2
    assert done.summary["rows"] + sum(reasons.values()) == 152
    later = recoded("later")
    assert {row[:2] for row in later} < {row[:2] for row in recoded("first")}
    counts: Counter[tuple[object, ...]] = Counter()
    for row, number in later.items():
        counts[row[:2]] += number
    assert min(counts.values()) >= 5
    with pytest.raises(UsageError, match="holds no fitted recoding"):
        app.anonymize(options(people, tmp_path / "none", fitted=str(tmp_path)))
    with pytest.raises(UsageError, match="expected the columns of the fitted recoding in this order: age,zip"):
        app.anonymize(options(people, tmp_path / "none", fitted=str(private), quasi=("age",)))


TOY = """
from spark_deid.anonymity.recoding_kind import RecodedRows, RecodingKind
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.persons import sizes_of
from pyspark.sql import functions as F

def recode(tables, request, folders):
    table = tables.table.select(*map(column, request.published(tables.table.columns)))
    first = table.select("place").first()[0]
    rows = table.withColumns({name: F.lit("*") for name in request.claim.quasi})
    return RecodedRows(request.claim, rows, sizes_of(table, request.claim), {"told": SAID or first})

SAID = ""
KIND = RecodingKind(describe="hides all", recode=recode, check=lambda claim: None)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("said", ["", "nothing"])
def test_an_algorithm_of_a_package_is_looked_through_like_others(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    points = {"spark_deid.recodings": {"hide-all": "toy_recoding:KIND"}}
    install(tmp_path, monkeypatch, "toy_recoding", TOY.replace('SAID = ""', f'SAID = "{said}"'), points)
    frame = pd.DataFrame(
        {"place": ["Quibbletown", "Zimtstadt", "Quibbletown"], "note": ["well", "ill, in Zimtstadt", "-"]}
    )
    asked: dict[str, Any] = {"quasi": ["place"], "model": "k=3", "keep": ["note"], "algorithm": "hide-all"}
    try:
        if not said:
            with pytest.raises(GateRefused, match=r"contain removed values \(manifest 1\)"):
                sd.anonymize(frame, **asked)
            frame.to_csv(tmp_path / "people.csv", index=False)
            output = tmp_path / "out"
            with pytest.raises(GateRefused, match=r"\(manifest.json 1\)"):
                app.anonymize(options(str(tmp_path / "people.csv"), output, **{**asked, "sensitive": ()}))
            assert not [*output.glob("*")]
            return
        done = sd.anonymize(frame, **asked)
        assert list(done.table["place"]) == ["*"] * 3
        assert done.manifest["residuals"] == {"kept columns": {"place": 1}}
        assert done.manifest["warnings"] == list(done.warnings)
        said = "\n".join(done.warnings)
        assert "whether note tells what is recoded is not known: hide-all does not say what was" in said
        assert "are still published in kept columns, by their original column: place 1. To omit" in said
        assert "metadata" not in said
    finally:
        sys.modules.pop("toy_recoding", None)


def test_a_table_that_was_released_is_written_in_other_formats(
    spark: SparkSession, people: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app.anonymize(options(people, tmp_path / "out", keep=("visits",)))
    rows = spark.read.format("delta").load(str(tmp_path / "out" / "table")).toPandas()
    for name, given in (("csv", "out"), ("parquet", "out/table"), ("jsonl", "out")):
        source, target = str(tmp_path / given), str(tmp_path / name)
        asked = {"source": source, "target": target, "source_format": "delta", "target_format": name}
        done = app.convert(app.ConvertOptions(**asked))  # type: ignore[arg-type]
        assert (done.output, done.to_json()["rows"]) == (target, 400)
    read = {
        "csv": pd.concat(pd.read_csv(path, dtype=str) for path in (tmp_path / "csv").glob("*.csv")),
        "parquet": pd.read_parquet(tmp_path / "parquet"),
        "jsonl": pd.concat(pd.read_json(path, lines=True, dtype=False) for path in (tmp_path / "jsonl").glob("*.json")),
    }
    for frame in read.values():
        assert Counter(map(tuple, frame.astype(str).to_numpy())) == Counter(map(tuple, rows.astype(str).to_numpy()))
        assert list(frame.columns) == list(rows.columns)
    for target_format, place, told in (
        ("text", "new", "has no texts"),
        ("csv", "csv", "csv"),
        ("csv", "out/csv", "expected separate folders"),
    ):
        asked = {"source": str(tmp_path / "out" / "table"), "target": str(tmp_path / place), "source_format": "delta"}
        with pytest.raises(SparkDeidError, match=told):
            app.convert(app.ConvertOptions(**asked, target_format=target_format))  # type: ignore[arg-type]


def test_cells_are_written_whole_and_columns_under_their_names(spark: SparkSession, tmp_path: Path) -> None:
    at = pd.Timestamp("2019-03-04 05:06:07.123456", tz="UTC")
    schema = pa.schema({"zip code": pa.string(), "at": pa.timestamp("us", tz="UTC")})
    write_small_table([("  02139 ", at)], schema, LocalFolder(tmp_path / "table"))
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        "csv": lambda path: pd.read_csv(next(path.glob("*.csv")), dtype={"zip code": str}),
        "jsonl": lambda path: pd.read_json(next(path.glob("*.json")), lines=True, dtype=False),
        "delta": lambda path: spark.read.format("delta").load(str(path)).toPandas(),
    }
    for name, read in readers.items():
        (tmp_path / name).mkdir()
        assert convert_table(spark, tmp_path / "table", str(tmp_path / name), name).rows == 1
        frame = read(tmp_path / name)
        assert list(frame.columns) == schema.names
        assert frame["zip code"][0] == "  02139 "
        assert pd.Timestamp(frame["at"][0]).microsecond == 123456


def test_cells_that_spreadsheets_would_carry_out_are_reported(spark: SparkSession, tmp_path: Path) -> None:
    table = tmp_path / "table"
    said: list[str] = []
    rows = [("=1+1", "-5", -5), ('a "quoted", \\ cell', None, 1), ("x=1", " @b", 2), ("\uff1d1", "\u200b\t=1", 3)]
    spark.createDataFrame(rows, "`a.b` string, c string, n int").write.format("delta").save(str(table))
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "table"}))
    assert released_table(str(tmp_path)) == released_table(str(table)) == table
    (tmp_path / "manifest.json").write_text(json.dumps({"kind": "texts"}))
    assert released_table(str(tmp_path)) is None
    assert convert_table(spark, table, str(tmp_path / "csv"), "csv", said.append).rows == 4
    assert "4 cells begin with" in said[-1]
    assert (tmp_path / "csv").stat().st_mode & 0o777 == 0o700
    frame = pd.concat(pd.read_csv(path, dtype=str) for path in (tmp_path / "csv").glob("*.csv"))
    assert {*frame["a.b"]} == {row[0] for row in rows}


KINDS = {
    "text": "concat('v', id % 4)",
    "truth": "id % 2 = 0",
    "tiny": "cast(id % 4 as tinyint)",
    "small": "cast(id % 4 as smallint)",
    "number": "cast(id % 4 as int)",
    "big": "id % 4",
    "single": "cast(id % 4 as float) / 2",
    "double": "cast(id % 4 as double) / 2",
    "money": "cast(id % 4 as decimal(12, 2))",
    "large": "cast(id % 4 as decimal(38, 0))",
    "day": "date_add(date'2020-01-01', cast(id % 4 as int))",
    "time": "timestamp'2020-01-01 10:00:00' + make_interval(0, 0, 0, cast(id % 4 as int))",
    "clock": "cast(timestamp'2020-01-01 10:00:00' + make_interval(0, 0, 0, cast(id % 4 as int)) as timestamp_ntz)",
    "missing": "cast(if(id % 4 = 0, null, id % 4) as smallint)",
}
NESTED = {
    "bytes": "cast(concat('v', id % 4) as binary)",
    "list": "array(date'2020-01-01', null)",
    "map": "map('k', cast(id % 4 as decimal(5, 1)))",
    "struct": "named_struct('a', cast(id % 4 as tinyint), 'b.c', timestamp_ntz'2020-01-01 10:00:00')",
}
REFUSED = {
    "days": "make_dt_interval(cast(id % 4 as int))",
    "months": "make_ym_interval(cast(id % 4 as int))",
    "interval": "make_interval(0, cast(id % 4 as int))",
    "variant": "parse_json(cast(id % 4 as string))",
    "nulls": "array(null)",
}


def of_all_types(spark: SparkSession, kinds: dict[str, str]) -> DataFrame:
    return spark.range(24).selectExpr(
        "cast(id % 3 + 30 as int) as age", *(f"{kinds[name]} as {name}" for name in kinds)
    )


@pytest.mark.parametrize("algorithm", ["mondrian", "incognito"])
@pytest.mark.parametrize("role", ["keep", "sensitive"])
def test_each_type_can_be_kept_and_sensitive(spark: SparkSession, tmp_path: Path, role: str, algorithm: str) -> None:
    kinds = {**KINDS, **(NESTED if role == "keep" else {})}
    people = of_all_types(spark, kinds)
    people.write.parquet(str(tmp_path / "people"))
    given = {"quasi": ("age",), "sensitive": (), role: (*kinds,), "model": "k=2", "algorithm": algorithm}
    app.anonymize(options(str(tmp_path / "people"), tmp_path / "out", **given))
    rows = spark.read.format("delta").load(str(tmp_path / "out" / "table")).drop("age")
    assert rows.dtypes == people.drop("age").dtypes
    assert Counter(map(repr, rows.collect())) == Counter(map(repr, people.drop("age").collect()))


def test_each_type_can_be_recoded(spark: SparkSession) -> None:
    assert sd.anonymize(of_all_types(spark, KINDS), quasi=[*KINDS], model="k=2").table.count() == 24


@pytest.mark.parametrize("name", ["truth", "double", "large", "day", "clock"])
def test_other_types_can_be_recoded_by_levels_and_name_people(spark: SparkSession, name: str) -> None:
    people = of_all_types(spark, KINDS).select("age", name)
    done = sd.anonymize(people, quasi=[name], model="k=2", algorithm="incognito")
    assert done.table.count() == 24
    whose = sd.anonymize(people, quasi=["age"], person=name, model="k=2")
    assert dict(whose.table.dtypes) == {"age": "string", name: "string"}


@pytest.mark.parametrize("name", REFUSED)
def test_types_that_a_table_cannot_store_are_refused_by_name(spark: SparkSession, name: str) -> None:
    people = of_all_types(spark, REFUSED)
    roles: tuple[dict[str, Any], ...] = (
        {"quasi": [name]},
        {"sensitive": [name]},
        {"keep": [name]},
        {"person": name},
    )
    for role in roles:
        with pytest.raises(UsageError, match=f"{name}: .* type .* Cast the column"):
            sd.anonymize(people, model="k=2", **{"quasi": ["age"], **role})
