"""A small project with texts of several scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.review.event_log import EventLog
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project
from spark_deid.review.service import ReviewService

TEXTS = {
    "first": "Ann Smith met Ann.\r\nAnnabel came 😀 later.",
    "second": "Müller 👩‍👩‍👧 in 東京 with Ann.\n",
    "third": "No names here.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    return folder


@pytest.fixture
def project(notes: Path, tmp_path: Path) -> ReviewProject:
    return create_project(tmp_path / "project", ProjectSettings(str(notes), "text", labels=("NAME", "CITY")))


@pytest.fixture
def service(project: ReviewProject) -> Iterator[ReviewService]:
    with EventLog(project.folder, project.key) as log:
        running = ReviewService(project, log)
        running.start()
        running.texts.read.wait(20)
        yield running
        running.close()
