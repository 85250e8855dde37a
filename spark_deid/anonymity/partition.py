"""A table or a part of it as arrays: units with their rows, and what cutting makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import CodedAttribute
from spark_deid.anonymity.bands import show_as_bands, widened_to_bands
from spark_deid.anonymity.constraint import ClassConstraint
from spark_deid.anonymity.kernels.classes import find_class_ranges, find_node_boxes, widen_to_boxes, widen_to_nodes
from spark_deid.anonymity.kernels.cuts import CutTree, CutUnits
from spark_deid.anonymity.kernels.mondrian import cut_units
from spark_deid.anonymity.labels import name_ranges
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.space import space_of
from spark_deid.core.numerics.arrays import Int32s, Int64s, UInt64s

Ranges = tuple[Int32s, Int32s, Int64s]
"""The values that classes show, one row per class: least and greatest codes, and bits of values in no range.

Bit 0 is a missing value, bit i the i-th category among numbers or dates."""


@dataclass(frozen=True)
class UnitRows:
    """Rows of whole units: ``codes`` has a row per row, and unit u has the rows from ``units[u]`` to ``units[u + 1]``.

    ``ties`` is by unit, or empty where cuts are strict; ``held[offsets[u]:offsets[u + 1]]`` are the sensitive values of
    unit u, each once, in the constraint's numbering; both are empty where no model asks for them.
    """

    codes: Int32s
    units: Int64s
    ties: UInt64s
    offsets: Int64s
    held: Int32s

    @property
    def number(self) -> int:
        """Return the number of units."""
        return len(self.units) - 1

    def placed(self) -> Int32s:
        """Return where units are: by their least value of each attribute."""
        if self.number == len(self.codes):
            return self.codes.copy()
        return np.minimum.reduceat(self.codes, self.units[:-1], axis=0)


@dataclass(frozen=True)
class PartClasses:
    """Classes of a part: unit ``order[i]`` belongs to class c where ``starts[c] <= i < starts[c + 1]``.

    ``lows``, ``highs`` and ``extras`` state what a class shows (``Ranges``); ``cuts`` are what made it, and ``nodes``
    are the classes' nodes.
    """

    order: Int32s
    starts: Int64s
    lows: Int32s
    highs: Int32s
    extras: Int64s
    cuts: CutTree
    nodes: Int64s

    @property
    def ranges(self) -> Ranges:
        """Return what classes show."""
        return self.lows, self.highs, self.extras

    @property
    def number(self) -> int:
        """Return the number of classes."""
        return len(self.starts) - 1


def cut_part(
    part: UnitRows,
    attributes: Sequence[CodedAttribute],
    constraint: ClassConstraint,
    recoding: Mapping[str, RecodingMode],
    *,
    is_relaxed: bool = False,
    box: tuple[Int32s, Int32s] | None = None,
) -> PartClasses:
    """Cut a part of a table into classes by Mondrian.

    The part must satisfy the constraint. ``box`` are the least and greatest codes of the part's region, all codes
    where it is the whole table. Attributes that are to be shown as bands must be banded.
    """
    space = space_of(attributes)
    ties = np.append(part.ties if is_relaxed else np.zeros(part.number, np.uint64), np.uint64(0))
    units = CutUnits(part.placed(), np.arange(part.number, dtype=np.int32), ties, part.offsets, part.held)
    cuts = cut_units(units, space, constraint, is_relaxed)
    nodes = np.flatnonzero(cuts.columns < 0)
    nodes = nodes[np.argsort(cuts.starts[nodes])]
    starts = np.append(cuts.starts[nodes], part.number)
    lows, highs, extras = _tight(part, units.ids, starts, space.ends)
    if any(mode is RecodingMode.REGION for mode in recoding.values()):
        boxes = find_node_boxes(cuts, space.ends.astype(np.int64))
        _widen(attributes, recoding, (lows, highs), (boxes[0][nodes], boxes[1][nodes]), box)
    for column, attribute in enumerate(attributes):
        if attribute.tree is not None:
            widen_to_nodes(space, column, lows, highs)
        elif attribute.is_banded:
            lows[:, column], highs[:, column] = widened_to_bands(attribute, lows[:, column], highs[:, column])
    return PartClasses(units.ids, starts, lows, highs, extras, cuts, nodes)


def with_bands(
    attributes: Sequence[CodedAttribute], recoding: Mapping[str, RecodingMode]
) -> tuple[CodedAttribute, ...]:
    """Return attributes, those banded that are to be shown as bands."""
    return tuple(show_as_bands(each) if recoding[each.name] is RecodingMode.BANDS else each for each in attributes)


def rows_of(part: UnitRows, order: Int32s | Int64s, starts: Int64s) -> tuple[Int64s, Int64s]:
    """Return the rows of units in an order, and where the rows of each class begin and end."""
    if part.number == len(part.codes):
        return order.astype(np.int64), starts
    sizes = np.diff(part.units)[order]
    ends = np.cumsum(sizes)
    rows = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes) + np.repeat(part.units[:-1][order], sizes)
    return rows, np.append(0, ends)[starts]


def class_labels(classes: PartClasses, attributes: Sequence[CodedAttribute]) -> tuple[pa.DictionaryArray, ...]:
    """Name what each class shows, an array an attribute."""
    return name_partition(classes.ranges, attributes)


def name_partition(ranges: Ranges, attributes: Sequence[CodedAttribute]) -> tuple[pa.DictionaryArray, ...]:
    """Name ranges of codes, an array an attribute."""
    lows, highs, extras = ranges
    return tuple(
        name_ranges(attribute, lows[:, column], highs[:, column], extras[:, column])
        for column, attribute in enumerate(attributes)
    )


def _tight(part: UnitRows, order: Int32s, starts: Int64s, ends: Int32s) -> Ranges:
    rows, bounds = rows_of(part, order, starts)
    shape = (len(starts) - 1, part.codes.shape[1])
    lows, highs, extras = np.empty(shape, np.int32), np.empty(shape, np.int32), np.empty(shape, np.int64)
    find_class_ranges(part.codes, rows, bounds, ends, lows, highs, extras)
    return lows, highs, extras


def _widen(
    attributes: Sequence[CodedAttribute],
    recoding: Mapping[str, RecodingMode],
    ranges: tuple[Int32s, Int32s],
    boxes: tuple[Int32s, Int32s],
    box: tuple[Int32s, Int32s] | None,
) -> None:
    lows, highs = boxes
    if box is not None:
        lows, highs = np.maximum(lows, box[0]), np.minimum(highs, box[1])
    for column, attribute in enumerate(attributes):
        if recoding[attribute.name] is RecodingMode.REGION:
            widen_to_boxes(*ranges, lows, highs, column)
