"""Eight bytes at once: load them, and find the first one that matters."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.cpython.unsafe.numbers import leading_zeros, trailing_zeros
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from spark_deid.core.numerics.arrays import UInt8s
from spark_deid.core.numerics.compilation import inlined
from spark_deid.repeats.kernels.marks import HIDDEN

U = np.uint64
WORD = 8
_ONES = U(0x0101010101010101)
_TOPS = U(0x8080808080808080)
_KINDS = U(0x100 - HIDDEN) * _ONES


def _load(_: object, array: types.Array, index: types.Integer) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        # Words begin at any byte, so the load must not assume that addresses are multiples of eight.
        return builder.load(address, align=1)

    return types.uint64(array, index), generate


load = cast(Callable[[UInt8s, np.int64], np.uint64], intrinsic(_load))
"""Load eight bytes from any index on as one little-endian number; the array must reach that far."""


def _store(
    _: object, array: types.Array, index: types.Integer, word: types.Integer
) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(64).as_pointer())
        # As for a load, the address is any byte.
        builder.store(arguments[2], address, align=1)
        return context.get_dummy_value()

    return types.void(array, index, word), generate


store = cast(Callable[[UInt8s, np.int64, np.uint64], None], intrinsic(_store))
"""Store eight bytes from any index on; the array must reach that far."""


def _reverse(_: object, word: types.Integer) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        # The first byte in memory becomes the highest, so comparing numbers compares bytes in their order.
        return builder.bswap(arguments[0])

    return types.uint64(word), generate


_reversed = cast(Callable[[np.uint64], np.uint64], intrinsic(_reverse))


@inlined
def differing_or_mark(one: np.uint64, other: np.uint64) -> np.uint64:
    """Return a number whose lowest set bit is in the first byte that differs or is a mark, 0 if it is missing.

    The test for bytes below a bound is that of Anderson, Bit Twiddling Hacks; borrows make it inexact above the first
    such byte only.
    """
    inverted = ~one
    return (one ^ other) | ((inverted - _KINDS) & one & _TOPS)


@inlined
def byte_of_lowest_bit(word: np.uint64) -> np.int64:
    """Return the number of the byte, from the low end, in which the lowest set bit is."""
    return np.int64(trailing_zeros(word)) >> 3  # type: ignore[call-arg]


@inlined
def load_in_order(text: UInt8s, place: np.int64) -> np.uint64:
    """Load eight bytes as a number that sorts as they do; from the first mark on all its bytes are the highest mark."""
    word = load(text, place)
    found = differing_or_mark(word, word)
    if found != U(0):
        word |= ~U(0) << U(byte_of_lowest_bit(found) << 3)
    return _reversed(word)


@inlined
def is_whole(word: np.uint64) -> bool:
    """Return whether no mark is in a word that was loaded in order."""
    return bool((word & U(0xFF)) != U(0xFF))


@inlined
def text_bytes(word: np.uint64) -> np.int64:
    """Return how many bytes of a word that was loaded in order are before its first mark; it has one."""
    return np.int64(WORD) - (np.int64(trailing_zeros(~word)) >> 3)  # type: ignore[call-arg]


@inlined
def equal_bytes(one: np.uint64, other: np.uint64) -> np.int64:
    """Return in how many bytes two unequal words begin alike that were loaded in order."""
    return np.int64(leading_zeros(one ^ other)) >> 3  # type: ignore[call-arg]
