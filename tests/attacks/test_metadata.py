"""Metadata that lets out what texts hide: numbers as tables write them, and the texts themselves under another name."""

import json
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid.app.redacting import line_redactor
from spark_deid.core.errors import UsageError
from spark_deid.corpus.frame import FrameColumns
from spark_deid.plan.load import check_plan
from spark_deid.rewriting.metadata import find_in_value, suppress_value
from spark_deid.text.patterns import PatternDetector
from tests.attacks.runs import run

FINDERS = (PatternDetector().detect,)


@pytest.mark.parametrize(
    "value",
    [
        "6.175550143E9",
        "6.175550143e+9",
        "6175550143.0",
        "1.23456789E8",
        "4.111111111111111E15",
        "2.0150312E7",
        "5.551234E6",
        "4.111111111111111E015",
        "61755501430E-1",
        "617555014300.0e-02",
    ],
)
def test_numbers_of_doubles_are_found_as_their_digits_are(value: str) -> None:
    assert suppress_value(value, FINDERS).startswith("[")
    assert suppress_value(value, FINDERS).endswith("]")
    assert suppress_value(f'{{"phone": {value}, "bed": 7.5}}', FINDERS).endswith(', "bed": 7.5}')


@pytest.mark.parametrize("value", ["45.5", "3.0", "1.2E-5", "7.2E1", "1.5E3", "12.0.1", "v6.175550143E9", "E9", "1E99"])
def test_near_misses_remain(value: str) -> None:
    assert suppress_value(value, ()) == value
    assert not find_in_value(value, FINDERS) or value == "1E99"


def test_offsets_are_those_of_the_value() -> None:
    value = "a 6.175550143E9, b 1.0 c ann@example.com"
    assert [(span.start, span.end, span.label) for span in sorted(find_in_value(value, FINDERS))] == [
        (2, 15, "CODE"),
        (2, 15, "CODE"),
        (25, 40, "EMAIL"),
        (25, 40, "EMAIL"),
    ]
    assert suppress_value(value, FINDERS) == "a [CODE], b 1.0 c [EMAIL]"


def test_a_column_of_doubles_is_let_out_without_phone_numbers(spark: SparkSession, tmp_path: Path) -> None:
    lines = [{"doc_id": str(n), "text": "Ann called", "meta": {"phone": 6175550140.0 + n}} for n in range(3)]
    done = run(tmp_path, lines, patterns={"kinds": "all"}, metadata={"phone": "detect"})
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    assert {row.phone for row in rows} == {"[CODE]"}


@pytest.mark.parametrize("name", ["note", "Note", "spans", "key"])
def test_the_column_of_texts_is_no_metadata(name: str) -> None:
    columns = FrameColumns("note", "key", gold="spans", metadata=(name,))
    with pytest.raises(UsageError, match=rf"metadata: '{name}' is the column of (texts|annotations|ids)"):
        columns.check(["note", "Note", "spans", "key"])


def test_a_frame_whose_text_is_to_be_let_out_is_refused_before_anything_is_read() -> None:
    frame = pd.DataFrame({"key": ["a"], "note": ["Write to ann@example.com"]})
    with pytest.raises(UsageError, match="'note' is the column of texts"):
        sd.sanitize(frame, {"patterns": {"kinds": "all"}}, text="note", doc_id="key", metadata=["note"])


@pytest.mark.parametrize("name", ["note", "Note", "NOTE", "key", "Key", "text", "Text", "doc_id", "pid", "spans"])
def test_columns_of_texts_and_ids_are_no_metadata_of_a_plan(name: str) -> None:
    given = {
        "path": "notes.jsonl",
        "format": "jsonl",
        "options": {"text_column": "note", "id_column": "key", "subject_column": "pid"},
    }
    plan = {"input": given, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}
    with pytest.raises(UsageError, match="metadata"):
        check_plan(plan | {"metadata": [name]}, "plan")
    assert check_plan(plan | {"metadata": ["ward"]}, "plan")


@pytest.mark.parametrize("name", ["body", "Body", "key", "Key", "pid", "text", "doc_id", "spans"])
def test_an_entry_of_metadata_can_not_replace_a_redacted_text_or_a_keyed_id(name: str) -> None:
    """``meta`` of a JSON line may have entries that are named as the columns of texts and ids."""
    row = {"body": "Write to ann@example.com", "key": "MRN 4711", "pid": "p", "meta": {name: "ann@example.com"}}
    options = {"text_column": "body", "id_column": "key", "subject_column": "pid"}

    def written(metadata: str) -> list[bytes]:
        redactor = line_redactor(Path("patterns"), [f"metadata={{{metadata}: keep}}", "release_ids=keyed"])
        return [line.written for line in redactor.records([json.dumps(row).encode()], options)]

    with pytest.raises(UsageError, match="metadata"):
        written(name)
    (line,) = written("ward")
    assert b"ann@" not in line
    assert b"4711" not in line
