"""Whether a surrogate is in the half of its original, by another reading of the table of halves.

The rule is public: a word is in the half of the lowest bit of its hash (BLAKE2b, person ``half``, one byte), or in the
other half if the table has it. A number is in the half of the sum of its digits.
"""

import hashlib
from functools import cache, lru_cache
from pathlib import Path

_TABLE = Path(__file__).parent / "data" / "halves.txt"
_LONGEST_NUMBER = 6
"""Longer numbers may have a country code or a check digit, which are in no half."""


@lru_cache(maxsize=1 << 15)
def is_other_half(before: str, after: str) -> bool:
    """Return whether a folded word or number, and what replaces it, are in different halves; true if no rule applies.

    >>> is_other_half("12", "34"), is_other_half("12", "35"), is_other_half("7", "9"), is_other_half("a1", "b1")
    (False, True, True, True)
    """
    if before.isdecimal() and after.isdecimal():
        if len(before) != len(after) or not 2 <= len(before) <= _LONGEST_NUMBER or before[0] == "0" == after[0]:
            return True
        return sum(map(int, before + after)) % 2 == 1
    if min(len(before), len(after)) < 2 or not (before + after).isalpha() or not (before + after).isascii():
        return True
    return _half_of_word(before) != _half_of_word(after)


def _half_of_word(word: str) -> bool:
    byte = hashlib.blake2b(word.encode("ascii"), digest_size=1, person=b"half").digest()[0]
    return (byte % 2 == 1) != (word in _words_of_table())


@cache
def _words_of_table() -> frozenset[str]:
    with _TABLE.open(encoding="utf-8") as lines:
        return frozenset(line.strip() for line in lines if line[0] != "#")
