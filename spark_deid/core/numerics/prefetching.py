"""Ask the processor to load memory that is read soon."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

_FOR_READING, _KEEP_NEAR, _DATA = 0, 3, 1


def _prefetch(_: object, array: types.Array, index: types.Integer) -> tuple[Any, Callable[..., object]]:
    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: tuple[ir.Value, ...]) -> object:
        data = make_array(signature.args[0])(context, builder, arguments[0]).data  # type: ignore[no-untyped-call]
        address = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")  # type: ignore[no-untyped-call]
        builder.call(function, [address, *(ir.Constant(word, hint) for hint in (_FOR_READING, _KEEP_NEAR, _DATA))])
        return context.get_dummy_value()

    return types.void(array, index), generate


prefetch = cast(Callable[[NDArray[Any], np.int64], None], intrinsic(_prefetch))
"""Load the cache line of a cell without waiting for it; for compiled code, and without any effect on results."""
