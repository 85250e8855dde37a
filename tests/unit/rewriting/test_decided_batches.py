"""Batches of documents that are decided some at a time."""

import pyarrow as pa
import pytest

from spark_deid.core import tables
from spark_deid.rewriting.document_finders import NO_FINDERS
from spark_deid.rewriting.rules import PreparedRules
from spark_deid.rewriting.spark import operators
from spark_deid.rewriting.spark.operators import EditingRules


@pytest.mark.parametrize("rewrites", [True, False])
@pytest.mark.parametrize("number", [0, 1, 5])
def test_documents_are_decided_equally_however_many_at_a_time(
    number: int, rewrites: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    span = {"start": 2, "end": 5, "label": "NAME", "score": None, "source": "gold", "annotation_id": None}
    rows = [
        {"doc_id": f"d{place}", "subject_id": None, "text": "I Ann.", "meta": [], "spans": [span][: place % 3]}
        for place in range(number)
    ]
    batch = pa.RecordBatch.from_pylist(rows, schema=tables.ANNOTATED)
    editing = EditingRules(PreparedRules({}), frozenset(["gold"]))
    found = []
    for together in (1, 2, 250):
        monkeypatch.setattr(operators, "_TOGETHER", together)
        found.append(
            list(operators._decide_batches(iter([batch]), finding=NO_FINDERS, editing=editing, rewrites=rewrites))
        )
    assert found[0] == found[1] == found[2]
    assert [each.num_rows for each in found[0]] == [number]
