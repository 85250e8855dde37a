"""Tables of weights as compiled code may read them: the last value that is in bounds is sound, the next is not."""

import numpy as np
import pytest

from spark_deid.core.errors import ModelError
from spark_deid.learners.array_validation import LARGEST, check_table
from spark_deid.learners.scoring import MANY, WIDE, WeightTable

TAGS, ROWS, WIDTH, WIDES = 3, 4, 8, 16
KEY = 0xABCDEF00
NOTHING = np.zeros(0, np.uint8)


def bits_of(number: float) -> int:
    return int(np.array(number).view(np.uint64))


def check(code: int, value: int, *, used: int = 1, slots: int = 2) -> None:
    """Check a table of which that many slots hold the same code and value."""
    pairs = [(KEY | code, value)] * used + [(0, 0)] * (slots - used)
    rows = np.zeros(ROWS, np.uint8), np.zeros(ROWS)
    check_table(WeightTable(np.array(pairs, np.uint64).ravel(), *rows, np.zeros(WIDES)), TAGS, NOTHING)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (0, bits_of(0.5)),
        (TAGS - 1, bits_of(LARGEST)),
        (TAGS - 1, bits_of(-LARGEST)),
        (MANY, 0 << 8 | ROWS),
        (MANY, (ROWS - 1) << 8 | 1),
        (MANY, ROWS << 8 | 0),
        (WIDE, 0),
        (WIDE, WIDES - WIDTH),
    ],
)
def test_what_is_in_bounds_is_sound(code: int, value: int) -> None:
    check(code, value)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (TAGS, bits_of(0.5)),
        (WIDE - 1, bits_of(0.5)),
        (0, bits_of(float("inf"))),
        (0, bits_of(float("nan"))),
        (0, bits_of(np.nextafter(LARGEST, np.inf))),
        (MANY, 0 << 8 | (ROWS + 1)),
        (MANY, (ROWS - 1) << 8 | 2),
        (MANY, (ROWS + 1) << 8 | 0),
        (MANY, (1 << 55) << 8 | 1),
        (WIDE, WIDES - WIDTH + 1),
        (WIDE, WIDTH - 1),
        (WIDE, WIDES),
        (WIDE, WIDES + WIDTH),
        (WIDE, (1 << 64) - WIDTH),
    ],
)
def test_what_is_beyond_is_refused(code: int, value: int) -> None:
    with pytest.raises(ModelError, match="slots: expected a free one, and codes and offsets in bounds"):
        check(code, value)


def test_a_search_needs_a_free_slot_to_end_at() -> None:
    check(0, bits_of(0.5), used=3, slots=4)
    with pytest.raises(ModelError, match="slots: expected a free one"):
        check(0, bits_of(0.5), used=4, slots=4)
