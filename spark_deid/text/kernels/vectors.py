"""Add rows of numbers in vector registers; plain loops over rows take three times as long and more."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from spark_deid.numerics.arrays import Float64s, Int64s
from spark_deid.numerics.compilation import Int

LANES = 8
TOGETHER = 3
"""Vectors that ``sum_rows`` keeps in registers at once: enough that no addition waits for the one before."""


def _add_lanes(
    _: object, target: types.Array, at: types.Integer, source: types.Array, begin: types.Integer
) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        vector = ir.VectorType(ir.DoubleType(), LANES)

        def address(array: int, index: int) -> ir.Value:
            data = make_array(signature.args[array])(context, builder, arguments[array]).data  # type: ignore[no-untyped-call]
            return builder.bitcast(builder.gep(data, [arguments[index]]), vector.as_pointer())

        place = address(0, 1)
        added = builder.load(address(2, 3), align=8)
        builder.store(builder.fadd(builder.load(place, align=8), added), place, align=8)
        return context.get_dummy_value()

    return types.void(target, at, source, begin), generate


add_lanes = cast(Callable[[Float64s, np.int64, Float64s, np.int64], None], intrinsic(_add_lanes))
"""``add_lanes(target, t, source, s)``: add eight numbers of the source to eight of the target, for compiled code.

Both arrays are contiguous and read as if they had one dimension; nothing checks that the numbers are inside them.
"""


def _sum_rows(
    _: object,
    factors: types.Array,
    places: types.Array,
    count: types.Integer,
    source: types.Array,
    target: types.Array,
    at: types.Integer,
) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        vector = ir.VectorType(ir.DoubleType(), LANES)
        data = [
            make_array(kind)(context, builder, given).data if isinstance(kind, types.Array) else None  # type: ignore[no-untyped-call]
            for kind, given in zip(signature.args, arguments, strict=True)
        ]
        at = arguments[5]

        def address(array: int, index: ir.Value, part: int) -> ir.Value:
            place = builder.add(index, index.type(part * LANES))
            return builder.bitcast(builder.gep(data[array], [place]), vector.as_pointer())

        sums = [cgutils.alloca_once_value(builder, ir.Constant(vector, None)) for _ in range(TOGETHER)]  # type: ignore[no-untyped-call]
        with cgutils.for_range(builder, arguments[2]) as loop:
            factor = builder.load(builder.gep(data[0], [loop.index]))
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), factor, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
            factors = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)
            begin = builder.add(builder.load(builder.gep(data[1], [loop.index])), at)
            for part, total in enumerate(sums):
                product = builder.fmul(factors, builder.load(address(3, begin, part), align=8))
                builder.store(builder.fadd(builder.load(total), product), total)
        for part, total in enumerate(sums):
            builder.store(builder.load(total), address(4, at, part), align=8)
        return context.get_dummy_value()

    return types.void(factors, places, count, source, target, at), generate


sum_rows = cast(Callable[[Float64s, Int64s, Int, Float64s, Float64s, Int], None], intrinsic(_sum_rows))
"""``sum_rows(factors, places, count, source, target, at)``: write the sum of rows times their factors, in compiled
code. Row k of ``count`` begins in ``source`` at ``places[k]``; of it, and of the target, ``TOGETHER * LANES`` numbers
from ``at`` on count. Products and sums are rounded one by one, in order, as a plain loop over the rows does it.

Arrays are contiguous and read as if they had one dimension; nothing checks that the numbers are inside them.
"""


def padded(size: int) -> int:
    """Return the least multiple of eight that is not less.

    >>> padded(9)
    16
    """
    return -(-size // LANES) * LANES
