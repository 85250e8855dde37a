"""The neighbours of the token in its own line: what stands in other lines is none."""

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.kernels.hashing import salt
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK
from spark_deid.text.token_columns.word import LOWER_CASE, SHAPE, SHORT

NEIGHBOUR_COLUMNS = columns_of("*left *left2 *right *right2 left.short right.short left.shape right.shape")
"""``left`` and ``right`` are the words next to the token, ``left2`` and ``right2`` those behind them."""
LEFT, LEFT2, RIGHT, RIGHT2, LEFT_SHORT, RIGHT_SHORT, LEFT_SHAPE, RIGHT_SHAPE = range(8)
LINE_START, LINE_STOP = salt("line start"), salt("line stop")


@compiled
def fill_neighbours(tokens: TokenArrays, words: UInt64s, out: UInt64s) -> None:
    """Fill the columns of neighbours; ``words`` are the columns of words. Every cell beyond a line says so."""
    n = len(tokens.starts)
    for t in range(n):
        p = t + PAD
        first = tokens.gaps[t] == LINE_BREAK
        last = tokens.gaps[t + 1] == LINE_BREAK
        # Words of another line are not neighbours, even if they are next in the text.
        second = first or tokens.gaps[t - 1] == LINE_BREAK
        last_but_one = last or tokens.gaps[t + 2] == LINE_BREAK
        out[LEFT, p] = LINE_START if first else words[LOWER_CASE, p - 1]
        out[LEFT2, p] = LINE_START if second else words[LOWER_CASE, p - 2]
        out[RIGHT, p] = LINE_STOP if last else words[LOWER_CASE, p + 1]
        out[RIGHT2, p] = LINE_STOP if last_but_one else words[LOWER_CASE, p + 2]
        out[LEFT_SHORT, p] = LINE_START if first else words[SHORT, p - 1]
        out[RIGHT_SHORT, p] = LINE_STOP if last else words[SHORT, p + 1]
        out[LEFT_SHAPE, p] = LINE_START if first else words[SHAPE, p - 1]
        out[RIGHT_SHAPE, p] = LINE_STOP if last else words[SHAPE, p + 1]
