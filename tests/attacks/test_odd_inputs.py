"""Inputs, plans and options that no one means: clear errors or right results."""

import gzip
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_deid import app
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.local import read_documents
from spark_deid.detection.registry import DetectorError, own_spans
from spark_deid.plan.load import load_plan
from spark_deid.storage.files import make_private, walk
from spark_deid.storage.path_checks import check_disjoint, check_outside
from spark_deid.text.patterns import PatternDetector
from tests.attacks.runs import run

PLAN = "input: {path: notes, format: text}\nworkspace: w\nrelease: r\npatterns: {kinds: all}\n"


def found(text: str, label: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector().detect(text) if span.label == label]


@pytest.mark.parametrize(
    "number",
    ["617-555-0147x22", "617-555-0147 x22", "(617) 555-0147ext. 3", "617.555.0147 Extension 4", "617-555-0147 #22"],
)
def test_a_telephone_number_is_found_with_its_extension(number: str) -> None:
    assert found(f"call {number}, please", "PHONE") == [number]
    assert found("call 617-555-0147xyz", "PHONE") == []


def test_both_ends_of_a_range_of_dates_are_found() -> None:
    assert found("seen 3/4/70-5/6/71.", "DATE") == ["3/4/70", "5/6/71"]
    assert found("part 13-3/4/70", "DATE") == []


def test_a_link_to_a_document_is_no_second_document(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "b.txt").write_text("Ann")
    (notes / "a.txt").symlink_to(notes / "b.txt")
    (notes / ".kept.txt").write_text("Ben")
    for name in ("c.txt", "d.txt"):
        (notes / name).symlink_to(notes / ".kept.txt")
    assert [entry.name for entry in walk(str(notes)).files] == ["b.txt", "c.txt"]
    assert walk(str(notes)).hidden == 3
    reading = read_documents(str(notes), "text")
    assert [document.text for document in reading.documents] == ["Ann", "Ben"]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_refused(score: float) -> None:
    with pytest.raises(DetectorError, match="expected scores to be numbers"):
        own_spans("Ann", name="x", find=lambda text: [Span(0, 3, "NAME", score, "x")])


@pytest.mark.parametrize(
    ("content", "override", "told"),
    [
        (PLAN, "context.NAME.foo=1", r"context\.NAME\.foo: unknown key; known keys: route"),
        (PLAN, "context.NAME.foo.bar=1", r"context\.NAME\.foo: unknown key"),
        (
            PLAN,
            "context.NAME={route: remove, route: label}",
            "--set context.NAME: line 1: the key route occurs twice",
        ),
        (f"{PLAN}patterns: {{kinds: [email]}}\n", None, r"plan\.yaml: line 5: the key patterns occurs twice"),
        (f"{PLAN}rules: {{NAME: mask, 'NAME': suppress}}\n", None, "line 5: the key NAME occurs twice"),
        ("x: " + "[" * 5000 + "]" * 5000, None, "too deep"),
        (PLAN.replace("path: notes", r'path: "a\0b"'), None, r"input\.path: expected text without NUL"),
        (f'{PLAN}placeholders: ["[N]", "\\0"]\n', None, r"placeholders\[1\]: expected text without NUL"),
    ],
)
def test_mistakes_in_plans_are_reported(tmp_path: Path, content: str, override: str | None, told: str) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(content)
    with pytest.raises(UsageError, match=told):
        load_plan(plan, () if override is None else (override,))


def test_paths_of_options_hold_no_nul() -> None:
    with pytest.raises(UsageError, match="--output: expected text without NUL"):
        app.RepeatsOptions(input="notes", format="text", output="a\0b")


def test_a_column_that_no_document_has_is_not_kept(spark: SparkSession, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [{"doc_id": "a", "text": "Ann", "meta": {"ward": "9"}}]
    with pytest.raises(UsageError, match="metadata: no document has 'wart' or 'subject_id'"):
        run(tmp_path, lines, patterns={"kinds": ["email"]}, metadata=["ward", "wart", "subject_id"])
    assert not (tmp_path / "release" / "documents").exists()


def test_a_column_of_the_input_may_have_no_value_and_a_dot_in_its_name(spark: SparkSession, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [{"doc_id": "a", "text": "Ann", "ward": None, "bed.no": "of ann@example.org"}]
    done = run(tmp_path, lines, patterns={"kinds": ["email"]}, metadata={"ward": "keep", "bed.no": "detect"})
    [part] = (done.release / "documents").glob("*.parquet")
    assert pq.read_table(part).to_pylist() == [{"doc_id": "a", "text": "Ann", "ward": None, "bed.no": "of [EMAIL]"}]


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz"])
def test_a_small_file_that_unpacks_to_very_much_is_rejected(tmp_path: Path, name: str) -> None:
    with gzip.open(tmp_path / name, "wb") as packed:
        for _ in range(100):
            packed.write(b" " * (1 << 20))
    (tmp_path / f"b{name.removeprefix('a')}").write_bytes(gzip.compress(b'{"doc_id": "b", "text": "Ann"}'))
    reading = read_documents(str(tmp_path), name.split(".")[1].replace("txt", "text"))
    assert dict(reading.inventory.rejects) == {"unreadable": 1}
    assert len(reading.documents) == 1


def test_a_release_behind_a_link_inside_the_input_is_in_it(tmp_path: Path) -> None:
    for name in ("notes/deep", "out", "apart"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "notes" / "deep" / "link").symlink_to(tmp_path / "out")
    given = [str(tmp_path / name) for name in ("notes", "work", "out/release")]
    with pytest.raises(UsageError, match="a link inside the input leads to"):
        check_disjoint(*given)
    with pytest.raises(UsageError, match="a link inside the input leads to"):
        check_outside(given[0], given[2])
    check_disjoint(given[0], given[1], str(tmp_path / "apart"))


def test_what_detect_writes_is_for_its_owner(tmp_path: Path) -> None:
    target = tmp_path / "annotated"
    target.mkdir(mode=0o755)
    make_private(str(target))
    make_private(str(tmp_path / "new" / "deep"))
    assert {path.stat().st_mode & 0o777 for path in (target, tmp_path / "new" / "deep")} == {0o700}
