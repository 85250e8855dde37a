"""Whole runs on a few lines, in the session that tests share."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spark_deid.app.figures import ReleaseFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.releasing import run_plan
from spark_deid.plan.load import check_plan


@dataclass(frozen=True)
class Done:
    """What a run left."""

    figures: ReleaseFigures
    workspace: Path
    release: Path

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Return the release's manifest."""
        told: Mapping[str, Any] = json.loads((self.release / "manifest.json").read_text())
        return told

    @property
    def report(self) -> str:
        """Return the release's report, with spaces instead of its line breaks."""
        return " ".join((self.release / "report.html").read_text().split())


def run(
    folder: Path, lines: Iterable[Mapping[str, object]], *, progress: Progress = no_progress, **methods: object
) -> Done:
    """Carry out a plan on lines of JSON; the session of the fixture ``spark`` must run."""
    source = folder / "notes.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    places = {"workspace": str(folder / "workspace"), "release": str(folder / "release")}
    settings = check_plan({"input": {"path": str(source), "format": "jsonl"}, **places, **methods}, "plan")
    return Done(run_plan(settings, progress=progress), folder / "workspace", folder / "release")
