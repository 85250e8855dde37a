"""A table of persons that is released beside the texts: changed, swapped, or of classes that link persons."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.release.commit import ChangedReleaseError, ReleaseError, is_release, verify_release
from spark_deid.release.record import compare, read_record
from spark_deid.storage.folder import LocalFolder
from tests.attacks.runs import Done, run

PLAN: Mapping[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode"},
    "identity": {
        "attributes": {"AGE": "age", "ILL": "illness", "NAME": "name"},
        "roles": {"quasi": ["age"], "sensitive": ["illness"], "identifiers": ["name"]},
    },
    "anonymity": {"model": {"k": 3, "frequency-l": 2}, "release_table": True},
}
ILLS = ("flu", "gout", "lupus", "asthma", "mumps", "scurvy")


def lines(ills: tuple[str, ...] = ILLS) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for at, ill in enumerate(ills):
        text = f"Leeds {20 + at // 3 * 40 + at % 3} {ill}"
        places = {"NAME": (0, 5), "AGE": (6, 8), "ILL": (9, len(text))}
        spans = [{"start": start, "end": end, "label": label} for label, (start, end) in places.items()]
        found.append({"doc_id": f"d{at}", "subject_id": f"s{at}", "text": text, "spans": spans})
    return found


@pytest.fixture(scope="module")
def done(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Done:
    return run(tmp_path_factory.mktemp("beside"), lines(), **PLAN)


def test_rows_are_in_the_classes_of_the_texts_and_name_no_one(spark: SparkSession, done: Done) -> None:
    read = spark.read.format("delta")
    texts = [row["text"] for row in read.load(str(done.release / "documents")).collect()]
    rows = read.load(str(done.release / "table")).collect()
    assert Counter(row["age"] for row in rows) == Counter(text.split()[1] for text in texts)
    assert sorted(ill for row in rows for ill in row["illness"]) == sorted(ILLS)
    assert {*rows[0].asDict()} == {"age", "illness"}
    assert done.manifest["table"] == {"rows": 6, "quasi": ["age"], "sensitive": ["illness"]}
    assert "The release also has a table of 6 people" in done.report
    verify_release(done.release)


@pytest.mark.thorough
def test_the_table_is_assessed_as_any_table_whose_people_have_a_row_each(spark: SparkSession, done: Done) -> None:
    asked: dict[str, Any] = {"table": str(done.release / "table"), "quasi": ("age",), "sensitive": ("illness",)}
    figures = app.assess(app.AssessOptions(model="k=3,l=2", **asked))
    assert figures.satisfied
    assert not app.assess(app.AssessOptions(model="k=4,l=2", **asked)).satisfied


def test_removed_text_in_sensitive_values_is_counted_separately_from_that_of_documents(
    spark: SparkSession, tmp_path: Path
) -> None:
    said: list[str] = []
    ills = ("of Quincy Zimt", *ILLS[1:])
    named = lines(ills)
    for line in named:
        spans: Any = line["spans"]
        line["text"], end = f"{line['text']} Quincy Zimt", len(str(line["text"]))
        line["spans"] = [*spans, {"start": end + 1, "end": end + 12, "label": "OTHER"}]
    done = run(tmp_path, named, **PLAN, progress=said.append)
    whole = json.loads((done.workspace / "manifest.json").read_text())
    assert whole["removed_and_published"] == {"columns of the table of persons": {"OTHER": 2}}
    assert [line for line in said if "is still published in columns of the table of persons" in line]


def copied(done: Done, folder: Path) -> Path:
    return Path(shutil.copytree(done.release, folder / "release"))


def test_changed_rows_later_versions_and_other_tables_are_reported(done: Done, tmp_path: Path) -> None:
    release = copied(done, tmp_path)
    part = next((release / "table").glob("*.parquet"))
    content = part.read_bytes()
    part.write_bytes(content[:-9] + b"x" + content[-8:])
    with pytest.raises(ChangedReleaseError, match="the rows of its table differ from the commit"):
        verify_release(release)
    part.write_bytes(content)
    log = release / "table" / "_delta_log"
    (log / f"{1:020}.json").write_text("{}")
    with pytest.raises(ChangedReleaseError, match="the rows of its table have a later version"):
        verify_release(release)
    (log / f"{1:020}.json").unlink()
    entry = log / f"{0:020}.json"
    entry.write_bytes(entry.read_bytes().replace(b"age", b"AGE"))
    with pytest.raises(ChangedReleaseError, match="its table differs from the table that was committed"):
        verify_release(release)
    shutil.rmtree(release / "table")
    with pytest.raises(ChangedReleaseError, match="its table differs"):
        verify_release(release)


def test_a_table_without_its_texts_is_no_release(done: Done, tmp_path: Path) -> None:
    release = copied(done, tmp_path)
    shutil.rmtree(release / "documents" / "_delta_log")
    assert not is_release(release)
    shutil.rmtree(release / "documents")
    assert not is_release(release)
    with pytest.raises(ReleaseError, match="not a release"):
        verify_release(release)


def test_the_workspace_knows_the_table(done: Done, tmp_path: Path) -> None:
    workspace, release = LocalFolder(done.workspace), LocalFolder(copied(done, tmp_path))
    record = read_record(workspace)
    assert record is not None
    assert record.table is not None
    compare(record, release, workspace)
    next((release.path / "table").glob("*.parquet")).unlink()
    with pytest.raises(ChangedReleaseError, match="not the release of"):
        compare(record, release, workspace)


@pytest.mark.thorough
def test_a_table_that_links_people_is_refused_though_texts_show_nothing(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(GateRefused, match="1 classes of the table have too few sensitive values, or one"):
        run(tmp_path, lines(("flu",) * 6), **PLAN)
    told = json.loads((tmp_path / "workspace" / "manifest.json").read_text())["assessments"]
    assert [each["satisfied"] for each in told if each["guarantee"] == "k-anonymous-table"] == [False]
    assert not (tmp_path / "release").exists()


def test_a_frame_has_no_table_next_to_it(spark: SparkSession) -> None:
    frame = spark.createDataFrame([("a", "b")], "doc_id string, text string")
    with pytest.raises(UsageError, match=r"anonymity\.release_table: DataFrames have no table"):
        sd.sanitize(frame, dict(PLAN))
