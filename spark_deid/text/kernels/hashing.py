"""64-bit hashes: public mixing, and SipHash-1-3 where words must remain secret.

Mixing is invertible, so what is mixed must be public or itself a keyed hash. SipHash follows Aumasson and Bernstein
(2012) with one round a block and three at the end, over the code points as UTF-32 in little-endian order.
"""

import hashlib

import numpy as np

from spark_deid.core.numerics.arrays import UInt32s
from spark_deid.core.numerics.compilation import Int, compiled, inlined

U = np.uint64


@inlined
def finish(x: np.uint64) -> np.uint64:
    """Spread every bit over all others (the finaliser of splitmix64); a bijection, 0 goes to 0."""
    x ^= x >> U(30)
    x *= U(0xBF58476D1CE4E5B9)
    x ^= x >> U(27)
    x *= U(0x94D049BB133111EB)
    x ^= x >> U(31)
    return x


@inlined
def step(state: np.uint64, value: np.uint64) -> np.uint64:
    """Take one more value into a rolling state."""
    state = (state ^ value) * U(0xFF51AFD7ED558CCD)
    return state ^ (state >> U(32))


def salt(name: str) -> np.uint64:
    """Return the public 64-bit salt of a name."""
    return U(int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8, person=b"spark_deid").digest(), "little"))


@inlined
def _rotate(x: np.uint64, bits: np.uint64) -> np.uint64:
    return (x << bits) | (x >> (U(64) - bits))


@inlined
def _round(
    v0: np.uint64, v1: np.uint64, v2: np.uint64, v3: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    v0 += v1
    v1 = _rotate(v1, U(13)) ^ v0
    v0 = _rotate(v0, U(32))
    v2 += v3
    v3 = _rotate(v3, U(16)) ^ v2
    v0 += v3
    v3 = _rotate(v3, U(21)) ^ v0
    v2 += v1
    v1 = _rotate(v1, U(17)) ^ v2
    v2 = _rotate(v2, U(32))
    return v0, v1, v2, v3


@compiled
def hash_keyed(codes: UInt32s, start: Int, end: Int, k0: np.uint64, k1: np.uint64) -> np.uint64:
    """Return SipHash-1-3 of ``codes[start:end]``, never 0."""
    v0 = k0 ^ U(0x736F6D6570736575)
    v1 = k1 ^ U(0x646F72616E646F6D)
    v2 = k0 ^ U(0x6C7967656E657261)
    v3 = k1 ^ U(0x7465646279746573)
    i = start
    while i + 1 < end:
        block = U(codes[i]) | (U(codes[i + 1]) << U(32))
        v3 ^= block
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
        v0 ^= block
        i += 2
    # The last block of SipHash contains the length in bytes, so texts with trailing zeros differ.
    block = U(((end - start) * 4) & 255) << U(56)
    if i < end:
        block |= U(codes[i])
    v3 ^= block
    v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    v0 ^= block
    v2 ^= U(255)
    for _ in range(3):
        v0, v1, v2, v3 = _round(v0, v1, v2, v3)
    # 0 is reserved: tables use it for a free slot.
    result = v0 ^ v1 ^ v2 ^ v3
    return result if result != U(0) else U(1)


@compiled
def hash_public(codes: UInt32s, start: Int, end: Int, seed: np.uint64) -> np.uint64:
    """Return a public hash of ``codes[start:end]``, never 0."""
    state = seed
    for i in range(start, end):
        state = step(state, U(codes[i]))
    state = finish(state)
    return state if state != U(0) else U(1)
