import random
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.matrix import attribute_matrix, index_attributes, rows_of, used_columns


@st.composite
def batches(draw: st.DrawFn) -> list[NDArray[np.uint64]]:
    """Pieces of attributes with many repeats, some absent, and hashes that share a home in the table."""
    height = draw(st.integers(1, 3))
    values = st.sampled_from([0, 0, *((k << 8) | 7 for k in range(1, 9)), *((1 << 40) + (k << 20) for k in range(4))])
    widths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    return [
        np.array(draw(st.lists(values, min_size=height * n, max_size=height * n)), np.uint64).reshape(height, n)
        for n in widths
    ]


@given(batches(), st.integers(1, 3))
def test_rows_have_the_frequent_attributes_of_their_tokens(sequences: list[NDArray[np.uint64]], least: int) -> None:
    index = index_attributes(sequences, least)
    counts = Counter(int(h) for part in sequences for h in part.ravel() if h)
    assert sorted(index.attributes.tolist()) == sorted(h for h, count in counts.items() if count >= least)
    tokens = [part[:, i] for part in sequences for i in range(part.shape[1])]
    extra = np.array([[i % 2 - 1, 1] for i in range(len(tokens))], np.int32)
    matrix = attribute_matrix(sequences, index, extra, 2)
    assert matrix.shape == (len(tokens), len(index.attributes) + 2)
    for row, token, more in zip(matrix.toarray(), tokens, extra, strict=True):
        expected = Counter(int(h) for h in token if counts[int(h)] >= least)
        found = {int(h): int(n) for h, n in zip(index.attributes, row, strict=False) if n}
        assert found == dict(expected)
        assert row[len(index.attributes) :].tolist() == [float(k in more) for k in range(2)]


@given(batches(), st.randoms(use_true_random=False))
def test_rows_and_columns_are_chosen_as_scipy_does(sequences: list[NDArray[np.uint64]], draw: random.Random) -> None:
    index = index_attributes(sequences, 1)
    tokens = sum(part.shape[1] for part in sequences)
    matrix = attribute_matrix(sequences, index, np.array([[i % 3 - 1] for i in range(tokens)], np.int32), 2)
    chosen = np.array([draw.random() < 0.5 for _ in range(tokens)], np.bool_)
    part = rows_of(matrix, chosen)
    assert part.shape == matrix[chosen].shape
    assert (part.toarray() == matrix.toarray()[chosen]).all()
    narrow, kept = used_columns(part)
    assert (kept == np.flatnonzero(part.toarray().any(0))).all()
    assert (narrow.toarray() == part.toarray()[:, kept]).all()


def test_no_tokens_make_an_empty_matrix() -> None:
    index = index_attributes([], 1)
    assert attribute_matrix([], index, np.zeros((0, 2), np.int32), 4).shape == (0, 4)
