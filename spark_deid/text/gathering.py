"""Pieces of texts as arrays of strings, gathered from the bytes of all."""

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Int64s, UInt8s
from spark_deid.text.kernels.pieces import gather_pieces


def gather_strings(data: UInt8s, places: Int64s) -> pa.StringArray:
    """Return pieces of bytes in UTF-8 as strings; a row of ``places`` has the first byte of one, and that behind it."""
    borders = np.concatenate([[0], np.cumsum(places[:, 1] - places[:, 0])]).astype(np.int32)
    gathered = np.empty(int(borders[-1]), np.uint8)
    gather_pieces(data, places, borders, gathered)
    return pa.StringArray.from_buffers(len(places), pa.py_buffer(borders), pa.py_buffer(gathered))
