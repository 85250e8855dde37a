"""Decode tokens from left to right, each told the tags that were given to the two before it."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s
from spark_deid.core.numerics.compilation import compiled

Scores = Float64s


@compiled
def tag_in_order(
    scores: Scores, history: Scores, closed: Bools, likely: float, cut: float, tags: Int32s, margins: Scores
) -> None:
    """Write each token's tag, and its margin: the score of carrying any tag but O.

    ``scores[token, 0]`` is the part of the margin that attributes give, ``scores[token, tag]`` that of each tag.
    ``history[0, tag]`` and ``history[1, tag]`` hold what the tags of the token before, and of the one before that, add
    to every column. A token carries the best tag where its margin exceeds ``cut``; a closed token is O. The tags that
    later tokens are told are those of margins above ``likely``, whatever the cut: margins do not depend on it, so a
    lower cut marks what a higher one does, and a careful one does not talk itself into the next token.
    """
    size = scores.shape[1]
    last = 0
    last_but_one = 0
    for t in range(len(scores)):
        tag = 0
        margins[t] = -np.inf
        if not closed[t]:
            margins[t] = scores[t, 0] + history[0, last, 0] + history[1, last_but_one, 0]
            if margins[t] > min(cut, likely) and size > 1:
                best = -np.inf
                for k in range(1, size):
                    value = scores[t, k] + history[0, last, k] + history[1, last_but_one, k]
                    if value > best:
                        best = value
                        tag = k
        tags[t] = tag if margins[t] > cut else 0
        last_but_one = last
        last = tag if margins[t] > likely else 0


def history_columns(tags: Int32s, size: int) -> Int32s:
    """Return the columns ``[token, 2]`` that the gold tags of the two tokens before stand for, -1 for O and nothing.

    Tag ``k`` > 0 of the token before is column ``k - 1``; of the one before that, ``size - 1`` columns on.
    """
    columns = np.full((len(tags), 2), -1, np.int32)
    columns[1:, 0] = np.where(tags[:-1] > 0, tags[:-1] - 1, -1)
    columns[2:, 1] = np.where(tags[:-2] > 0, size - 1 + tags[:-2] - 1, -1)
    return columns


def history_table(weights: Scores, size: int) -> Scores:
    """Lay out weights ``[column, score]`` of history columns for ``tag_in_order``."""
    table = np.zeros((2, size, weights.shape[1]))
    table[0, 1:] = weights[: size - 1]
    table[1, 1:] = weights[size - 1 :]
    return table
