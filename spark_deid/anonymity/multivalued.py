"""Columns of lists: sensitive attributes of which a row shows several values, or none."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.column_type import MISSING_TEXTS, PLAIN_NUMBER, plain_number
from spark_deid.core.numerics.arrays import Int32s, Int64s


class RowValues(NamedTuple):
    """The codes of a sensitive attribute: of row i those from ``offsets[i]`` to ``offsets[i + 1]``; None: one a row."""

    codes: Int64s
    offsets: Int64s | None = None

    @property
    def rows(self) -> Int64s:
        """Return the row of each code."""
        if self.offsets is None:
            return np.arange(len(self.codes), dtype=np.int64)
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))

    def take(self, places: Int64s) -> "RowValues":
        """Return rows in an order."""
        if self.offsets is None:
            return RowValues(self.codes[places])
        sizes = np.diff(self.offsets)[places]
        ends = np.cumsum(sizes)
        chosen = np.arange(int(sizes.sum())) + np.repeat(self.offsets[:-1][places] - (ends - sizes), sizes)
        return RowValues(self.codes[chosen], np.append(0, ends).astype(np.int64))


def is_list(kind: pa.DataType) -> bool:
    """Return whether a column has lists."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def flatten_column(column: pa.Array) -> tuple[pa.Array, Int64s | None]:
    """Return the values of a column, and where those of each row begin and the last one's end.

    Of lists that is each of their values but missing ones; a column of values is its own, and has no offsets.
    """
    if not is_list(column.type):
        return column, None
    values = pc.list_flatten(column)
    sizes = pc.fill_null(pc.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    there = np.append(0, np.cumsum(pc.is_valid(values).to_numpy(zero_copy_only=False)))
    return values.drop_null(), there[np.append(0, np.cumsum(sizes))].astype(np.int64)


def row_values(column: pa.Array, encode: Callable[[pa.Array], Int32s | Int64s], start: int = 0) -> RowValues:
    """Return the codes of a column of values or of lists, which ``encode`` gives, numbered from ``start``.

    >>> row_values(pa.array([[3, 4], [], [5]]), np.asarray, 10)
    RowValues(codes=array([13, 14, 15]), offsets=array([0, 2, 2, 3]))
    """
    values, offsets = flatten_column(column)
    return RowValues(encode(values).astype(np.int64) + start, offsets)


def with_values(values: pa.Array, offsets: Int64s | None) -> pa.Array:
    """Return a column of other values with the same lists."""
    return values if offsets is None else pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


# Sensitive values as they count: spellings of one value are one.


MISSING_WORDS = tuple(text.lower() for text in MISSING_TEXTS)
"""The texts, in one spelling, that are missing values among numbers."""


def one_spelling(values: pa.Array) -> pa.Array:
    """Return texts in one spelling: no case, whitespace around or invisible characters, no ligatures.

    Plain numbers have no zeros that do not count.

    >>> one_spelling(pa.array(["Flu ", "ﬂu", "F\u00adlu", "heart  attack", None])).to_pylist()
    ['flu', 'flu', 'flu', 'heart attack', None]
    >>> one_spelling(pa.array(["1.10", "1.1", "007"])).to_pylist()
    ['1.1', '1.1', '007']
    """
    composed = pc.utf8_lower(pc.utf8_normalize(values, form="NFKC"))
    seen = pc.replace_substring_regex(composed, r"\p{Cf}+", "")
    texts = pc.utf8_trim_whitespace(pc.replace_substring_regex(seen, r"[\s\p{Z}]+", " "))
    is_number = pc.match_substring_regex(texts, PLAIN_NUMBER)
    if not pc.any(is_number).as_py():
        return texts
    pairs = zip(texts.to_pylist(), is_number.to_pylist(), strict=True)
    return pa.array([plain_number(text) if fits else text for text, fits in pairs], pa.string())


def without_missing_words(texts: pa.Array) -> pa.Array:
    """Return texts in one spelling without ``NA`` and empty ones, which are missing."""
    words = pc.is_in(texts, value_set=pa.array(MISSING_WORDS))
    return pc.if_else(words, pa.scalar(None, pa.string()), texts)


def are_numbers(texts: pa.Array) -> bool:
    """Return whether texts in one spelling are plain numbers, ``NA`` and empty text aside."""
    there = without_missing_words(texts).drop_null()
    return bool(len(there)) and bool(pc.all(pc.match_substring_regex(there, PLAIN_NUMBER)).as_py())
