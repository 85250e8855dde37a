"""Whether the arrays of a model folder can be read by compiled code, which checks no index itself.

Hashes show that a folder is as it was written, but not its author: one from elsewhere can hold any value. The checks
cover all that kernels rely on: codes and offsets are in their arrays, searches end at a free slot, numbers are
finite.
"""

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Float64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.learners.folders import Array
from spark_deid.learners.scoring import MANY, MAX_TAGS, WIDE, WeightTable
from spark_deid.text.kernels.lookup import LookupTable
from spark_deid.text.kernels.vectors import pad_to_eight
from spark_deid.text.token_columns.lexicon import LABEL_BITS, PREFIX_BIT

U = np.uint64
LARGEST = 1e100
"""No weight is larger: sums of many remain finite."""


def expect(holds: bool, what: str) -> None:
    """Raise ModelError, which states what of a model is damaged, where something does not hold."""
    if not holds:
        raise ModelError(f"model: damaged or made to harm: {what}")


def check_table(table: WeightTable, tags: int, public: UInt8s) -> None:
    """Check a table of weights for that many tags, and the bits that mark its slots; raises ModelError."""
    slots, row_tags, row_weights, wide = table
    for name, array in table._asdict().items():
        _expect_plain(name, array)
    size = len(slots) // 2
    expect(1 <= tags <= MAX_TAGS, f"expected 1 to {MAX_TAGS} tags")
    expect(len(slots) == 2 * size and _is_power(size), "slots: expected pairs whose number is a power of two")
    expect(len(row_tags) == len(row_weights), "row_tags and row_weights: expected as many of one as of the other")
    expect(len(public) in (0, -(-size // 8)), "public: expected a bit a slot")
    in_bounds = _in_bounds(slots, len(row_tags), len(wide), tags, pad_to_eight(tags))
    expect(in_bounds, "slots: expected a free one, and codes and offsets in bounds")
    expect(not len(row_tags) or int(row_tags.max()) < tags, "row_tags: expected tags of the model")
    for name, numbers in (("row_weights", row_weights), ("wide", wide)):
        check_numbers(name, numbers)


def check_numbers(name: str, array: Float64s, shape: tuple[int, ...] | None = None) -> None:
    """Check that an array has this shape and numbers only; raises ModelError."""
    expect(shape is None or array.shape == shape, f"{name}: expected the shape {shape}")
    expect(bool(array.flags.c_contiguous) and array.dtype == np.float64, f"{name}: expected an array of numbers")
    expect(_are_numbers(array.ravel()), f"{name}: expected finite numbers")


def check_lexicon(words: LookupTable, spans: LookupTable, labels: int) -> None:
    """Check the look-ups of a train lexicon for that many labels; raises ModelError."""
    for name, lookup in (("word", words), ("span", spans)):
        for array in lookup:
            _expect_plain(name, array)
        expect(len(lookup.keys) == len(lookup.values), f"{name}_keys: expected as many as {name}_values")
        expect(_is_power(len(lookup.keys)), f"{name}_keys: expected a power of two of them")
        expect(not bool(lookup.keys.all()), f"{name}_keys: expected a free slot")
    expect(_are_labels(spans.values, labels), "span_values: expected labels of the model")


def check_names(names: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    """Check that tags are among those allowed, each once, O among them; raises ModelError."""
    expect(len(set(names)) == len(names) and set(names) <= set(allowed) and "O" in names, "names: expected tags")


def check_labels(labels: tuple[str, ...], *others: tuple[str, ...]) -> None:
    """Check that labels are words, each once, and that others are among them; raises ModelError."""
    expect(len(set(labels)) == len(labels) and all(labels), "labels: expected words, each once")
    expect(all(set(other) <= set(labels) for other in others), "labels: expected the labels of the other files")


def check_number(name: str, value: float | None, low: float = -LARGEST, high: float = LARGEST) -> None:
    """Check that a setting lies between two numbers, if it is given; raises ModelError."""
    expect(value is None or low <= value <= high, f"{name}: expected a number from {low:g} to {high:g}")


def _expect_plain(name: str, array: Array) -> None:
    expect(array.ndim == 1 and bool(array.flags.c_contiguous), f"{name}: expected an array of one dimension")


def _is_power(size: int) -> bool:
    return size > 0 and size & (size - 1) == 0


@compiled
def _in_bounds(slots: UInt64s, rows: int, wide: int, tags: int, width: int) -> bool:
    """Return whether a slot is free and all others have a tag, a row or a place in ``wide`` that exist."""
    free = 0
    for s in range(len(slots) // 2):
        head, value = slots[2 * s], slots[2 * s + 1]
        code = head & U(255)
        if head == U(0):
            free += 1
        elif code == U(MANY):
            first, count = value >> U(8), value & U(255)
            # Differences instead of sums: a forged offset near 2**64 would overflow a sum and pass.
            if first > U(rows) or count > U(rows) - first:
                return False
        elif code == U(WIDE):
            if value > U(wide) or U(width) > U(wide) - value or value % U(width) != U(0):
                return False
        elif code >= U(tags) or not _is_number(value):
            return False
    return free > 0


@compiled
def _is_number(bits: np.uint64) -> bool:
    """Return whether the bits of a double are those of a finite number that is not too large."""
    # Without the sign, the bits of doubles are ordered as their values, and NaN and infinity are above all numbers.
    return bool((bits & U(0x7FFFFFFFFFFFFFFF)) <= U(0x54B249AD2594C37D))


@compiled
def _are_numbers(values: Float64s) -> bool:
    wrong = 0
    for value in values:
        # The comparison is false for NaN, so NaN counts as wrong.
        wrong += not abs(value) <= LARGEST
    return wrong == 0


@compiled
def _are_labels(values: UInt64s, labels: int) -> bool:
    """Return whether the fields of a lexicon's values are labels, each plus one, or nothing."""
    field = U((1 << LABEL_BITS) - 1)
    for given in values:
        value = given & ~U(PREFIX_BIT)
        while value != U(0):
            if value & field > U(labels):
                return False
            value >>= U(LABEL_BITS)
    return True
