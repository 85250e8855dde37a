"""Labels leave a project as private files, and figures come from held-back documents only."""

import json
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.local import read_documents
from spark_deid.review import commands
from spark_deid.review.annotations import ReviewError
from spark_deid.review.event_log import EventLog
from spark_deid.review.measuring import layer_figures
from spark_deid.review.predicting import PredictionLayers, answer_lines, layer_of_plan
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project
from spark_deid.review.service import ReviewService
from spark_deid.review.training import train_lines

NUMBERS = count()
NAMES = ("Ann Smith", "Bob Jones", "Cem Kaya", "Dora Weiss", "Eve Adams")


@pytest.fixture
def many(tmp_path: Path) -> ReviewProject:
    (tmp_path / "notes").mkdir()
    for number in range(30):
        name = NAMES[number % len(NAMES)]
        (tmp_path / "notes" / f"{number:02}.txt").write_text(f"{name} came to the ward on day {number}.\n")
    return create_project(tmp_path / "project", ProjectSettings(str(tmp_path / "notes"), "text", labels=("NAME",)))


def start(project: ReviewProject, log: EventLog) -> ReviewService:
    service = ReviewService(project, log)
    service.texts.start()
    service.texts.read.wait(20)
    service._prepare()
    return service


def finish_all(service: ReviewService) -> None:
    for doc in service.texts.documents():
        found = service.document(doc)
        end = found["text"].index(" came")
        change = {"op": "add", "span": "s", "start": 0, "end": end, "label": "NAME"}
        given = {name: found[name] for name in ("doc", "digest", "version")}
        service.act("a1", given | {"id": f"action-{next(NUMBERS)}", "kind": "done", "changes": [change]})


def test_exported_files_separate_held_back_documents(many: ReviewProject, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="at least one document that is done"):
        commands.export(many.folder, tmp_path / "labels")
    with EventLog(many.folder, many.key) as log:
        finish_all(start(many, log))
        assert "15 documents to train on" in commands.export(many.folder, tmp_path / "labels")
    files = [tmp_path / "labels" / name for name in ("train.jsonl", "held-out.jsonl")]
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in files)
    training, held = (read_documents(str(path), "jsonl").documents for path in files)
    assert {each.doc_id for each in training}.isdisjoint(each.doc_id for each in held)
    assert len(training) == len(held) == 15
    assert all(each.text[: each.spans[0].end] in NAMES for each in (*training, *held))
    assert json.loads(files[0].read_text().splitlines()[0])["spans"][0]["source"] == "review"
    with pytest.raises(UsageError, match="already exists"):
        commands.export(many.folder, tmp_path / "labels")


def test_figures_come_from_held_back_documents_only(many: ReviewProject) -> None:
    with EventLog(many.folder, many.key) as log:
        service = start(many, log)
        finish_all(service)
        layer = layer_of_plan("patterns")
        service.layers.open(layer)
        for doc in service.texts.documents():
            found = service.document(doc)
            spans = [(0, 3, "NAME", 0.9, "m")] if found["held"] else []
            service.layers.add(layer, doc, found["digest"], spans)
        figures = service.figures()
    (found,) = figures["layers"]
    assert (figures["training"], figures["held"], found["documents"]) == (15, 15, 15)
    assert found["name_words"] == 30
    assert 0 < found["missed"] <= 15
    assert found["interval"][0] < found["missed"] / 30 < found["interval"][1]


def test_missed_words_are_words_of_names_that_no_span_touches() -> None:
    document = Document("d", "Ann Smith of Oslo", None, (Span(0, 9, "NAME"), Span(13, 17, "CITY")))
    found = layer_figures([document], {"d": [Span(1, 2, "CITY")]})
    assert (found["name_words"], found["missed"], found["by_document"]) == (2, 1, {"d": 1})
    assert layer_figures([document], {}) == {"documents": 0}


def test_a_training_needs_documents(service: ReviewService) -> None:
    with pytest.raises(ReviewError, match="few-documents"):
        service.start_training("a1")


def test_predictions_of_another_text_do_not_count(tmp_path: Path) -> None:
    layers, layer = PredictionLayers(tmp_path / "p"), layer_of_plan("patterns")
    layers.open(layer)
    layers.add(layer, "d", "t1", [(0, 3, "NAME", 0.5, "m")])
    again = PredictionLayers(tmp_path / "p")
    again.open(layer)
    assert again.spans(layer, "d", "t1") == ((0, 3, "NAME", 0.5, "m"),)
    assert again.spans(layer, "d", "t2") is None
    (file,) = (tmp_path / "p").iterdir()
    file.write_bytes(file.read_bytes()[:-5])
    again.open(layer)
    assert PredictionLayers(tmp_path / "p").layers == ()


def answers(place: dict[str, str], *texts: str) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(each) + "\n" for each in (place, *({"text": text} for text in texts)))
    written = StringIO()
    answer_lines(StringIO(lines), written)
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_a_plan_suggests_the_spans_of_its_detectors() -> None:
    (found,) = answers({"plan": "patterns"}, "Mail ann@example.org 😀")
    assert any(found["spans"][0][:2] == [5, 20] for _ in found["spans"])
    (failed,) = answers({"model": "nowhere/at/all"})
    assert "nowhere" in failed["error"]


def test_a_failed_training_names_no_text() -> None:
    written = StringIO()
    given = {"output": "unused", "labels": ["NAME"], "documents": [["d", "Ann Smith", None, [[0, 99, "NAME"]]]]}
    train_lines(StringIO(json.dumps(given) + "\n"), written)
    last = json.loads(written.getvalue().splitlines()[-1])
    assert "Ann" not in written.getvalue()
    assert last["error"]
