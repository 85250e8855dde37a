"""Exponentials of a row of numbers, in loops that compilers turn into vector instructions."""

import math

import numpy as np

from spark_deid.core.numerics.arrays import Float64s
from spark_deid.core.numerics.compilation import compiled

LEAST = -700.0
"""What lies this far below the shift, or farther, gets 0: its exponential is next to the least number there is."""
_PER_DOUBLING = 1 / math.log(2)
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The logarithm of 2 in two parts, so that the product of the first with a whole number is exact."""
_ROUNDING = 1.5 * 2.0**52
"""Added to a number, it leaves its nearest whole number in the lowest bits."""
_BIAS, _FRACTION_BITS = 1023, 52
_C3, _C4, _C5, _C6, _C7, _C8, _C9, _C10, _C11, _C12, _C13 = (1 / math.factorial(n) for n in range(3, 14))


@compiled
def write_exponentials(row: Float64s, shift: float, out: Float64s, doublings: Float64s) -> None:
    """Write ``exp(row - shift)`` to about the last bit; no number of the row is above the shift.

    ``out`` and ``doublings``, which is overwritten, are as long as the row. exp(x) is 2**k times a polynomial of what x
    exceeds k ln 2 by, and 2**k is made of bits.
    """
    bits = doublings.view(np.int64)
    for j in range(len(row)):
        x = row[j] - shift
        # Branches without jumps, and no call of a library: the loop then becomes vector instructions.
        x = x if x > LEAST else LEAST
        k = x * _PER_DOUBLING + _ROUNDING
        doublings[j] = k
        k -= _ROUNDING
        r = x - k * _LN2_HIGH - k * _LN2_LOW
        # |r| is at most ln 2 / 2, so thirteen terms of Taylor's series are exact to the last bit.
        p = _C12 + r * _C13
        p = _C11 + r * p
        p = _C10 + r * p
        p = _C9 + r * p
        p = _C8 + r * p
        p = _C7 + r * p
        p = _C6 + r * p
        p = _C5 + r * p
        p = _C4 + r * p
        p = _C3 + r * p
        p = 0.5 + r * p
        p = 1.0 + r * p
        out[j] = 1.0 + r * p
    for j in range(len(row)):
        # `doublings` has k in its lowest bits, which become the exponent of the double 2**k.
        bits[j] = (bits[j] + _BIAS) << _FRACTION_BITS
    for j in range(len(row)):
        value = out[j] * doublings[j]
        out[j] = value if row[j] - shift > LEAST else 0.0
