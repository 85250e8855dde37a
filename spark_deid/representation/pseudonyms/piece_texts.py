"""Pieces of texts by columns, cut from the bytes of all."""

import numpy as np
import pyarrow as pa

from spark_deid.numerics.arrays import Int32s, Int64s, UInt32s
from spark_deid.representation.kernels.pieces import bytes_before, gather_pieces


def strings_of(text: str, codes: UInt32s, starts: Int64s, ends: Int64s) -> pa.StringArray:
    """Return the pieces between places of a text, of which the code points are given, as an array of strings."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    if len(data) > len(codes):
        before = bytes_before(codes)
        starts, ends = before[starts], before[ends]
    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    gathered = np.empty(offsets[-1], np.uint8)
    gather_pieces(data, starts, ends, offsets, gathered)
    narrow: Int32s = offsets.astype(np.int32)
    return pa.StringArray.from_buffers(len(starts), pa.py_buffer(narrow), pa.py_buffer(gathered))
