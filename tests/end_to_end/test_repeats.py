"""Rare text through the command line."""

import json
from pathlib import Path

from spark_deid.samples import sample_path
from tests.end_to_end.conftest import Cli, read_rows


def test_rare_text_is_hidden_and_originals_stay_private(cli: Cli, notes: Path, tmp_path: Path) -> None:
    output, workspace = tmp_path / "common", tmp_path / "private"
    arguments = ("repeats", "--input", notes, "--format", "text", "--output", output, "--k", 3)

    cli(*arguments, "--workspace", workspace, "--sweep", "--json", tmp_path / "figures.json")

    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["documents"], figures["settings"]["unit"]) == (6, "document")
    texts = {str(row["text"]) for row in read_rows(output / "documents")}
    assert texts == {"★ 😀\r\nWrite to ann★@example.org or call 555-010-000★"}
    assert {row["label"] for row in read_rows(output / "spans")} == {"RARE"}
    assert {path.name for path in output.iterdir()} == {"documents", "spans", "manifest.json", "report.html"}
    assert "ann0" in str(read_rows(workspace / "documents")[0]["text"])
    edits = read_rows(workspace / "edits")
    assert len(edits) == figures["runs"] == len(read_rows(output / "spans"))
    assert {edit["replacement"] for edit in edits} == {"★"}

    assert "--k: " in cli(*arguments[:-1], 300, code=2).stderr

    claim = ("assess", "--release", output, "--unit", "document")
    cli(*claim, "--workspace", workspace, "--k", 3, "--json", tmp_path / "assessed.json")
    assert json.loads((tmp_path / "assessed.json").read_text())["satisfied"] is True
    assert "violations in documents" in cli(*claim, "--workspace", workspace, "--k", 7, code=3).stdout
    assert "without --workspace only --published" in cli(*claim, "--k", 3, code=2).stderr


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


def test_an_experiment_writes_curves_and_edits(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "curves"
    cli("experiment", "repeats", "--input", sample_path("meddocan-dev"), "--format", "jsonl", "--output", output)
    charts = {
        f"{name}.{kind}" for name in ("curves", "over-k", "over-l", "time", "unsuppressed") for kind in ("svg", "png")
    }
    assert {path.name for path in output.iterdir()} == {"results", "edits", "sizes", "report.html", *charts}
    points = [row for row in read_rows(output / "results") if row["split"] == "test"]
    assert len(points) == 3 * 17
    hidden = sum(row["true_positives"] + row["false_positives"] for row in points)
    assert len(read_rows(output / "edits")) == hidden
