"""The one door to numba."""

from collections.abc import Callable
from typing import TypeAlias, TypeVar, cast

import numpy as np
from numba import njit

Int: TypeAlias = int | np.int64
"""A signed integer in compiled code; unsigned ones are converted first, since both together make floats."""

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of numbers and arrays to machine code, cached on disk beside its source."""
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a short function of numbers into every caller."""
    return cast(Function, njit(cache=True, inline="always")(function))
