import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.core.span import Span
from spark_deid.corpus.checks import GOLD, GOLD_UTF16, GOLD_WHITESPACE
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.label_studio import FORMAT, parse_file
from tests.unit.corpus.marked_documents import documents, ordered

assert FORMAT.render_file is not None
RENDER = FORMAT.render_file

SECRET = "Zebulon"
TEXT = "Ann 😀 Lee\r\nof Rome"


def parse(content: object, **options: str) -> list[Any]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    read = find_format("label-studio", options).parse_file
    assert read is not None
    return list(read(data, "x.json"))


def region(start: object, end: object, surface: object, *labels: object, name: str = "r") -> dict[str, object]:
    value = {"start": start, "end": end, "text": surface, "labels": list(labels or ("NAME",))}
    return {"id": name, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def annotation(*results: object, cancelled: bool = False, truth: bool = False) -> dict[str, object]:
    return {"id": 1, "result": list(results), "was_cancelled": cancelled, "ground_truth": truth}


def task(*annotations: object, text: object = TEXT) -> dict[str, object]:
    return {"id": 12, "data": {"text": text}, "annotations": list(annotations), "predictions": [annotation(SECRET)]}


def spans(content: dict[str, object]) -> list[tuple[object, ...]]:
    (document,) = parse([content])
    return [span[:3] for span in document.spans]


@given(st.lists(documents(), max_size=3))
def test_what_is_written_is_read(written: list[Document]) -> None:
    again = parse(RENDER(written))
    assert [(d.doc_id, d.text, ordered(d.spans)) for d in again] == [(d.doc_id, d.text, d.spans) for d in written]


def test_subject_metadata_and_task_id_come_back() -> None:
    document = Document("a", "x", "p", (), {"ward": "3", "task_id": "12"})
    data = RENDER([document])
    assert parse(data) == [document]
    assert json.loads(data)[0]["id"] == 12


def test_last_annotation_that_was_not_cancelled_is_gold() -> None:
    ann, lee = region(0, 3, "Ann"), region(6, 9, "Lee")
    assert spans(task(annotation(ann), annotation(lee), annotation(ann, cancelled=True))) == [(6, 9, "NAME")]
    assert spans(task(annotation(ann, truth=True), annotation(lee))) == [(0, 3, "NAME")]
    assert spans(task(annotation(ann, truth=True, cancelled=True), annotation(lee))) == [(6, 9, "NAME")]
    assert spans(task()) == spans(task(annotation(ann, cancelled=True))) == []


def test_every_label_of_a_region_is_a_span() -> None:
    assert spans(task(annotation(region(0, 3, "Ann", "NAME", "FIRST")))) == [(0, 3, "NAME"), (0, 3, "FIRST")]


def test_other_results_and_predictions_are_passed_over() -> None:
    choice = {"type": "choices", "value": {"choices": ["good"]}}
    relation = {"type": "relation", "from_id": "a", "to_id": "b"}
    assert spans(task(annotation(choice, relation, region(0, 3, "Ann")))) == [(0, 3, "NAME")]


def test_offsets_in_utf16_units_are_converted_and_marked() -> None:
    (document,) = parse([task(annotation(region(7, 10, "Lee"), region(7, 14, "Lee of")))])
    assert [(*span[:2], span.source) for span in document.spans] == [(6, 9, GOLD_UTF16), (6, 13, GOLD_UTF16)]


def test_surface_equal_after_white_space_normalization_is_kept_and_marked() -> None:
    (document,) = parse([task(annotation(region(6, 13, "Lee\nof")))])
    assert document.spans == (Span(6, 13, "NAME", None, GOLD_WHITESPACE),)


def test_regions_that_share_an_id_are_pieces() -> None:
    (document,) = parse([task(annotation(region(0, 3, "Ann", name="a"), region(6, 9, "Lee", name="a")))])
    assert document.spans == (Span(0, 3, "NAME", None, GOLD, "a"), Span(6, 9, "NAME", None, GOLD, "a"))


def test_records_are_named_by_number_and_lines_are_read_too() -> None:
    lines = "\n".join(json.dumps(task(text=text)) for text in ("one", "two")).encode()
    assert [(d.doc_id, d.text) for d in parse(lines)] == [("x.json#1", "one"), ("x.json#2", "two")]
    assert [d.text for d in parse(task(text="alone"))] == ["alone"]
    assert [d.text for d in parse(json.dumps(task(text="alone"), indent=1).encode())] == ["alone"]


def test_torn_line_is_rejected_singly() -> None:
    torn, good = parse(b'{"data": {"text": "Zebulon\n' + json.dumps(task(text="fine")).encode())
    assert torn.reason == "malformed"
    assert SECRET not in str(torn)
    assert good.text == "fine"


def test_key_of_the_text_is_an_option() -> None:
    (document,) = parse([{"data": {"body": "Ann", "name": 7}}], text_column="body", id_column="name")
    assert (document.doc_id, document.text) == ("7", "Ann")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (task(annotation(region(0, 3, SECRET))), "bad-annotation"),
        (task(annotation(region(0, 70, SECRET)), text=SECRET), "bad-annotation"),
        (task(annotation(region("/p[1]", "/p[1]", SECRET)), text=SECRET), "bad-annotation"),
        (task(annotation(region(0, 3, [SECRET])), text=SECRET), "bad-annotation"),
        (task(annotation(region(0, 3, None, 5)), text=SECRET), "bad-annotation"),
        (task(annotation({"type": "labels", "value": {"start": 0, "end": 1}}), text=SECRET), "bad-annotation"),
        (task(annotation({"type": "labels", "value": SECRET}), text=SECRET), "bad-annotation"),
        (task(annotation(SECRET), text=SECRET), "bad-annotation"),
        (task(SECRET, text=SECRET), "bad-annotation"),
        ({"text": SECRET}, "no-text"),
        (task(text=None), "no-text"),
        (task(text=[SECRET]), "no-text"),
        (task(text=""), "empty"),
        (task(text=SECRET + "\0"), "nul"),
        ([SECRET], "malformed"),
    ],
)
def test_bad_task_is_rejected_singly_and_without_its_text(bad: dict[str, Any] | list[Any], reason: str) -> None:
    error, good = parse([bad, task(text="fine")])
    assert isinstance(error, FormatError)
    assert error.reason == reason
    assert SECRET not in str(error)
    assert good.text == "fine"


@pytest.mark.parametrize("content", [b"", b'[{"data": "Zebulon"', b"Zebulon"])
def test_file_that_is_no_json_is_refused(content: bytes) -> None:
    with pytest.raises(FormatError, match="malformed") as error:
        parse(content)
    assert SECRET not in str(error.value)


def task_with(text: str, start: int, end: int, surface: str) -> bytes:
    value = {"start": start, "end": end, "text": surface, "labels": ["PER"]}
    result = {"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value}
    return json.dumps([{"id": 1, "data": {"text": text}, "annotations": [{"result": [result]}]}]).encode()


@pytest.mark.parametrize(
    ("text", "start", "end", "surface", "found"),
    [
        ("Dr. Ilona\nVarga called.", 4, 15, "Ilona\\nVarga", "Ilona\nVarga"),
        ("Hi\r\nIlona Varga", 3, 14, "Ilona Varga", "Ilona Varga"),
        ("Hi\r\nIlona\r\nVarga.", 3, 14, "Ilona\\nVarga", "Ilona\r\nVarga"),
        ("Hi\r\n😀 Ilona Varga", 6, 17, "Ilona Varga", "Ilona Varga"),
        ("a\\nb", 0, 4, "a\\nb", "a\\nb"),
    ],
)
def test_line_ends_are_repaired_where_the_surface_proves_it(
    text: str, start: int, end: int, surface: str, found: str
) -> None:
    (document,) = parse_file(task_with(text, start, end, surface), "x.json")
    assert isinstance(document, Document)
    (span,) = document.spans
    assert text[span.start : span.end] == found


def test_line_ends_are_not_repaired_where_the_surface_is_another() -> None:
    for data in (task_with("Hi\r\nIlona Varga", 3, 14, "Ilona Vargo"), task_with("Hi\r\nIlona", 3, 90, "Ilona")):
        (error,) = parse_file(data, "x.json")
        assert isinstance(error, FormatError)
        assert error.reason == "bad-annotation"
