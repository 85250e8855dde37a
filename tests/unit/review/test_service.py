"""Actions on documents: saved in the log, checked against the text, and undone."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from spark_deid.review.annotations import ReviewError
from spark_deid.review.event_log import LOG, EventLog
from spark_deid.review.project import PLACE, ProjectSettings, ReviewProject, create_project
from spark_deid.review.service import ReviewService
from spark_deid.review.texts import occurrences
from tests.unit.review.conftest import TEXTS

NUMBERS = count()


def opened(service: ReviewService, name: str) -> dict[str, Any]:
    return next(found for found in map(service.document, service.texts.documents()) if found["name"] == name)


def act(service: ReviewService, found: dict[str, Any], kind: str, *changes: dict[str, Any], **more: Any) -> Any:
    given = {name: found[name] for name in ("doc", "digest", "version")}
    return service.act("a1", given | {"id": f"action-{next(NUMBERS)}", "kind": kind, "changes": list(changes)} | more)


def added(start: int, end: int, label: str = "NAME", span: str = "s1") -> dict[str, Any]:
    return {"op": "add", "span": span, "start": start, "end": end, "label": label}


def test_actions_survive_a_restart(service: ReviewService, project: ReviewProject) -> None:
    found = opened(service, "first")
    act(service, found, "add", added(0, 9), active=12.5)
    act(service, found | {"version": 1}, "done")
    with EventLog(project.folder, project.key) as log:
        again = ReviewService(project, log)
        again.texts.start()
        again.texts.read.wait(20)
        state = again.annotations(found["doc"])
    assert state["spans"] == [["s1", 0, 9, "NAME", ""]]
    assert state["status"] == "done"


def test_the_project_contains_no_text(service: ReviewService, project: ReviewProject) -> None:
    found = opened(service, "second")
    act(service, found, "add", added(0, 6))
    service.keep_place({"doc": found["doc"], "caret": 3, "order": "chance", "text": "Müller"})
    content = b"".join(path.read_bytes() for path in project.folder.rglob("*") if path.is_file())
    for secret in ("Müller", "M\\u00fcller", "Ann", "second", "東京"):
        assert secret.encode() not in content
    assert {path.name for path in project.folder.iterdir()} >= {LOG, PLACE}
    assert json.loads((project.folder / PLACE).read_text()) == {"doc": found["doc"], "caret": 3, "order": "chance"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (project.folder, project.folder / LOG))


def test_stale_wrong_and_foreign_requests_are_refused(service: ReviewService) -> None:
    found = opened(service, "first")
    act(service, found, "add", added(0, 9))
    current = found | {"version": 1}
    for wrong, code in (
        (found, "stale"),
        (current | {"digest": "x" * 32}, "text-changed"),
        (current | {"doc": "x"}, "no-document"),
    ):
        with pytest.raises(ReviewError, match=code):
            act(service, wrong, "add", added(10, 13, span="s2"))
    with pytest.raises(ReviewError, match="wrong-offsets"):
        act(service, current, "add", added(0, len(TEXTS["first"]) + 1, span="s2"))
    with pytest.raises(ReviewError, match="span-exists"):
        act(service, current, "add", added(10, 13))
    with pytest.raises(ReviewError, match="no-span"):
        act(service, current, "delete", {"op": "delete", "span": "s9"})
    assert service.log.last == 2  # the choice of held-back documents, and one action


def test_a_replay_changes_nothing(service: ReviewService) -> None:
    found = opened(service, "first")
    one = act(service, found, "add", added(0, 9), id="action-again")
    assert act(service, found, "add", added(0, 9), id="action-again") == one
    assert service.annotations(found["doc"])["version"] == 1


def test_undo_crosses_documents(service: ReviewService) -> None:
    first, second = opened(service, "first"), opened(service, "second")
    act(service, first, "add", added(0, 9))
    act(service, second, "done")
    assert service.undo("a1", "undo-0001")["doc"] == second["doc"]
    assert service.undo("a1", "undo-0002")["doc"] == first["doc"]
    assert service.annotations(first["doc"])["spans"] == []
    with pytest.raises(ReviewError, match="nothing-to-undo"):
        service.undo("a1", "undo-0003")


def test_a_closed_project_gets_no_further_events(project: ReviewProject) -> None:
    with EventLog(project.folder, project.key) as log:
        closed = ReviewService(project, log)
        closed.start()
        closed.close()
        number = log.last
        closed.texts.read.wait(20)
        with pytest.raises(ReviewError, match="closed"):
            act(closed, opened(closed, "first"), "done")
        assert log.last == number


def test_a_document_that_is_done_with_no_spans_is_not_next_again(service: ReviewService) -> None:
    seen = set()
    for _ in TEXTS:
        doc = service.next_document("chance")["doc"]
        seen.add(doc)
        act(service, service.document(doc), "done")
    assert len(seen) == len(TEXTS)
    assert service.next_document("chance") == {"doc": None, "reason": "done"}


def test_a_changed_text_freezes_its_annotations_until_they_are_realigned(
    service: ReviewService, project: ReviewProject, notes: Path
) -> None:
    found = opened(service, "first")
    act(service, found, "add", added(0, 9), added(14, 17, span="s2"), added(33, 34, span="s3"))
    (notes / "first.txt").write_bytes(("New words. " + TEXTS["first"].replace("😀", "-")).encode())
    with EventLog(project.folder, project.key) as log:
        again = ReviewService(project, log)
        again.texts.start()
        again.texts.read.wait(20)
        changed = again.document(found["doc"])
        assert changed["frozen"]
        with pytest.raises(ReviewError, match="frozen"):
            act(again, changed, "add", added(0, 3, span="s4"))
        assert again.realign("a1", "realign-1", found["doc"])["removed"] == 1
        assert [span[1:4] for span in again.annotations(found["doc"])["spans"]] == [[11, 20, "NAME"], [25, 28, "NAME"]]
        assert not again.annotations(found["doc"])["frozen"]


def test_held_back_documents_have_no_predictions(tmp_path: Path) -> None:
    span = {"start": 0, "end": 9, "label": "NAME"}
    rows = [{"doc_id": str(number), "text": f"Ann Smith {number}", "spans": [span]} for number in range(30)]
    labelled = tmp_path / "in.jsonl"
    labelled.write_text("".join(json.dumps(row) + "\n" for row in rows))
    project = create_project(tmp_path / "project", ProjectSettings(str(labelled), "jsonl", labels=("NAME",)))
    with EventLog(project.folder, project.key) as log:
        service = ReviewService(project, log)
        service.texts.start()
        service.texts.read.wait(20)
        service._prepare()
        documents = [service.document(doc) for doc in service.texts.documents()]
    held = [found for found in documents if found["held"]]
    assert len(held) == 15
    assert all(found["predicted"] == [] and not found["is_predicted"] for found in held)
    assert all(found["predicted"] == [[0, 9, "NAME", None, "input"]] for found in documents if not found["held"])


def test_occurrences_are_whole_words() -> None:
    text = TEXTS["first"]
    assert occurrences(text, 0, 3) == [(0, 3), (14, 17)]
    assert occurrences("a+ a+b a+", 0, 2) == [(0, 2), (3, 5), (7, 9)]
    assert occurrences("東京東京", 0, 2) == [(0, 2), (2, 4)]


def test_labels_are_renamed_with_a_preview(service: ReviewService) -> None:
    found = opened(service, "first")
    act(service, found, "add", added(0, 9))
    assert service.preview_label("NAME", "PERSON") == {"spans": 1, "documents": 1, "is_merge": False}
    service.merge_label("a1", "merge-001", "NAME", "PERSON")
    assert service.annotations(found["doc"])["spans"][0][3] == "PERSON"
    service.undo("a1", "undo-0001")
    assert service.annotations(found["doc"])["spans"][0][3] == "NAME"
