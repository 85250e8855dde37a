"""The first run: train on a bundled sample of real notes, release another."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_deid import app
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import SparkDeidError
from spark_deid.plan.load import check_plan
from spark_deid.samples import sample_path

EXAMPLE_LINES = 6


@dataclass(frozen=True)
class DemoResult:
    """What a demo made: figures of the release, places to look at, lines before and after."""

    released: app.ReleaseFigures
    places: dict[str, Path]
    examples: tuple[tuple[str, str], ...]


def demo(output: Path | None, *, master: str | None = None, progress: Callable[[str], None]) -> DemoResult:
    """Train on the bundled labelled sample and release the other; a new folder each time."""
    folder = _new_folder() if output is None else output
    model = folder / "model"
    labelled = str(sample_path("meddocan-train"))
    app.train(
        app.TrainOptions(input=labelled, format="jsonl", output=model, max_rounds=2, folds=2, iterations=30), progress
    )
    settings = check_plan(
        {
            "input": {"path": str(sample_path("meddocan-dev")), "format": "jsonl"},
            "workspace": str(folder / "workspace"),
            "release": str(folder / "release"),
            "model": str(model),
            "patterns": {"kinds": "all"},
            "sources": ["model", "patterns"],
            "report": {"excerpts": 20},
        },
        "demo",
    )
    released = app.run_plan(settings, master=master, progress=progress)
    places = {
        "release": folder / "release",
        "report": folder / "release" / "report.html",
        "excerpts": folder / "workspace" / "excerpts.html",
        "model": model,
        "training": model / "training.html",
    }
    return DemoResult(released, places, _examples(folder / "workspace"))


def _new_folder() -> Path:
    for number in range(1, 10_000):
        folder = Path(f"demo-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise SparkDeidError("demo-1 to demo-9999 exist already. Delete some, or choose a folder with --output")


def _examples(workspace: Path) -> tuple[tuple[str, str], ...]:
    """Return the first edited lines of the first document, before and after."""
    documents = _rows(workspace / "documents")
    first = min(documents, key=lambda row: str(row["doc_id"]))
    edits = [
        Edit(*(row[name] for name in Edit._fields))
        for row in _rows(workspace / "edits")
        if row["doc_id"] == first["doc_id"]
    ]
    pairs: list[tuple[str, str]] = []
    start = 0
    for line in first["text"].split("\n"):
        inside = [
            e._replace(start=e.start - start, end=e.end - start) for e in edits if start <= e.start < start + len(line)
        ]
        if inside and inside[-1].end <= len(line):
            pairs.append((line, apply_edits(line, inside)))
        start += len(line) + 1
    return tuple(pairs[:EXAMPLE_LINES])


def _rows(table: Path) -> list[dict[str, Any]]:
    import pyarrow.dataset as ds  # takes its time to import

    rows: list[dict[str, Any]] = ds.dataset(sorted(table.glob("*.parquet")), format="parquet").to_table().to_pylist()
    return rows
