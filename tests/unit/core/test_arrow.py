"""Rows in and out of Arrow batches, beside the obvious way: a dictionary a row."""

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.core import tables
from spark_deid.core.arrow import lists_of, named_of, spans_in, tuples_of
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span


def some_spans(rng: np.random.Generator) -> list[list[Span]]:
    def one() -> Span:
        start, length = map(int, rng.integers(1, 9, size=2))
        score = None if rng.random() < 0.5 else float(rng.random())
        return Span(start, start + length, "NAÏVE"[:length], score, "gold", None if rng.random() < 0.5 else "a")

    return [[one() for _ in range(rng.integers(4))] for _ in range(rng.integers(6))]


@pytest.mark.parametrize("seed", range(20))
def test_spans_come_back_as_their_rows_state(seed: int) -> None:
    given = some_spans(np.random.default_rng(seed))
    cells = lists_of(given, tables.SPAN_STRUCT)
    plainly = [[Span(**row) for row in cell] for cell in cells.to_pylist()]
    found = list(spans_in(cells))
    assert found == plainly == given == list(tuples_of(cells))
    assert all(type(span) is Span for cell in found for span in cell)
    assert list(spans_in(cells.slice(1))) == given[1:]


def test_cells_that_are_null_have_no_rows() -> None:
    given = [[Span(0, 3, "NAME")], None, [Span(4, 6, "CITY")]]
    rows = [None if cell is None else [span._asdict() for span in cell] for cell in given]
    cells = pa.array(rows, pa.list_(tables.SPAN_STRUCT))
    assert list(spans_in(cells)) == [cell or [] for cell in given]


def test_rows_of_other_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="6 fields, got 5"):
        named_of(lists_of([[LabelledEdit(0, 3, "suppress", "[X]", "X")]], tables.EDIT_STRUCT), Span)
    with pytest.raises(ValueError, match="5 fields, got 6"):
        named_of(lists_of([[Span(0, 3, "NAME")]], tables.SPAN_STRUCT), LabelledEdit)
