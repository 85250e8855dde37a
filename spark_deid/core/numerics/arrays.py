"""Arrays of numbers by the type of these, as signatures name them."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

UInt8s = NDArray[np.uint8]
UInt16s = NDArray[np.uint16]
UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]
Int16s = NDArray[np.int16]
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Float32s = NDArray[np.float32]
Float64s = NDArray[np.float64]
Bools = NDArray[np.bool_]

_Array = TypeVar("_Array", bound=NDArray[np.generic])


def read_only(array: _Array) -> _Array:
    """Return the same numbers, which can't be written: else kernels are compiled for what was read and what was made.

    >>> read_only(np.zeros(1)).flags.writeable
    False
    """
    view: _Array = array.view()
    view.flags.writeable = False
    return view
