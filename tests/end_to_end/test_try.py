"""The command that shows documents before and after a plan."""

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid import app
from spark_deid.cli import main
from spark_deid.core.errors import CorpusError, UsageError

NOTE = "Call 212-555-0147 about Ann."


def notes(folder: Path, count: int = 3) -> Path:
    path = folder / "notes"
    path.mkdir()
    for number in range(count):
        (path / f"n{number}.txt").write_text(NOTE)
    return path


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_documents_are_shown_before_and_after_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = notes(tmp_path)
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(SystemExit) as ended:
        main(["try", "patterns", "--input", str(path), "--format", "text", "--documents", "2"])
    assert ended.value.code == 0

    shown = plain(capsys.readouterr().out)
    assert "These are originals: do not share this output." in shown
    assert "2 documents, drawn at random from the first 3 documents of the input" in shown
    assert shown.count(f"before: {NOTE}") == 2
    assert shown.count("after: Call [PHONE] about Ann.") == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_only_the_first_documents_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.app.trying.FIRST", 2)
    trial = app.try_plan(Path("patterns"), (), {"input.path": str(notes(tmp_path)), "input.format": "text"}, 10)
    assert (trial.read, trial.is_whole, len(trial.documents)) == (2, False, 2)
    assert trial.describe().endswith("from the first 2 documents of the input, which has more")


def test_long_text_between_edits_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("x" * 500 + " 212-555-0147")
    trial = app.try_plan(Path("patterns"), (), {"input.path": str(path), "input.format": "text"})
    assert len(trial.documents[0].pieces[0].before) < 200


def test_an_input_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a Delta table"):
        app.try_plan(Path("patterns"), (), {"input.path": str(tmp_path), "input.format": "delta"})
    empty = tmp_path / "a.txt"
    empty.write_text("")
    with pytest.raises(CorpusError, match=r"a\.txt: .*rejects: 1 empty"):
        app.try_plan(Path("patterns"), (), {"input.path": str(empty), "input.format": "text"})


def test_a_plan_of_a_whole_corpus_is_run_on_the_first_documents(spark: SparkSession, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("input: {path: a, format: text}\npatterns: {kinds: [phone]}\nrules: {PHONE: surrogate}\n")
    trial = app.try_plan(plan, (), {"input.path": str(notes(tmp_path)), "input.format": "text"})
    pieces = [piece for document in trial.documents for piece in document.pieces if piece.is_edit]
    assert len(pieces) == 3
    assert all(piece.before == "212-555-0147" != piece.after for piece in pieces)
