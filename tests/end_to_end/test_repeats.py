"""Rare text through the command line."""

import json
from pathlib import Path

import pytest

from spark_deid.samples import sample_path
from tests.end_to_end.conftest import Cli, read_rows


def test_rare_text_is_hidden_and_originals_remain_private(cli: Cli, notes: Path, tmp_path: Path) -> None:
    output, workspace = tmp_path / "common", tmp_path / "private"
    arguments = ("repeats", "--input", notes, "--format", "text", "--output", output, "--k", 3)

    cli(*arguments, "--workspace", workspace, "--sweep", "--json", tmp_path / "figures.json")

    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["documents"], figures["settings"]["unit"]) == (6, "document")
    texts = {str(row["text"]) for row in read_rows(output / "documents")}
    assert texts == {"★ 😀\r\nWrite to ann★@example.org or call 555-010-000★"}
    assert {path.name for path in output.iterdir()} == {"documents", "manifest.json", "report.html"}
    manifest = json.loads((output / "manifest.json").read_text())
    assert (manifest["edits"], manifest["placeholders"]) == ({"mask": {"RARE": figures["runs"]}}, ["★"])
    assert manifest["spans"] == {"repeats": {"RARE": figures["runs"]}}
    assert "Text of fewer than 3 documents" in (output / "report.html").read_text()
    spans, edits = read_rows(workspace / "spans"), read_rows(workspace / "edits")
    assert {(row["label"], row["source"]) for row in spans} == {("RARE", "repeats")}
    assert "ann0" in str(read_rows(workspace / "documents")[0]["text"])
    assert len(edits) == figures["runs"] == len(spans)
    assert {(edit["technique"], edit["replacement"]) for edit in edits} == {("mask", "★")}
    assert [(row["guarantee"], row["satisfied"]) for row in figures["assessments"]] == [("k-repeating-runs", True)]

    assert "--k: expected an integer >= 2 and <= 254, got 300" in cli(*arguments[:-1], 300, code=2).stderr

    claim = ("assess", "--release", output, "--unit", "document")
    cli(*claim, "--workspace", workspace, "--k", 3, "--json", tmp_path / "assessed.json")
    assert json.loads((tmp_path / "assessed.json").read_text())["satisfied"] is True
    assert "violations in documents" in cli(*claim, "--workspace", workspace, "--k", 7, code=3).stdout
    assert "expected --workspace, or --published with --unit" in cli(*claim, "--k", 3, code=2).stderr


def test_what_is_private_goes_where_no_workspace_is_named(cli: Cli, notes: Path, tmp_path: Path) -> None:
    output = tmp_path / "common"

    cli("repeats", "--input", notes, "--format", "text", "--output", output, "--k", 3, "--mask-length")

    texts = {str(row["text"]) for row in read_rows(output / "documents")}
    assert texts == {"★★★★★★ 😀\r\nWrite to ann★@example.org or call 555-010-000★★★"}
    assert {path.name for path in tmp_path.iterdir()} == {"notes", "common"}


@pytest.mark.thorough
def test_a_plan_recounts_before_it_releases(cli: Cli, notes: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"input: {{path: {notes}, format: text}}\nworkspace: {tmp_path}/w\nrelease: {tmp_path}/r\n"
        "patterns: {kinds: [email]}\nrepeats: {k: 3, unit: document}\nsources: [patterns, repeats]\n"
    )

    assert "find text of fewer than 3 documents" in cli("explain", plan).stdout
    cli("run", plan)

    texts = {str(row["text"]) for row in read_rows(tmp_path / "r" / "documents")}
    assert texts == {"★ 😀\r\nWrite to [EMAIL] or call 555-010-000★"}
    assessed = {str(row["guarantee"]): row for row in read_rows(tmp_path / "w" / "assessments")}
    assert assessed["k-repeating-runs"]["satisfied"] is True
    assert assessed["k-repeating-runs"]["evidence"] == "2 of 2 distinct runs counted"


@pytest.mark.thorough
def test_an_experiment_writes_curves_and_edits(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "curves"
    cli("experiment", "repeats", "--input", sample_path("meddocan-dev"), "--format", "jsonl", "--output", output)
    charts = {
        f"{name}.{kind}" for name in ("curves", "over-k", "over-l", "time", "unsuppressed") for kind in ("svg", "png")
    }
    assert {path.name for path in output.iterdir()} == {"results", "edits", "sizes", "report.html", *charts}
    points = [row for row in read_rows(output / "results") if row["split"] == "test"]
    assert len(points) == 3 * 17
    hidden = sum(int(str(row["true_positives"])) + int(str(row["false_positives"])) for row in points)
    assert len(read_rows(output / "edits")) == hidden
