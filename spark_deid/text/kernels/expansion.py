"""Turn columns into hashed attributes: one row a template, one hash per token."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.column_layout import PAD
from spark_deid.text.kernels.hashing import finish, step

U = np.uint64


@compiled
def expand(columns: UInt64s, first: int, end: int, cells: Int32s, sizes: Int32s, seeds: UInt64s, out: UInt64s) -> None:
    """Write ``out[f, i]``, the hash of template f at token ``first + i``; 0 where one of its columns says nothing.

    ``cells[f, k]`` is a column and an offset. Loops over tokens are innermost, so that they run in vector registers.
    """
    n = end - first
    for f in range(len(sizes)):
        row = out[f, :n]
        size = sizes[f]
        one = columns[cells[f, 0, 0], first + cells[f, 0, 1] + PAD : end + cells[f, 0, 1] + PAD]
        seed = seeds[f]
        if size == 1:
            for i in range(n):
                row[i] = finish(seed ^ one[i]) if one[i] != U(0) else U(0)
            continue
        for i in range(n):
            row[i] = seed ^ one[i] if one[i] != U(0) else U(0)
        for k in range(1, size):
            more = columns[cells[f, k, 0], first + cells[f, k, 1] + PAD : end + cells[f, k, 1] + PAD]
            for i in range(n):
                # `&` instead of `and`: both sides are computed, so the loop has no
                # jump and becomes vector instructions.
                mixed = step(row[i], U(0)) ^ more[i]
                row[i] = mixed if (row[i] != U(0)) & (more[i] != U(0)) else U(0)
        for i in range(n):
            row[i] = finish(row[i])


@compiled
def reduce(reduced: Bools, kept: Bools, out: UInt64s) -> None:
    """Leave the reduced tokens only the templates that ``kept`` names."""
    for i in range(len(reduced)):
        if reduced[i]:
            for f in range(len(kept)):
                if not kept[f]:
                    out[f, i] = U(0)
