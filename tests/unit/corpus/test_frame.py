"""Rows of frames: which columns are meant, and what becomes of each row."""

import random

import pandas as pd
import pytest

from spark_deid.api.results import records_of_pandas
from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.frame import FrameColumns, records_of

COLUMNS = FrameColumns(subject_id="who", metadata=("ward",))


def read(rows: list[dict[str, object]], columns: FrameColumns = COLUMNS) -> list[Document | RejectedInput]:
    return [record.outcome for record in records_of_pandas(pd.DataFrame(rows), columns)]


def test_a_row_is_a_document_with_its_person_and_metadata() -> None:
    (document,) = read([{"doc_id": 7, "text": "Ann", "who": "p", "ward": 3.5, "other": "x"}])
    assert document == Document("7", "Ann", "p", meta={"ward": "3.5"})


@pytest.mark.parametrize(
    ("doc_id", "text", "reason"),
    [
        (None, "Ann", "no-id"),
        (float("nan"), "Ann", "no-id"),
        (pd.NA, "Ann", "no-id"),
        ("", "Ann", "malformed"),
        (True, "Ann", "malformed"),
        (1.5, "Ann", "malformed"),
        ("a\ud800", "Ann", "malformed"),
        ("d", None, "no-text"),
        ("d", float("nan"), "no-text"),
        ("d", pd.NA, "no-text"),
        ("d", 7, "no-text"),
        ("d", "", "empty"),
        ("d", "SECRET\0", "nul"),
        ("d", "SECRET\ud800", "malformed"),
    ],
)
def test_a_row_that_can_not_be_read_is_rejected_without_its_text(doc_id: object, text: object, reason: str) -> None:
    (reject,) = read([{"doc_id": doc_id, "text": text, "who": None, "ward": None}])
    assert isinstance(reject, RejectedInput)
    assert (reject.source, reject.reason) == ("iloc[0]", reason)
    assert "SECRET" not in reject.detail


def test_integers_that_pandas_took_for_floats_are_ids() -> None:
    ids: tuple[int | None, ...] = (1, None, 10**15)
    rows: list[dict[str, object]] = [{"doc_id": n, "text": "Ann", "who": n, "ward": None} for n in ids]
    assert [each.doc_id for each in read(rows) if isinstance(each, Document)] == ["1", str(10**15)]


def test_annotations_are_spans_or_mappings() -> None:
    columns = FrameColumns(gold="found")
    expected = (Span(0, 3, "NAME", source="gold"),)
    cells: list[object] = [[Span(0, 3, "NAME", source="x")], [{"start": 0, "end": 3, "label": "NAME"}]]
    for cell in cells:
        (document,) = read([{"doc_id": "d", "text": "Ann", "found": cell}], columns)
        assert isinstance(document, Document)
        assert document.spans == expected
    wrong: list[object] = ["NAME", [{"start": 0, "end": 9, "label": "NAME"}]]
    for cell in wrong:
        (reject,) = read([{"doc_id": "d", "text": "Ann", "found": cell}], columns)
        assert isinstance(reject, RejectedInput)
        assert reject.reason == "bad-annotation"


def test_rows_without_an_order_are_put_in_one_by_their_content() -> None:
    rows = [("", number, {"doc_id": "d", "text": text}) for number, text in enumerate("bcaab")]
    expected = sorted(record.name for record in records_of(iter(rows)))
    random.Random(1).shuffle(rows)
    assert sorted(record.name for record in records_of(iter(rows))) == expected
    assert len(set(expected)) == 3


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        (FrameColumns(text="note"), "text: there is no column 'note'; its columns are 'doc_id', 'text', 'two', 'two'"),
        (FrameColumns(metadata=("two",)), "metadata: the frame has several columns 'two'"),
        (FrameColumns(doc_id="text"), "expected one column each for text, doc_id"),
        (FrameColumns(metadata=("text",)), "metadata: 'text' is a column of every result"),
        (FrameColumns(metadata=("doc_id", "DOC_ID"), gold="Two"), "metadata: 'doc_id' is a column of every result"),
    ],
)
def test_wrong_columns_are_reported(columns: FrameColumns, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        columns.check(["doc_id", "text", "two", "two"])
    assert told in str(raised.value)


def test_the_person_is_no_metadata_under_either_name() -> None:
    assert FrameColumns(subject_id="who", metadata=("who", "subject_id", "ward")).carried == ("ward",)
    assert FrameColumns(metadata=("subject_id",)).carried == ("subject_id",)
