"""Rare text through the command line."""

import json

from tests.end_to_end.conftest import read_rows


def test_rare_text_is_hidden_and_originals_stay_private(cli, notes, tmp_path):
    output, workspace = tmp_path / "common", tmp_path / "private"
    arguments = ("repeats", "--input", notes, "--format", "text", "--output", output, "--k", 3)

    cli(*arguments, "--workspace", workspace, "--sweep", "--json", tmp_path / "figures.json")

    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["documents"], figures["settings"]["unit"]) == (6, "document")
    texts = [str(row["text"]) for row in read_rows(output / "documents")]
    assert all(text.startswith("Note ★") and "@example.org or call 555-010-" in text for text in texts)
    assert {row["label"] for row in read_rows(output / "spans")} == {"RARE"}
    assert {path.name for path in output.iterdir()} == {"documents", "spans", "manifest.json", "report.html"}
    assert "ann0" in str(read_rows(workspace / "documents")[0]["text"])
    edits = read_rows(workspace / "edits")
    assert len(edits) == figures["runs"] == len(read_rows(output / "spans"))
    assert {edit["replacement"] for edit in edits} == {"★"}

    assert "--k: " in cli(*arguments[:-1], 300, code=2).stderr
