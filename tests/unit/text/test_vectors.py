"""Sums and maxima in vector registers are those of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.vectors import LANES, dot, largest


@compiled
def _dot(one: Float64s, at: int, other: Float64s, begin: int, vectors: int) -> float:
    return dot(one, at, other, begin, vectors)


@compiled
def _largest(row: Float64s, at: int, vectors: int) -> float:
    return largest(row, at, vectors)


@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(0, 9), st.integers(0, 9))
def test_rows_are_reduced_from_where_they_begin(seed: int, vectors: int, at: int, begin: int) -> None:
    one, other = np.random.default_rng(seed).integers(-99, 99, (2, 5 * LANES + 9)).astype(float)
    part, size = one[at : at + vectors * LANES], vectors * LANES
    assert _dot(one, at, other, begin, vectors) == part @ other[begin : begin + size]
    assert _largest(one, at, vectors) == part.max(initial=-np.inf)
