"""A training from the page: a model of private words, figures before and after, cancel, and no text in its files."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_deid.review.event_log import EventLog
from spark_deid.review.project import MODELS, ProjectSettings, ReviewProject, create_project
from spark_deid.review.service import ReviewService

FIRST = ("Ann", "Bob", "Cem", "Dora", "Eve", "Finn", "Gita", "Hans")
LAST = ("Quorl", "Vexley", "Zamdo", "Pruitt", "Ostrov")


@pytest.fixture
def project(tmp_path: Path) -> ReviewProject:
    (tmp_path / "notes").mkdir()
    for number in range(40):
        name = f"{FIRST[number % len(FIRST)]} {LAST[number % len(LAST)]}"
        text = f"{name} came to the ward on day {number} with fever. The nurse spoke with {name} about the plan."
        (tmp_path / "notes" / f"{number:02}.txt").write_text(text)
    return create_project(tmp_path / "project", ProjectSettings(str(tmp_path / "notes"), "text", labels=("NAME",)))


def until(is_done: Callable[[], object], seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_training_adds_a_layer_and_a_cancelled_one_leaves_no_model(project: ReviewProject) -> None:
    with EventLog(project.folder, project.key) as log:
        service = ReviewService(project, log)
        service.start()
        until(lambda: log.last)
        for number, doc in enumerate(service.texts.documents()):
            found = service.document(doc)
            end = found["text"].index(" came")
            second = found["text"].index("spoke with ") + 11
            changes = [
                {"op": "add", "span": f"s{start}", "start": start, "end": start + end, "label": "NAME"}
                for start in (0, second)
            ]
            given = {name: found[name] for name in ("doc", "digest", "version")}
            service.act("a1", given | {"id": f"action-{number:02}", "kind": "done", "changes": changes})
        service.start_training("a1")
        time.sleep(1)
        service.stop_training()
        until(lambda: not service.project_status("a1")["training"]["is_running"])
        assert service.project_status("a1")["training"]["message"] == "training was cancelled"
        assert [*(project.folder / MODELS).iterdir()] == []
        service.start_training("a1")
        until(lambda: not service.project_status("a1")["training"]["is_running"])
        assert service.project_status("a1")["training"]["message"] == ""
        (layer,) = service.layers.layers
        until(lambda: service.layers.count(layer) == 40)
        figures = service.figures()
        service.close()
        (event,) = [each for each in log.events if each["kind"] == "train"]
    assert (event["model"], event["documents"], event["last"]) == (layer.digest, 20, 41)
    assert figures["layers"][0]["documents"] == 20
    assert figures["layers"][0]["recall"] > 0.9
    files = [path for path in project.folder.rglob("*") if path.is_file()]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (project.folder, project.folder / MODELS))
    content = b"".join(path.read_bytes() for path in files)
    assert [name for name in LAST if name.encode() in content] == []
    again = ReviewService(project, EventLog(project.folder, project.key))
    again.start()
    until(lambda: again.layers.layers)
    assert again.layers.count(layer) == 40
    again.close()
