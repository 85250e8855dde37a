"""Hashes of runs: two polynomials modulo 2^61 - 1 that decide, and one modulo 2^64 that only states where to look.

With bases drawn at random, two different strings of at most n bytes have equal hashes modulo 2^61 - 1 with a
probability of at most n / 2^61, and both hashes of (n / 2^61)^2 (Carter and Wegman). Modulo 2^64 there are strings
that collide whatever the base is, so that nothing may depend on it.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined

U = np.uint64
PRIME = (1 << 61) - 1
_PRIME = U(PRIME)
_SPREAD = U(0x9E3779B97F4A7C15)
VALUES = 3
"""The bases of the three hashes are followed by what each byte is worth in the third."""
GATE = 8
"""Bytes of a run's beginning that are checked before longer ones."""


def _product(_: object, one: types.Integer, other: types.Integer) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        # Numba has no 128-bit integers, so the product is written in LLVM's instructions.
        product = builder.mul(*(builder.zext(value, wide) for value in arguments))
        low = builder.and_(builder.trunc(product, narrow), narrow(PRIME))
        return builder.add(low, builder.trunc(builder.lshr(product, wide(61)), narrow))

    return types.uint64(types.uint64, types.uint64), generate


_folded = cast(Callable[[np.uint64, np.uint64], np.uint64], intrinsic(_product))
"""Multiply two numbers below 2^61 and add the product's upper bits to its lower 61: congruent, and below 2^62."""


@inlined
def reduce_once(x: np.uint64) -> np.uint64:
    """Subtract the modulus once where that is possible; for numbers below its double."""
    return x - _PRIME if x >= _PRIME else x


@inlined
def multiply(a: np.uint64, b: np.uint64) -> np.uint64:
    """Multiply modulo 2^61 - 1, both below it."""
    return reduce_once(_folded(a, b))


@inlined
def spread_bits(x: np.uint64) -> np.uint64:
    """Let every bit of a hash decide upper ones: strings that differ in the last byte only have hashes nearby."""
    return x * _SPREAD


@inlined
def hash_range(hashes: UInt64s, start: Int, end: Int, shift: np.uint64) -> np.uint64:
    """Return the hash of ``data[start:end]`` by those of prefixes; ``shift`` is the base to the power of its length."""
    return reduce_once(hashes[end] + _PRIME - multiply(hashes[start], shift))


@compiled
def fill_prefixes(
    data: UInt8s, start: Int, end: Int, bases: UInt64s, guides: UInt64s, first: UInt64s, second: UInt64s
) -> None:
    """Write the hashes of every prefix of ``data[start:end]``, the empty one first."""
    one, other, guide = U(0), U(0), U(0)
    guides[0] = first[0] = second[0] = U(0)
    for i in range(end - start):
        byte = data[start + i]
        # Plus one, so that leading zero bytes change the hash.
        value = U(byte) + U(1)
        guide = guide * bases[2] + bases[VALUES + np.int64(byte)]
        one = reduce_once(multiply(one, bases[0]) + value)
        other = reduce_once(multiply(other, bases[1]) + value)
        guides[i + 1], first[i + 1], second[i + 1] = guide, one, other


@compiled
def powers(base: np.uint64, max_exponent: Int) -> UInt64s:
    """Return the powers of a base modulo 2^61 - 1, from 0 to ``max_exponent``."""
    result = np.ones(max_exponent + 1, np.uint64)
    for i in range(max_exponent):
        result[i + 1] = multiply(result[i], base)
    return result


@compiled
def wrapped_power(base: np.uint64, exponent: Int) -> np.uint64:
    """Return a power modulo 2^64."""
    result = U(1)
    for _ in range(exponent):
        result = result * base
    return result


@compiled
def hash_pieces(
    data: UInt8s, starts: Int64s, ends: Int64s, widths: Int64s, bases: UInt64s
) -> tuple[UInt64s, UInt64s, UInt64s, UInt64s]:
    """Hash pieces of ``data``, and their beginnings: the heads of ``widths`` bytes, and the roots of GATE bytes."""
    first, second = np.zeros(len(starts), np.uint64), np.zeros(len(starts), np.uint64)
    heads, roots = np.zeros(len(starts), np.uint64), np.zeros(len(starts), np.uint64)
    for piece in range(len(starts)):
        one, other, guide = U(0), U(0), U(0)
        begin = starts[piece]
        for i in range(ends[piece] - begin):
            byte = data[begin + i]
            value = U(byte) + U(1)
            one = reduce_once(multiply(one, bases[0]) + value)
            other = reduce_once(multiply(other, bases[1]) + value)
            guide = guide * bases[2] + bases[VALUES + np.int64(byte)]
            # Prefix hashes of a piece on its way: head and root need no second reading.
            if i + 1 == GATE:
                roots[piece] = guide
            if i + 1 == widths[piece]:
                heads[piece] = guide
        first[piece], second[piece] = one, other
    return first, second, heads, roots
