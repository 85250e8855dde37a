"""The one door to pydivsufsort."""

import numpy as np
from pydivsufsort import divsufsort

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int32s, UInt8s

MAX_BYTES = (1 << 31) - 1


def suffix_array(text: UInt8s) -> Int32s:
    """Return the places of all suffixes of a text in their order.

    Raises SparkDeidError from 2 GiB on, where places no longer fit.
    """
    if len(text) > MAX_BYTES:
        raise SparkDeidError(
            f"{len(text)} bytes in one suffix array, more than the limit of {MAX_BYTES}. Use more shards"
        )
    if not len(text):
        return np.zeros(0, np.int32)
    suffixes: Int32s = divsufsort(text if text.flags.writeable else text.copy())
    return suffixes
