import json

import pytest
from hypothesis import given

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.jsonl import parse_line, render_line
from tests.unit.corpus.any_documents import documents


@given(documents())
def test_round_trip(document: Document) -> None:
    line = render_line(document)
    assert "\n" not in line
    assert parse_line(line.encode(), "s#1", "s#1") == document


def test_all_fields_survive() -> None:
    spans = (Span(0, 1, "N", 0.5, "gold", "T1"), Span(2, 3, "N", None, "gold", "T1"))
    document = Document("x", "a b", "p1", spans, {"year": "2001"})
    assert parse_line(render_line(document).encode(), "s", "s") == document


def test_other_keys_are_metadata() -> None:
    document = parse_line(b'{"text": "a", "year": 2001, "meta": {"k": "v"}}', "s#3", "s#3")
    assert document is not None
    assert document.doc_id == "s#3"
    assert document.meta == {"year": "2001", "k": "v"}


def test_names_may_occur_again_inside_of_values() -> None:
    line = b'{"text": "\\"text\\": \\"text\\"", "meta": {"text": "text", "doc_id": "text"}, "subject_id": "text"}'
    document = parse_line(line, "s", "s")
    assert document is not None
    assert (document.text, document.meta) == ('"text": "text"', {"text": "text", "doc_id": "text"})


def test_blank_lines_are_no_records() -> None:
    assert parse_line(b" \r", "s", "s") is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": "a"', "malformed"),
        (b'{"text": "a"} x', "malformed"),
        (b"7", "malformed"),
        (b'["a"]', "malformed"),
        (b'"a"', "malformed"),
        (b"null", "malformed"),
        (b'{"doc_id": "x"}', "no-text"),
        (b'{"text": null}', "no-text"),
        (b'{"text": 7}', "no-text"),
        (b'{"text": ["a"]}', "no-text"),
        (b'{"text": ""}', "empty"),
        (b'{"text": "\\ud800"}', "malformed"),
        (b'{"text": "a\\u0000"}', "nul"),
        (b'{"text": "\xff"}', "invalid-utf8"),
        (b'{"text": "a", "doc_id": 1.5}', "malformed"),
        (b'{"text": "a", "doc_id": ""}', "malformed"),
        (b'{"text": "a", "meta": 1}', "malformed"),
        (b'{"text": "a", "text": "b"}', "malformed"),
        (b'{"text": "a", "doc_id": "x", "doc_id": "x"}', "malformed"),
        (b'{"text": "a", "spans": [], "meta": {"text": "b"}, "spans": []}', "malformed"),
        (b'{"text": "a", "x": NaN}', "malformed"),
        (b'{"text": "a", "spans": {}}', "bad-annotation"),
        (b'{"text": "a", "spans": [1]}', "bad-annotation"),
        (b'{"text": "a", "spans": [{"start": 0, "end": 2, "label": "N"}]}', "bad-annotation"),
        (b'{"text": "a", "spans": [{"start": 0, "end": 1}]}', "bad-annotation"),
        (b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "N", "text": "b"}]}', "bad-annotation"),
        (b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "N", "score": "b"}]}', "bad-annotation"),
        (b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "N", "annotation_id": "\\ud800"}]}', "malformed"),
        (b"[" * 100_000, "malformed"),
    ],
)
def test_what_is_no_document_is_refused_with_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_line(line, "s#1", "s#1")
    assert caught.value.reason == reason


def test_columns_can_be_named() -> None:
    format = find_format("jsonl", {"text_column": "note", "id_column": "id", "subject_column": "patient"})
    assert format.parse_line is not None
    line = json.dumps({"note": "a", "id": 7, "patient": "p", "text": "other"}).encode()
    assert format.parse_line(line, "s", "s") == Document("7", "a", "p", (), {"text": "other"})
