import struct

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.text.kernels.hashing import finish, hash_keyed, hash_public, salt
from spark_deid.text.kernels.lookup import build_lookup, look_up

MASK = (1 << 64) - 1


def siphash(data: bytes, k0: int, k1: int, rounds: int, final_rounds: int) -> int:
    """SipHash as its paper writes it."""
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotate(x: int, bits: int) -> int:
        return ((x << bits) | (x >> (64 - bits))) & MASK

    def once() -> None:
        v[0] = (v[0] + v[1]) & MASK
        v[1] = rotate(v[1], 13) ^ v[0]
        v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[3]) & MASK
        v[3] = rotate(v[3], 16) ^ v[2]
        v[0] = (v[0] + v[3]) & MASK
        v[3] = rotate(v[3], 21) ^ v[0]
        v[2] = (v[2] + v[1]) & MASK
        v[1] = rotate(v[1], 17) ^ v[2]
        v[2] = rotate(v[2], 32)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 255])
    for (block,) in struct.iter_unpack("<Q", padded):
        v[3] ^= block
        for _ in range(rounds):
            once()
        v[0] ^= block
    v[2] ^= 255
    for _ in range(final_rounds):
        once()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_the_reference_gives_the_published_value_of_siphash_2_4() -> None:
    k0, k1 = struct.unpack("<QQ", bytes(range(16)))
    assert siphash(bytes(range(15)), k0, k1, 2, 4) == 0xA129CA6149BE45E5


@given(st.text(max_size=80), st.integers(0, MASK), st.integers(0, MASK))
def test_keyed_hash_is_siphash_1_3_of_the_code_points(text: str, k0: int, k1: int) -> None:
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    expected = siphash(text.encode("utf-32-le"), k0, k1, 1, 3)
    assert hash_keyed(codes, 0, len(codes), np.uint64(k0), np.uint64(k1)) == expected


@given(st.integers(0, MASK))
def test_finishing_can_be_undone_so_nothing_collides(value: int) -> None:
    x = int(finish(np.uint64(value)))
    x ^= x >> 31 ^ x >> 62
    x = x * pow(0x94D049BB133111EB, -1, 1 << 64) & MASK
    x ^= x >> 27 ^ x >> 54
    x = x * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & MASK
    x ^= x >> 30 ^ x >> 60
    assert x == value


@given(st.lists(st.text(max_size=6), unique=True, max_size=50))
def test_public_hashes_of_different_words_differ(words: list[str]) -> None:
    arrays = [np.frombuffer(word.encode("utf-32-le"), np.uint32) for word in words]
    assert len({int(hash_public(codes, 0, len(codes), salt("x"))) for codes in arrays}) == len(words)


@given(
    st.dictionaries(st.integers(1, 40) | st.integers(1, MASK), st.integers(1, MASK), max_size=30), st.integers(1, 40)
)
def test_a_lookup_holds_what_a_dictionary_holds(pairs: dict[int, int], other: int) -> None:
    table = build_lookup(np.array(list(pairs), np.uint64), np.array(list(pairs.values()), np.uint64))
    for key in (*pairs, other):
        assert look_up(*table, np.uint64(key)) == pairs.get(key, 0)
