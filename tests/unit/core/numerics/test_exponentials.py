"""Exponentials are those of the library, but for the last bit, and 0 where it has next to nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.numerics.exponentials import write_exponentials


@given(st.lists(st.floats(-800, 0), min_size=1, max_size=20), st.floats(-1e6, 1e6))
def test_exponentials_are_those_of_the_library(below: list[float], shift: float) -> None:
    row = np.array(below) + shift
    row[0] = shift
    out, doublings = np.empty(len(row)), np.empty(len(row))
    write_exponentials(row, shift, out, doublings)
    distance = row - shift
    expected = np.where(distance > -700, np.exp(distance), 0)
    np.testing.assert_allclose(out, expected, rtol=4e-16)
    assert out[0] == 1


def test_what_is_out_of_reach_gets_nothing() -> None:
    row = np.array([0.0, -np.inf, -1e30, -700.0, -699.0])
    out, doublings = np.empty(5), np.empty(5)
    write_exponentials(row, 0.0, out, doublings)
    assert out.tolist()[:4] == [1, 0, 0, 0]
    assert out[4] > 0
