"""Clusters of words: which words stand in like company, in a table of words like that of gazetteers.

Vectors of public text (GloVe) were put into a thousand narrow clusters, and these into sixty wide ones.
"""

from functools import lru_cache
from importlib import resources

from spark_deid.core.hashing import file_sha256
from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.text.gazetteer import open_table

NARROW_BITS = 10
"""A word's 16 bits: the number of its narrow cluster, from 1, then that of the wide one, from 0."""
_PACKED = resources.files("spark_deid.text") / "data" / "clusters" / "words.npy"


def packed_clusters(narrow: int, wide: int) -> int:
    """Return the numbers of a word's clusters, both from 0, as 16 bits.

    >>> packed_clusters(0, 0), packed_clusters(999, 59)
    (1, 61416)
    """
    return narrow + 1 | wide << NARROW_BITS


@lru_cache(maxsize=1)
def clusters() -> UInt64s:
    """Open the table that comes with the package, once a process."""
    with resources.as_file(_PACKED) as path:
        return open_table(path)


@lru_cache(maxsize=1)
def clusters_digest() -> str:
    """Return the sha256 of the table that comes with the package: a model names the one that it was trained with."""
    with resources.as_file(_PACKED) as path:
        return file_sha256(path)
