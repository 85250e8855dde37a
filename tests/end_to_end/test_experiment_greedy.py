"""The experiment with GreedySanitize through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from spark_deid.samples import sample_path
from tests.end_to_end.conftest import Cli, read_rows


@pytest.mark.thorough
def test_an_experiment_is_played_and_goes_on_where_it_was(cli: Cli, tmp_path: Path) -> None:
    output = tmp_path / "out"
    arguments = (
        "experiment",
        "greedy",
        "--input",
        sample_path("meddocan-dev"),
        "--format",
        "jsonl",
        "--output",
        output,
    )
    options = ("--labels", "NOMBRE_SUJETO_ASISTENCIA", "--methods", "svm", "--attackers", "svm", "--features", "hide")
    small = ("--folds", 3, "--documents", 12, "--loss-ratios", "1,5", "--json", tmp_path / "figures.json")

    first = cli(*arguments, *options, *small)

    assert "games ended" in first.stderr
    results = read_rows(output / "results")
    assert {(row["method"], row["fold"], row["loss_ratio"]) for row in results} == {
        (f"{kind}-svm", fold, ratio) for kind in ("greedy", "once", "cost") for fold in range(3) for ratio in (1, 5)
    }
    edits = read_rows(output / "edits")
    assert set(edits[0]) == {"method", "fold", "loss_ratio", "doc_id", "start", "end"}
    written = {path.name for path in output.iterdir()}
    assert written >= {"results", "edits", "attacks", "budgets", "report.html", "publish.png", "publish.svg", "fits"}
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert (figures["documents"], figures["failed"]) == (12, 0)

    refused = cli(*arguments, *options, *small, "--seed", 1, code=2)
    assert "other options (seed)" in refused.stderr

    for fit in sorted((output / "fits").iterdir())[:3]:
        fit.unlink()
    again = cli(*arguments, *options, *small)
    assert "level" in again.stderr
    assert _without_seconds(json.loads((tmp_path / "figures.json").read_text())) == _without_seconds(figures)


def _without_seconds(figures: dict[str, Any]) -> dict[str, Any]:
    return {**figures, "summary": [{**row, "seconds": 0} for row in figures["summary"]]}
