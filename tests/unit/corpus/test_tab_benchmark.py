import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, GOLD_UTF16
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.tab_benchmark import FORMAT
from tests.unit.corpus.marked_documents import documents, ordered

assert FORMAT.render_file is not None
RENDER = FORMAT.render_file

SECRET = "Zebulon"
TEXT = "Ann 😀 Lee of Rome"


def parse(content: object, **options: str) -> list[Any]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    read = find_format("tab", options).parse_file
    assert read is not None
    return list(read(data, "x.json"))


def mention(
    start: object, end: int, surface: str | None, kind: str | None = "PERSON", name: str = "em1", **more: str
) -> dict[str, Any]:
    return {
        "entity_type": kind, "entity_mention_id": name, "start_offset": start, "end_offset": end, "span_text": surface,
        "edit_type": "check", "identifier_type": "DIRECT", "entity_id": "e1", **more,
    }  # fmt: skip


def record(text: str = TEXT, **annotators: object) -> dict[str, Any]:
    annotations = {name: {"entity_mentions": mentions} for name, mentions in annotators.items()}
    return {"doc_id": "001-1", "text": text, "dataset_type": "dev", "annotations": annotations}


@given(st.lists(documents(), max_size=3))
def test_what_is_written_is_read(written: list[Document]) -> None:
    again = parse(RENDER(written))
    assert [d.text for d in again] == [d.text for d in written]
    assert [bare(d) for d in again] == [bare(d) for d in written]
    assert parse(RENDER(again)) == again


def bare(document: Document) -> tuple[Span, ...]:
    """Spans, with an id only where pieces share one: every mention has an id in the file."""
    shared = [s.annotation_id for s in document.spans]
    return ordered(s if shared.count(s.annotation_id) > 1 else s._replace(annotation_id=None) for s in document.spans)


def test_first_annotator_by_name_is_gold() -> None:
    (document,) = parse([record(annotator2=[mention(6, 9, "Lee")], annotator1=[mention(0, 3, "Ann")])])
    assert document.doc_id == "001-1"
    assert document.spans == (Span(0, 3, "PERSON", None, GOLD, "em1"),)
    assert document.meta["annotator"] == "annotator1"
    assert document.meta["dataset_type"] == "dev"


def test_named_annotator_is_gold_and_documents_of_others_have_none() -> None:
    first, second = parse(
        [record(annotator2=[mention(6, 9, "Lee")], annotator1=[]), record(annotator1=[mention(0, 3, "Ann")])],
        annotator="annotator2",
    )
    assert first.spans[0][:3] == (6, 9, "PERSON")
    assert second.spans == ()
    assert "annotator" not in second.meta


def test_identifier_types_and_entities_are_kept_and_written() -> None:
    mentions = [mention(0, 3, "Ann"), mention(13, 17, "Rome", "LOC", "em2", identifier_type="QUASI", entity_id="e2")]
    (document,) = parse([record(annotator1=mentions)])
    assert json.loads(document.meta["identifier_types"]) == {"em1": "DIRECT", "em2": "QUASI"}
    (written,) = json.loads(RENDER([document]))
    for had, has in zip(mentions, written["annotations"]["annotator1"]["entity_mentions"], strict=True):
        assert has == {**had, "edit_type": "insert"}
    assert written["dataset_type"] == "dev"


def test_nested_and_discontinuous_mentions_are_kept() -> None:
    mentions = [mention(0, 3, "Ann", name="a"), mention(6, 9, "Lee", name="a"), mention(0, 9, "Ann 😀 Lee", name="b")]
    (document,) = parse([record(annotator1=mentions)])
    assert [(s.start, s.end, s.annotation_id) for s in document.spans] == [(0, 3, "a"), (6, 9, "a"), (0, 9, "b")]


def test_offsets_in_utf16_units_are_converted_and_marked() -> None:
    (document,) = parse([record(annotator1=[mention(7, 10, "Lee")])])
    assert document.spans[0][:5] == (6, 9, "PERSON", None, GOLD_UTF16)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (record(annotator1=[mention(0, 3, SECRET)]), "bad-annotation"),
        (record(SECRET, annotator1=[mention(0, 30, SECRET)]), "bad-annotation"),
        (record(SECRET, annotator1=[mention("0", 3, SECRET)]), "bad-annotation"),
        (record(SECRET, annotator1=[mention(0, 3, None, kind=None)]), "bad-annotation"),
        (record(SECRET, annotator1=[SECRET]), "bad-annotation"),
        ({"doc_id": "x", "text": SECRET, "annotations": [SECRET]}, "bad-annotation"),
        ({"doc_id": "x", "text": SECRET, "annotations": {"a": SECRET}}, "bad-annotation"),
        ({"doc_id": "x", "text": SECRET, "annotations": {"a": {"entity_mentions": SECRET}}}, "bad-annotation"),
        ({"doc_id": [SECRET], "text": SECRET}, "malformed"),
        ({"doc_id": "x", "title": SECRET}, "no-text"),
        ({"doc_id": "x", "text": 7}, "no-text"),
        (record(""), "empty"),
        (record(SECRET + "\0"), "nul"),
        (record(SECRET + "\ud800"), "malformed"),
        (SECRET, "malformed"),
        (None, "malformed"),
    ],
)
def test_bad_record_is_rejected_singly_and_without_its_text(bad: dict[str, Any] | str | None, reason: str) -> None:
    error, good = parse([bad, record("fine")])
    assert isinstance(error, FormatError)
    assert error.reason == reason
    assert SECRET not in str(error)
    assert good.text == "fine"


def test_bad_byte_rejects_its_record_only() -> None:
    error, good = parse(json.dumps([record("a!"), record("fine")]).encode().replace(b"a!", b"a\xff"))
    assert error.reason == "invalid-utf8"
    assert good.text == "fine"


@pytest.mark.parametrize("content", [b"", b"[", b'[{"text": "Zebulon"', b"[NaN]", b"[" * 100_000, b"Zebulon"])
def test_torn_list_is_refused(content: bytes) -> None:
    with pytest.raises(FormatError, match="malformed") as error:
        parse(content)
    assert SECRET not in str(error.value)
