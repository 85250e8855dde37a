"""A key that JSON states twice, escaped or not, at any depth: of two values one would be lost in silence."""

import json
from pathlib import Path

import pytest

from spark_deid.corpus.local import read_documents

GOOD = {"text": "Seen by Ann."}
TWICE = [
    '{"text": "Seen by Ann.", "text": "Seen by Ben."}',
    '{"text": "Seen by Ann.", "te\\u0078t": "Seen by Ben."}',
    '{"\\u0074ext": "Seen by Ann.", "\\u0074ext": "Seen by Ben."}',
    '{"text": "Seen by Ann.", "doc_id": "a", "doc_i\\u0064": "b"}',
    '{"text": "Seen by Ann.", "meta": {"ward": "7", "w\\u0061rd": "8"}}',
    '{"text": "Seen by Ann.", "ward": "7", "ward": "8"}',
    '{"text": "Seen by Ann.", "spans": [{"start": 8, "start": 0, "end": 11, "label": "NAME"}]}',
]


@pytest.mark.parametrize("format", ["jsonl", "doccano"])
@pytest.mark.parametrize("line", TWICE)
def test_a_line_with_a_key_twice_is_a_reject(tmp_path: Path, format: str, line: str) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text(f"{json.dumps(GOOD)}\n{line}\n")
    reading = read_documents(str(notes), format)
    assert [document.text for document in reading.documents] == ["Seen by Ann."]
    (reject,) = reading.rejects
    assert (reject.source, reject.reason) == ("notes.jsonl#2", "malformed")
    assert "once" in reject.detail
    assert not [word for word in ("Ann", "Ben", "ward") if word in reject.detail]


def test_a_list_of_records_with_a_key_twice_is_a_reject(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text('[{"id": 1, "data": {"text": "Seen by Ann.", "te\\u0078t": "Ben"}}]')
    (tmp_path / "other.json").write_text('[{"id": 1, "data": {"text": "Seen by Ann."}}]')
    reading = read_documents(str(tmp_path), "label-studio")
    assert len(reading.documents) == 1
    assert [(reject.source, reject.reason) for reject in reading.rejects] == [("tasks.json", "malformed")]


def test_equal_keys_of_different_objects_are_fine(tmp_path: Path) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text('{"text": "the text: \\"text\\": 1", "meta": {"text": "7"}, "x": "text"}\n')
    assert len(read_documents(str(notes), "jsonl").documents) == 1
