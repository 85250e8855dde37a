"""Digests of a corpus, and whether a table states what decisions state."""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.core import tables
from spark_deid.core.hashing import fingerprint
from spark_deid.guarantees.content import NO_SUMS, content_of, holds_rows, measure_content

ROWS: list[dict[str, Any]] = [
    {"doc_id": "a", "subject_id": "p", "text": "Zoë 😀", "meta": [("year", "2001")]},
    {"doc_id": "b", "subject_id": None, "text": "Bo", "meta": []},
]


def documents(rows: list[dict[str, Any]]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(rows, schema=tables.DOCUMENTS)


def test_a_corpus_is_counted_and_its_digest_is_that_of_its_documents() -> None:
    lanes = np.zeros(8, np.int64)
    for row in ROWS:
        digest = hashlib.sha256(f"1:{row['doc_id']}{row['text']}".encode()).digest()
        lanes += np.frombuffer(digest, ">u4")
    assert content_of(measure_content(documents(ROWS))) == (2, 7, 1, fingerprint([2, *map(int, lanes)]))
    assert content_of(NO_SUMS)[:3] == content_of(measure_content(documents([])))[:3] == (0, 0, 0)


def test_digests_depend_on_content_only() -> None:
    whole = measure_content(documents(ROWS))
    assert (measure_content(documents(ROWS[::-1])) == whole).all()
    assert (measure_content(documents(ROWS[:1])) + measure_content(documents(ROWS[1:])) == whole).all()


@pytest.mark.parametrize("change", [{"text": "Bob"}, {"doc_id": "c"}, {"subject_id": "q"}, {"meta": [("k", "v")]}])
def test_every_column_counts(change: dict[str, Any]) -> None:
    assert (measure_content(documents([ROWS[0], ROWS[1] | change])) != measure_content(documents(ROWS))).any()


def decisions(cells: list[list[dict[str, Any]]]) -> pa.RecordBatch:
    schema = pa.schema([tables.DECISIONS.field("doc_id"), tables.DECISIONS.field("edits")])
    rows = [{"doc_id": str(number), "edits": cell} for number, cell in enumerate(cells)]
    return pa.RecordBatch.from_pylist(rows, schema=schema)


def test_a_table_shows_what_decisions_hold_or_does_not() -> None:
    edit = {"start": 0, "end": 3, "technique": "suppress", "replacement": "[NAME]", "label": "NAME"}
    given = decisions([[], [edit, edit | {"start": 4, "end": 5}], [], [edit]])
    rows = [
        {"doc_id": doc_id, "start": start, "end": end, "technique": "suppress", "replacement": "[NAME]"}
        for doc_id, start, end in (("1", 0, 3), ("1", 4, 5), ("3", 0, 3))
    ]

    def table(changed: list[dict[str, Any]]) -> pa.RecordBatch:
        return pa.RecordBatch.from_pylist(changed, schema=tables.EDITS)

    assert holds_rows(given, "edits", table(rows))
    assert not holds_rows(given, "edits", table(rows[:2]))
    assert not holds_rows(given, "edits", table([*rows, rows[0]]))
    assert not holds_rows(given, "edits", table([rows[1], rows[0], rows[2]]))
    for name, value in {"doc_id": "2", "start": 1, "end": 9, "technique": "mask", "replacement": ""}.items():
        assert not holds_rows(given, "edits", table([*rows[:2], rows[2] | {name: value}]))
    assert not holds_rows(given, "edits", None)
    assert holds_rows(decisions([[], []]), "edits", None)
    assert holds_rows(decisions([[], []]), "edits", table([]))
