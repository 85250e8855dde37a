"""Equal results of the classic and the embedded engine."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.core.errors import UsageError
from spark_deid.engine import tables
from spark_deid.engine.delta_reader import read_log
from spark_deid.engine.embedded import start_embedded, stop_embedded
from spark_deid.engine.shared import _HELD

ROOT = Path(__file__).parents[2]
_NAMES = ("Ann Lee", "José Ñandú", "Bob O'Neil", "李雷", "Zoë Adams", "Ann Lee", "Al Ng")
TEXTS = tuple(
    f"{name} (born {number % 28 + 1} May 19{40 + number}) called from 212-555-01{number:02d} 😀 about a\u00a0rash.\n"
    f"Write to p{number}@example.org; the visit was on 2021-03-{number % 28 + 1:02d}. No fever. Nothing unusual."
    for number, name in enumerate(_NAMES * 2)
)
ROWS = pd.DataFrame(
    {
        "doc_id": [f"d{number}" for number in range(len(TEXTS))],
        "subject_id": [None if number == 3 else f"s{number % 5}" for number in range(len(TEXTS))],
        "text": TEXTS,
    }
)
PLANS: dict[str, Any] = {
    "patterns": "patterns",
    "names": "names",
    "repeats": {"repeats": {"k": 2}},
    "dates": {
        "patterns": {"kinds": ["date", "email", "phone"]},
        "rules": {"DATE": "shift", "EMAIL": "surrogate", "*": "suppress"},
    },
    "keyed": {"patterns": {"kinds": ["email"]}, "release_ids": "keyed"},
}


@pytest.fixture(scope="module")
def embedded() -> Iterator[SparkSession]:
    yield start_embedded()
    stop_embedded()


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text("ab" * 32 + "\n")
    path.chmod(0o600)
    return path


def _numbers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield pa.RecordBatch.from_pydict({"rows": pa.array([sum(batch.num_rows for batch in batches)], pa.int64())})


def _frame(spark: SparkSession, partitions: int, rows: pd.DataFrame = ROWS) -> DataFrame:
    """Return the rows in partitions, which functions of workers see."""
    frame = spark.createDataFrame(pa.Table.from_pandas(rows, preserve_index=False)).repartition(partitions)
    assert len(frame.mapInArrow(_numbers, "rows long").collect()) == partitions
    return frame


def _rows(frame: DataFrame) -> list[str]:
    return sorted(json.dumps(row.asDict(recursive=True), sort_keys=True, default=str) for row in frame.collect())


@pytest.mark.parametrize("partitions", [1, 7])
@pytest.mark.parametrize("plan", PLANS)
def test_sanitized_rows_are_equal(
    spark: SparkSession, embedded: SparkSession, key_file: Path, plan: str, partitions: int, tmp_path: Path
) -> None:
    content = PLANS[plan] if isinstance(PLANS[plan], str) else {**PLANS[plan], "key_file": str(key_file)}

    classic, other = (
        sd.sanitize(_frame(session, partitions), content, subject_id="subject_id", scratch=tmp_path)
        for session in (spark, embedded)
    )

    for name in ("documents", "spans", "edits", "rejects"):
        assert _rows(getattr(other, name)) == _rows(getattr(classic, name)), name
    assert other.counts == classic.counts
    assert other.counts.edits
    assert other.manifest["versions"]["engine"].startswith("embedded, pysail")
    assert classic.manifest["versions"]["engine"].startswith("classic, Spark")


def _released(release: Path, name: str) -> list[str]:
    """Return the rows of a table of a release, read without an engine."""
    found = [pq.ParquetFile(file.path).read().to_pylist() for file in read_log(release / name).files]
    return sorted(json.dumps(row, sort_keys=True, default=str) for rows in found for row in rows)


def test_releases_of_run_and_their_copies_are_equal(spark: SparkSession, tmp_path: Path, key_file: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number, text in enumerate(TEXTS):
        (notes / f"n{number}.txt").write_text(text, encoding="utf-8")
    (notes / "broken.txt").write_bytes(b"\xff\xfe\xfa")
    copies, releases = [], []
    for engine in ("spark", "embedded"):
        out = tmp_path / engine
        given = {"input.path": str(notes), "input.format": "text", "workspace": f"{out}/w", "release": f"{out}/r"}
        given |= {"key_file": str(key_file), "engine": engine}
        app.run(Path("patterns"), (), given, to=("jsonl", f"{out}/copy"))
        releases.append(_released(out / "r", "documents"))
        copies.append(sorted(line for file in (out / "copy").iterdir() for line in file.read_text().splitlines()))
    assert releases[0] == releases[1]
    assert copies[0] == copies[1]
    assert len(releases[0]) == len(copies[0]) == len(TEXTS)


@pytest.mark.parametrize(
    "plan",
    [
        "patterns",
        "mail",
        "surrogates",
        "safe-harbor",
        pytest.param("repeats", marks=pytest.mark.thorough),
        pytest.param("limited-data-set", marks=pytest.mark.thorough),
        pytest.param("identifier-view", marks=pytest.mark.thorough),
        pytest.param("plausibility", marks=pytest.mark.thorough),
    ],
)
def test_shipped_plans_release_equal_rows(spark: SparkSession, tmp_path: Path, key_file: Path, plan: str) -> None:
    found = []
    for engine in ("spark", "embedded"):
        out = tmp_path / engine
        given = {"workspace": f"{out}/w", "release": f"{out}/r", "key_file": str(key_file), "engine": engine}
        figures = app.run(ROOT / "conf" / f"{plan}.yaml", (), given)
        private = {name: _released(out / "w", name) for name in ("spans", "edits", "rejects")}
        found.append({"documents": _released(out / "r", "documents"), **private})
        assert len(found[-1]["documents"]) == figures.documents > 0
    for name in found[0]:
        assert found[0][name] == found[1][name], name


def _random_rows(seed: int) -> pd.DataFrame:
    """Return texts drawn from identifiers, odd characters and plain words, with repeated and missing ids."""
    draw = random.Random(seed)
    parts = (
        "Ann Lee",
        "2021-03-04",
        "x@y.org",
        "😀",
        "e\u0301",
        "\u00a0",
        "\u200b",
        "李雷",
        "no fever",
        "\r\n",
        "\t",
        "",
    )
    texts = [" ".join(draw.choices(parts, k=draw.randrange(12))) for _ in range(30)]
    ids = [draw.choice([None, f"d{draw.randrange(40)}", f"d{number}"]) for number in range(30)]
    people = [draw.choice([None, "s1", "s2", "ß"]) for _ in range(30)]
    return pd.DataFrame(
        {"doc_id": ids, "subject_id": people, "text": [draw.choice([text, text, None]) for text in texts]}
    )


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 12))])
def test_random_rows_give_equal_results(
    spark: SparkSession, embedded: SparkSession, key_file: Path, seed: int, tmp_path: Path
) -> None:
    plan = {**PLANS["dates"], "repeats": {"k": 2}, "key_file": str(key_file)}
    rows = _random_rows(seed)
    found = [
        sd.sanitize(_frame(session, partitions, rows), plan, subject_id="subject_id", scratch=tmp_path)
        for session, partitions in ((spark, 1), (embedded, 1), (embedded, 7))
    ]
    read = len(rows)
    for done in found:
        assert done.counts.documents + sum(done.counts.rejects.values()) == read
        for name in ("documents", "spans", "edits"):
            assert _rows(getattr(done, name)) == _rows(getattr(found[0], name)), (seed, name)
        assert done.counts == found[0].counts


def test_rare_text_is_the_same(spark: SparkSession, tmp_path: Path, key_file: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS.to_dict("records")))
    found = []
    for engine in ("spark", "embedded"):
        out = str(tmp_path / engine)
        options = app.RepeatsOptions(
            input=str(path), format="jsonl", output=out, k=2, key_file=key_file, engine=engine, shards=2
        )
        app.repeats(options)
        found.append(_released(Path(out), "documents"))
    assert found[0] == found[1]


@pytest.mark.parametrize("partitions", [1, 7])
@pytest.mark.parametrize("algorithm", ["mondrian", "incognito"])
def test_recoded_tables_are_equal(
    spark: SparkSession, embedded: SparkSession, tmp_path: Path, algorithm: str, partitions: int
) -> None:
    people = pd.DataFrame(
        {
            "age": [20 + number * 7 % 50 for number in range(40)],
            "zip": [f"{12 + number % 3}{number * 37 % 100:02d}" for number in range(40)],
            "disease": [("flu", "asthma", "cold")[number % 3] for number in range(40)],
        }
    )
    found = []
    for session in (spark, embedded):
        frame = session.createDataFrame(pa.Table.from_pandas(people, preserve_index=False)).repartition(partitions)
        assert len(frame.mapInArrow(_numbers, "rows long").collect()) == partitions
        quasi, models = ["age", "zip"], "k=3,l=2"
        done = sd.anonymize(
            frame, quasi=quasi, sensitive=["disease"], model=models, algorithm=algorithm, scratch=tmp_path
        )
        found.append((_rows(done.table), done.assessments))
    assert found[0] == found[1]


def test_frames_of_pandas_give_equal_results_on_both_engines(
    spark: SparkSession, key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = set(_HELD)  # values of other tests
    monkeypatch.setattr(tables, "SENT_BYTES", 1_000)  # the rows reach the engine as a value of the process
    plan = {**PLANS["dates"], "key_file": str(key_file), "metadata": ["ward"]}
    rows = ROWS.assign(ward="east")
    classic, other = (
        sd.sanitize(rows, plan, engine=engine, subject_id="subject_id") for engine in ("spark", "embedded")
    )
    for name in ("documents", "spans", "edits", "rejects"):
        pd.testing.assert_frame_equal(getattr(other, name), getattr(classic, name))
    assert other.counts.edits
    assert other.manifest["versions"]["engine"].startswith("embedded, pysail")
    assert set(_HELD) == held
    people = pd.DataFrame({"age": [20 + n * 7 % 50 for n in range(400)], "disease": ["flu", "cold"] * 200})
    here, there = (
        sd.anonymize(people, quasi=["age"], sensitive=["disease"], model="k=3", engine=engine).table
        for engine in ("spark", "embedded")
    )
    pd.testing.assert_frame_equal(here, there)
    assert set(_HELD) == held


def test_an_engine_is_named_for_frames_of_pandas_only(embedded: SparkSession) -> None:
    with pytest.raises(UsageError, match="engine: a DataFrame of Spark"):
        sd.sanitize(_frame(embedded, 1), "patterns", engine="embedded")
    with pytest.raises(UsageError, match="engine: expected one of auto, embedded, spark, got 'sail'"):
        sd.sanitize(ROWS, "patterns", engine="sail")  # type: ignore[arg-type]


def test_commands_that_the_embedded_engine_lacks_are_refused_by_name(tmp_path: Path) -> None:
    options = app.SampleOptions(release=str(tmp_path), output=str(tmp_path / "page.html"), engine="embedded")
    with pytest.raises(UsageError, match="sample: the embedded engine"):
        app.sample(options)
