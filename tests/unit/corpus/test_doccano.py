import json
from typing import Any

import pytest
from hypothesis import given

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD
from spark_deid.corpus.doccano import FORMAT, parse_line
from spark_deid.corpus.formats import find_format
from tests.unit.corpus.marked_documents import documents, ordered

assert FORMAT.render_line is not None
RENDER = FORMAT.render_line

SECRET = "Zebulon"
TEXT = "Ann 😀 Lee"


def parse(row: object, **options: str) -> Any:
    line = row if isinstance(row, bytes) else json.dumps(row).encode()
    read = find_format("doccano", options).parse_line
    assert read is not None
    return read(line, "x.jsonl#3", "x.jsonl#3")


def entity(start: object, end: object, label: object = "NAME", name: object = 1) -> dict[str, object]:
    return {"id": name, "label": label, "start_offset": start, "end_offset": end}


@given(documents())
def test_what_is_written_is_read(document: Document) -> None:
    line = RENDER(document)
    assert "\n" not in line
    again = parse(line.encode())
    assert (again.doc_id, again.text, ordered(again.spans)) == (document.doc_id, document.text, document.spans)


def test_subject_and_metadata_come_back() -> None:
    document = Document("a", "x", "p", (), {"ward": "3", "id": "12"})
    assert parse(RENDER(document).encode()) == document


@pytest.mark.parametrize("key", ["label", "labels"])
def test_triples_are_spans(key: str) -> None:
    document = parse({"id": 5, "text": TEXT, key: [[6, 9, "NAME"], [0, 9, "NAME"]]})
    assert document.spans == (Span(6, 9, "NAME", None, GOLD), Span(0, 9, "NAME", None, GOLD))
    assert (document.doc_id, dict(document.meta)) == ("x.jsonl#3", {"id": "5"})


def test_entities_are_spans_and_those_that_share_an_id_are_pieces() -> None:
    row = {
        "text": TEXT,
        "entities": [entity(0, 3), entity(6, 9), entity(0, 9, name=2)],
        "relations": [],
        "Comments": [],
    }
    assert [(s.start, s.end, s.annotation_id) for s in parse(row).spans] == [(0, 3, "1"), (6, 9, "1"), (0, 9, None)]
    assert parse(row).meta == {}


def test_triples_are_written_unless_pieces_need_their_id() -> None:
    plain = json.loads(RENDER(Document("a", TEXT, spans=(Span(0, 3, "NAME"),))))
    assert plain["label"] == [[0, 3, "NAME"]]
    pieces = tuple(Span(start, start + 1, "NAME", None, GOLD, "T1") for start in (0, 2))
    assert json.loads(RENDER(Document("a", TEXT, spans=pieces)))["entities"] == [
        entity(0, 1, name="T1"),
        entity(2, 3, name="T1"),
    ]


def test_id_column_is_an_option() -> None:
    assert parse({"id": 5, "text": TEXT}, id_column="id").doc_id == "5"


def test_blank_line_is_no_document() -> None:
    assert parse(b" \r") is None


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": SECRET, "label": [[0, 99, "NAME"]]}, "bad-annotation"),
        ({"text": SECRET, "label": [[3, 3, "NAME"]]}, "bad-annotation"),
        ({"text": SECRET, "label": [[-1, 3, "NAME"]]}, "bad-annotation"),
        ({"text": SECRET, "label": [["0", 3, "NAME"]]}, "bad-annotation"),
        ({"text": SECRET, "label": [[0, 3, None]]}, "bad-annotation"),
        ({"text": SECRET, "label": [[0, 3]]}, "bad-annotation"),
        ({"text": SECRET, "label": [SECRET]}, "bad-annotation"),
        ({"text": SECRET, "label": SECRET}, "bad-annotation"),
        ({"text": SECRET, "entities": [SECRET]}, "bad-annotation"),
        ({"text": SECRET, "entities": [entity(True, 3)]}, "bad-annotation"),
        ({"data": SECRET}, "no-text"),
        ({"text": {"a": SECRET}}, "no-text"),
        ({"text": ""}, "empty"),
        ({"text": SECRET + "\0"}, "nul"),
        ({"text": SECRET + "\udc00"}, "malformed"),
        ({"text": SECRET, "doc_id": ""}, "malformed"),
        ([SECRET], "malformed"),
        (b'{"text": "Zebulon', "malformed"),
        (b'{"text": NaN, "a": "Zebulon"}', "malformed"),
        (b'{"text": "Zebulon \xff"}', "invalid-utf8"),
    ],
)
def test_bad_line_is_refused_without_its_text(row: bytes | dict[str, Any] | list[Any], reason: str) -> None:
    with pytest.raises(FormatError) as error:
        parse(row)
    assert error.value.reason == reason
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(("start", "end"), [(0, 4), (4, 8)])
def test_an_offset_between_a_letter_and_its_mark_is_refused(start: int, end: int) -> None:
    text = "Jose\u0301 Paz"
    for key, value in (
        ("label", [[start, end, "NAME"]]),
        ("entities", [{"id": 1, "label": "NAME", "start_offset": start, "end_offset": end}]),
    ):
        with pytest.raises(FormatError, match="combining mark"):
            parse_line(json.dumps({"text": text, key: value}).encode(), "", "x#1")
    assert parse_line(json.dumps({"text": text, "label": [[0, 5, "NAME"]]}).encode(), "", "x#1") is not None
