"""Sums and maxima of rows of numbers in vector registers; plain loops over rows take three times as long and more."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.core.numerics.compilation import Int

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_Combine = Callable[[ir.IRBuilder, ir.Value, ir.Value], ir.Value]


def _add_lanes(
    _: object, target: types.Array, at: types.Integer, source: types.Array, begin: types.Integer
) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        def address(array: int, index: int) -> ir.Value:
            data = make_array(signature.args[array])(context, builder, arguments[array]).data  # type: ignore[no-untyped-call]
            return builder.bitcast(builder.gep(data, [arguments[index]]), _VECTOR.as_pointer())

        place = address(0, 1)
        added = builder.load(address(2, 3), align=8)
        builder.store(builder.fadd(builder.load(place, align=8), added), place, align=8)
        return context.get_dummy_value()

    return types.void(target, at, source, begin), generate


add_lanes = cast(Callable[[Float64s, np.int64, Float64s, np.int64], None], intrinsic(_add_lanes))
"""``add_lanes(target, t, source, s)``: add eight numbers of the source to eight of the target, for compiled code.

Both arrays are contiguous and read as if they had one dimension; nothing checks that the numbers are inside them.
"""


def _reduction(signature: Any, combine: _Combine, start: float) -> tuple[Any, Callable[..., object]]:
    """Generate the reduction of a row, or of the products of two: rows and their beginnings alternate, then a count."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        kinds = signature.args[:-1:2]
        data = [
            make_array(kind)(context, builder, array).data  # type: ignore[no-untyped-call]
            for kind, array in zip(kinds, arguments[:-1:2], strict=True)
        ]

        def load(row: int, index: ir.Value) -> ir.Value:
            place = builder.add(arguments[2 * row + 1], builder.mul(index, index.type(LANES)))
            return builder.load(builder.bitcast(builder.gep(data[row], [place]), _VECTOR.as_pointer()), align=8)

        first = ir.Constant(_VECTOR, [ir.Constant(ir.DoubleType(), start)] * LANES)
        kept = cgutils.alloca_once_value(builder, first)  # type: ignore[no-untyped-call]
        with cgutils.for_range(builder, arguments[-1]) as loop:
            found = load(0, loop.index)
            for row in range(1, len(data)):
                found = builder.fmul(found, load(row, loop.index))
            builder.store(combine(builder, builder.load(kept), found), kept)
        return _folded(builder, builder.load(kept), combine)

    return signature, generate


def _folded(builder: ir.IRBuilder, lanes: ir.Value, combine: _Combine) -> ir.Value:
    """Combine the upper half of the lanes with the lower one until one remains."""
    size = LANES
    while size > 1:
        size //= 2
        numbers = ir.VectorType(ir.IntType(32), size)
        unused = ir.Constant(lanes.type, ir.Undefined)
        lower, upper = (
            builder.shuffle_vector(lanes, unused, ir.Constant(numbers, [*range(at, at + size)])) for at in (0, size)
        )
        lanes = combine(builder, lower, upper)
    return builder.extract_element(lanes, ir.IntType(32)(0))


def _sum(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    return builder.fadd(one, other)


def _greater(builder: ir.IRBuilder, one: ir.Value, other: ir.Value) -> ir.Value:
    return builder.select(builder.fcmp_ordered(">", one, other), one, other)


def _dot(
    _: object, one: types.Array, at: types.Integer, other: types.Array, begin: types.Integer, vectors: types.Integer
) -> tuple[Any, Callable[..., object]]:
    return _reduction(types.float64(one, at, other, begin, vectors), _sum, 0.0)


def _largest(
    _: object, row: types.Array, at: types.Integer, vectors: types.Integer
) -> tuple[Any, Callable[..., object]]:
    return _reduction(types.float64(row, at, vectors), _greater, -np.inf)


dot = cast(Callable[[Float64s, Int, Float64s, Int, Int], float], intrinsic(_dot))
"""``dot(one, i, other, j, vectors)``: the sum of products of ``vectors * LANES`` numbers of two rows, from i and j on.

Both arrays are contiguous and read as if they had one dimension; nothing checks that the numbers are inside them.
"""

largest = cast(Callable[[Float64s, Int, Int], float], intrinsic(_largest))
"""``largest(row, i, vectors)``: the greatest of ``vectors * LANES`` numbers of a contiguous array, from i on."""


def pad_to_eight(size: int) -> int:
    """Return the least multiple of eight that is not less.

    >>> pad_to_eight(9)
    16
    """
    return -(-size // LANES) * LANES
