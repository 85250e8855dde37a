"""Batches are cut by rows and by bytes, in order, without a loss."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.engine.tables import bounded_batches


@given(st.lists(st.lists(st.integers(0, 400), max_size=30), max_size=5), st.integers(1, 7), st.integers(1, 900))
def test_slices_hold_all_rows_in_order_within_both_bounds(lengths: list[list[int]], rows: int, size: int) -> None:
    texts = [[str(place) * length for place, length in enumerate(each)] for each in lengths]
    batches = [pa.RecordBatch.from_pydict({"text": pa.array(each, pa.string())}) for each in texts]
    found = list(bounded_batches(batches, rows=rows, size=size))
    cells = [cell for batch in found for cell in batch.column(0).to_pylist()]
    assert cells == [text for each in texts for text in each]
    assert all(batch.num_rows <= rows for batch in found)
    assert all(batch.num_rows <= 1 or batch.nbytes <= size for batch in found)


def test_a_batch_of_large_documents_is_cut_to_sixteen_megabytes() -> None:
    batch = pa.RecordBatch.from_pydict({"text": ["x" * 100_000] * 1_000})
    assert max(each.nbytes for each in bounded_batches([batch])) <= 16 << 20
    assert sum(each.num_rows for each in bounded_batches([batch])) == 1_000
