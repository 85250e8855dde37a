"""The clusters of the word and of its neighbours in the line."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt32s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.gazetteer import SEED
from spark_deid.text.kernels.hashing import hash_public
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK, is_letter
from spark_deid.text.token_columns.gazetteer import bits_of
from spark_deid.text.vocabulary import NARROW_BITS

U = np.uint64
CLUSTER_COLUMNS = columns_of("cluster cluster.left cluster.right cluster.wide cluster.wide.left cluster.wide.right")
"""``cluster`` is the narrow one. ``left`` and ``right`` are those of the neighbours in the line."""
NARROW, WIDE = 0, 3
BORDER, NO_WORD, UNKNOWN, FIRST = 1, 2, 3, 4
"""Values beyond a line's borders, for what is not a word, for words without a cluster; clusters have higher ones."""


@compiled
def fill_clusters(lower: UInt32s, tokens: TokenArrays, table: UInt64s, out: UInt64s) -> None:
    """Fill the columns of clusters; every cell beyond the borders of a line is ``BORDER``."""
    n = len(tokens.starts)
    out[:, :] = U(BORDER)
    # `out` has a row per column and `PAD` cells before the first token, so neighbours need no test of bounds.
    for t in range(n):
        p = t + PAD
        narrow, wide = U(NO_WORD), U(NO_WORD)
        if not tokens.merged[t] and is_letter(np.int64(tokens.kinds[t])):
            bits = bits_of(table, hash_public(lower, np.int64(tokens.starts[t]), np.int64(tokens.ends[t]), SEED))
            narrow = wide = U(UNKNOWN)
            if bits:
                narrow = U(FIRST) + (bits & U((1 << NARROW_BITS) - 1))
                wide = U(FIRST) + (bits >> U(NARROW_BITS))
        out[NARROW, p] = narrow
        out[WIDE, p] = wide
    for t in range(n):
        p = t + PAD
        for first in (NARROW, WIDE):
            out[first + 1, p] = out[first, p - 1] if tokens.gaps[t] != LINE_BREAK else U(BORDER)
            out[first + 2, p] = out[first, p + 1] if tokens.gaps[t + 1] != LINE_BREAK else U(BORDER)
