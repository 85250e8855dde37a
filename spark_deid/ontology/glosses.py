"""Content words of glosses and contexts, each as 16 bits of a checksum."""

import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from spark_deid.core.numerics.arrays import UInt16s

_WORD = re.compile(r"[^\W\d_]{3,}")
_EMPTY_WORDS = """
about above after all also among and another any are because been before being below between both but can
could did does doing down during each either especially etc few for from further had has have having her
here hers him his how into its itself just made may more most not now off once one only other our out over
own same she should some something someone such than that the their theirs them then there these they this
those through too two under until upon used usually very was were what when where which while who whom whose
will with within without would you your
"""  # words: ok (data)
_EMPTY = frozenset(_EMPTY_WORDS.split())


def hashed_words(text: str) -> UInt16s:
    """Return the content words of a text as sorted 16-bit checksums, each once; a final s is omitted.

    >>> bool((hashed_words("Banks of the river") == hashed_words("a RIVER, a bank")).all())
    True
    """
    words = {word for word in _WORD.findall(text.lower()) if word not in _EMPTY}
    return np.array(sorted({zlib.crc32(_stem(word).encode()) & 0xFFFF for word in words}), np.uint16)


COMMON = 0.015
"""Words of more glosses than this share show no sense from another."""


def without_common(glosses: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    """Return the hashed words of each gloss without those that are common in glosses."""
    number = Counter(word for words in glosses.values() for word in words)
    most = COMMON * len(glosses)
    return {name: tuple(word for word in words if number[word] <= most) for name, words in glosses.items()}


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
