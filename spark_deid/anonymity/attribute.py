"""Attributes of a table: their values in order, and each value's code."""

from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.column_type import PLAIN_NUMBER, ColumnKind, are_ordered
from spark_deid.anonymity.generalization import (
    HierarchyTree,
    date_periods,
    number_ranges,
    one_level,
    prefixes,
    tree_of,
    widths_over,
)
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.ontology.hierarchy import ROOT, ValueHierarchy

MISSING = 0
"""The code of a missing value, in every attribute; the first value has code 1."""

UNKNOWN = -1
"""The code of a value that an attribute does not have."""

_INTEGERS = r"^-?(0|[1-9][0-9]{0,17})$"
_DECIMALS = r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"
_DIGITS = r"^[0-9]{1,15}$"
_DATES = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_ORDERED = (ColumnKind.NUMBER, ColumnKind.DATE)


class AttributeOrder(Enum):
    """What order an attribute's values have, and so how several of them are shown."""

    NUMBER = "number"
    DATE = "date"
    CATEGORY = "category"
    TREE = "tree"


@dataclass(frozen=True)
class CodedAttribute:
    """A column's values, distinct and in order: value i has code i + 1, a missing one code 0.

    ``positions`` are where codes lie, for widths: numbers, days, places in the order. The values of a tree are those of
    its hierarchy, in the order of its leaves. Ranges of an attribute that ``is_banded`` are shown as ``bands``.
    The last ``categories`` values among numbers or dates are neither, such as ``90+``. They have the position of the
    greatest number or date. ``column`` is what text was read as.
    """

    name: str
    kind: AttributeOrder
    values: pa.Array
    positions: Float64s
    tree: HierarchyTree | None = None
    is_banded: bool = False
    categories: int = 0
    column: ColumnKind = ColumnKind.TEXT

    @property
    def last(self) -> int:
        """Return the code of the last value before the categories among numbers or dates."""
        return len(self.values) - self.categories

    @property
    def line(self) -> pa.Array:
        """Return the values without categories among numbers or dates."""
        return self.values.slice(0, self.last)

    def is_code(self, least: int) -> bool:
        """Return whether values are text of digits, all of one length, which has ``least`` digits or more."""
        if not pa.types.is_string(self.values.type) or self.column is ColumnKind.NUMBER:
            return False
        sizes = pc.min_max(pc.utf8_length(self.line)).as_py()
        return bool(sizes["min"] == sizes["max"] and sizes["max"] >= least and _are(self.line, _DIGITS))

    @property
    def size(self) -> int:
        """Return the number of codes, the missing value's among them."""
        return len(self.values) + 1

    @property
    def span(self) -> float:
        """Return the distance of the least and the greatest value."""
        return float(self.positions[-1] - self.positions[1]) if len(self.values) else 0.0

    def encode(self, column: pa.Array) -> Int32s:
        """Return the codes of values, UNKNOWN for one that is not among them."""
        column = as_comparable(column, self.values.type)
        found = pc.index_in(column, value_set=self.values)
        codes: Int32s = pc.fill_null(found, UNKNOWN - 1).to_numpy(zero_copy_only=False).astype(np.int32) + 1
        codes[codes == 0] = UNKNOWN
        codes[pc.is_null(column).to_numpy(zero_copy_only=False)] = MISSING
        return codes

    def texts(self) -> list[str]:
        """Return the values as they are written."""
        return list(self.values.cast(pa.string()).to_pylist())


def as_comparable(column: pa.Array, kind: pa.DataType | None = None) -> pa.Array:
    """Return a column whose equal values are equal: no number that is none, one zero, no truth values.

    ``kind`` is the type to compare in. Truth values become text.
    """
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), pc.add(column, 0.0))
    if pa.types.is_boolean(column.type) or pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", tz=column.type.tz))
    return column if kind is None or column.type == kind else column.cast(kind)


def attribute_of(
    name: str, values: pa.Array, hierarchy: ValueHierarchy | None = None, kind: ColumnKind = ColumnKind.TEXT
) -> CodedAttribute:
    """Make an attribute of the distinct values of a column; missing ones are passed over.

    Text of a column that was read as numbers, codes or dates (``kind``) is ordered as such, and its other values are
    categories. Other text is ordered as such where it is all numbers, all dates, or all digits of one length. Raises
    SparkDeidError for infinite numbers, for values that the hierarchy lacks, and for types that have no order.
    """
    values = pc.unique(as_comparable(values)).drop_null()
    if hierarchy is not None:
        return _with_tree(name, values, hierarchy)
    if kind is not ColumnKind.TEXT and pa.types.is_string(values.type):
        return _with_categories(name, values, kind)
    if _is_integral(values.type):
        values = values.take(pc.sort_indices(values))  # large ones may share a position: they keep their order
    found, positions = _order(name, values)
    order = pc.sort_indices(values) if found is AttributeOrder.CATEGORY else np.argsort(positions, kind="stable")
    placed = np.arange(len(values), dtype=np.float64) if found is AttributeOrder.CATEGORY else positions[order]
    return CodedAttribute(name, found, values.take(pa.array(order)), np.concatenate([[np.nan], placed]))


def default_hierarchy(attribute: CodedAttribute, span: float | None = None) -> ValueHierarchy:
    """Make a hierarchy for an attribute that has none: ranges up to ``span``, periods, prefixes, or one level."""
    texts = list(attribute.line.cast(pa.string()).to_pylist())
    if attribute.kind is AttributeOrder.DATE:
        made = date_periods(texts)
    elif attribute.kind is not AttributeOrder.NUMBER:
        made = one_level(texts)
    elif attribute.is_code(1):
        made = prefixes(texts)
    else:
        made = number_ranges(texts, widths_over(attribute.span if span is None else span))
    others = attribute.values.slice(attribute.last).to_pylist()
    return replace(made, name=attribute.name, rows=(*made.rows, *((text,) * made.height + (ROOT,) for text in others)))


def sensitive_attribute_of(name: str, values: pa.Array, hierarchy: ValueHierarchy | None = None) -> CodedAttribute:
    """Make an attribute of the distinct values of a sensitive column.

    Text is ordered as numbers or dates where every value is a plain number or an ISO date, otherwise as text.
    """
    comparable = pc.unique(as_comparable(values)).drop_null()
    if hierarchy is not None or not pa.types.is_string(comparable.type):
        return attribute_of(name, values, hierarchy)
    kind = next((kind for kind in _ORDERED if _is_ordered(comparable, kind)), None)
    if kind is not None:
        return attribute_of(name, comparable, kind=kind)
    ordered = comparable.take(pc.sort_indices(comparable))
    return CodedAttribute(name, AttributeOrder.CATEGORY, ordered, np.arange(-1.0, len(ordered)))


def _is_ordered(texts: pa.Array, kind: ColumnKind) -> bool:
    """Return whether all texts are plain numbers, without zeros that codes begin with, or ISO dates."""
    if not len(texts) or (kind is ColumnKind.NUMBER and not _are(texts, PLAIN_NUMBER)):
        return False
    return bool(are_ordered(texts, kind).all()) and (kind is ColumnKind.NUMBER or _are(texts, _DATES))


def _with_categories(name: str, values: pa.Array, kind: ColumnKind) -> CodedAttribute:
    """Make an attribute of text: numbers, codes or dates in their order, then other values in that of text."""
    is_value = pa.array(are_ordered(values, kind))
    line, others = values.filter(is_value), values.filter(pc.invert(is_value))
    others = others.take(pc.sort_indices(others))
    if not len(line):
        return CodedAttribute(name, AttributeOrder.CATEGORY, others, np.arange(-1.0, len(others)))
    if kind is ColumnKind.DATE:
        line = line.take(pc.sort_indices(line))
        positions = _numbers(name, line.cast(pa.date32()).cast(pa.timestamp("us")).cast(pa.int64()))
    else:
        line = pa.array(sorted(line.to_pylist(), key=lambda text: (Decimal(text), text)), pa.string())
        positions = _numbers(name, line)
    return CodedAttribute(
        name,
        AttributeOrder.DATE if kind is ColumnKind.DATE else AttributeOrder.NUMBER,
        pa.concat_arrays([line, others]),
        np.concatenate([[np.nan], positions, np.full(len(others), positions[-1])]),
        categories=len(others),
        column=kind,
    )


def _with_tree(name: str, values: pa.Array, hierarchy: ValueHierarchy) -> CodedAttribute:
    tree = tree_of(hierarchy)
    leaves = pa.array(tree.leaves, pa.string())
    absent = pc.invert(pc.is_in(values.cast(pa.string()), value_set=leaves))
    lacking = int(pc.sum(absent).as_py() or 0)
    if lacking:
        raise SparkDeidError(f"{hierarchy.name}: lacks {lacking} of the values of column {name}. Add one line for each")
    return CodedAttribute(name, AttributeOrder.TREE, leaves, np.arange(len(leaves) + 1, dtype=np.float64), tree)


def _order(name: str, values: pa.Array) -> tuple[AttributeOrder, Float64s]:
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return AttributeOrder.NUMBER, _numbers(name, values)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = values.cast(pa.timestamp("us")) if pa.types.is_date(kind) else values
        return AttributeOrder.DATE, _numbers(name, days.cast(pa.int64()))
    if not pa.types.is_string(kind):
        raise SparkDeidError(f"column {name}: expected numbers, dates or text, got the type {kind}")
    return _order_of_text(name, values)


def _order_of_text(name: str, values: pa.Array) -> tuple[AttributeOrder, Float64s]:
    if len(values) and (_are(values, _INTEGERS) or (_are(values, _DIGITS) and _one_length(values.to_pylist()))):
        return AttributeOrder.NUMBER, _numbers(name, values)
    if len(values) and _are(values, _DECIMALS) and pc.count_distinct(values.cast(pa.float64())).as_py() == len(values):
        return AttributeOrder.NUMBER, _numbers(name, values)
    if len(values) and _are(values, _DATES):
        try:
            return AttributeOrder.DATE, _numbers(
                name, values.cast(pa.date32()).cast(pa.timestamp("us")).cast(pa.int64())
            )
        except pa.ArrowInvalid:
            pass  # looks like dates, and is none: a category
    return AttributeOrder.CATEGORY, np.empty(0)


def _is_integral(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_decimal(kind) or pa.types.is_temporal(kind))


def _numbers(name: str, values: pa.Array) -> Float64s:
    numbers: Float64s = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if not np.isfinite(numbers).all():
        raise SparkDeidError(f"column {name}: expected finite numbers")
    return numbers


def _are(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def _one_length(texts: list[str]) -> bool:
    return len({*map(len, texts)}) == 1
