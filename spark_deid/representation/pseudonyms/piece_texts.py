"""Pieces of texts by columns: cut from the bytes of all, as an array of strings or as one string."""

import numpy as np
import pyarrow as pa

from spark_deid.numerics.arrays import Int32s, Int64s, UInt8s, UInt32s
from spark_deid.representation.kernels.pieces import bytes_before, gather_pieces


def utf8_of(text: str, codes: UInt32s) -> tuple[UInt8s, Int64s]:
    """Return the bytes of a text, and how many there are before each of its characters."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return data, np.arange(len(codes) + 1) if len(data) == len(codes) else bytes_before(codes)


def _gathered(data: UInt8s, starts: Int64s, ends: Int64s, *, gap: bool) -> tuple[UInt8s, Int64s]:
    offsets = np.concatenate([[0], np.cumsum(ends - starts + gap)])
    gathered = np.empty(offsets[-1], np.uint8)
    gather_pieces(data, starts, ends, offsets, gap, gathered)
    return gathered, offsets


def strings_of(data: UInt8s, starts: Int64s, ends: Int64s) -> pa.StringArray:
    """Return the pieces between bytes of a text as an array of strings."""
    gathered, offsets = _gathered(data, starts, ends, gap=False)
    narrow: Int32s = offsets.astype(np.int32)
    return pa.StringArray.from_buffers(len(starts), pa.py_buffer(narrow), pa.py_buffer(gathered))


def joined_pieces(data: UInt8s, starts: Int64s, ends: Int64s) -> str:
    """Return the pieces between bytes of a text as one string, with NUL between each two; within it becomes a blank."""
    gathered, _ = _gathered(data, starts, ends, gap=True)
    return str(gathered[:-1].data, "utf-8", "surrogatepass") if len(gathered) else ""
