"""The casing feature: one of seven kinds of words (Reimers and Gurevych, 2017)."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s

CASINGS = ("numeric", "mainly numeric", "all lower", "all upper", "initial upper", "contains digit", "other")
OTHER = len(CASINGS) - 1
MAINLY = 0.5
"""Of the characters of a word that is mainly numeric more than this share are digits."""


@lru_cache(maxsize=1 << 16)
def casing_of(word: str) -> int:
    """Return the number of a word's casing in CASINGS; the first that fits.

    >>> [CASINGS[casing_of(word)] for word in ("2019", "12th3", "ward", "MRI", "Ann", "mB12", "McDonald", "-")]
    ['numeric', 'mainly numeric', 'all lower', 'all upper', 'initial upper', 'contains digit', 'initial upper', 'other']
    """
    digits = sum(character.isdigit() for character in word)
    fits = (
        bool(word) and digits == len(word),
        digits > MAINLY * len(word),
        word.islower(),
        word.isupper(),
        word[:1].isupper(),
        digits > 0,
    )
    return next((number for number, holds in enumerate(fits) if holds), OTHER)


def casings_of(words: Sequence[str]) -> UInt8s:
    """Return the casing of each word."""
    return np.fromiter(map(casing_of, words), np.uint8, len(words))
