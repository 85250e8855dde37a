"""What classes lose, and rows of a class in an order that tells nothing."""

from spark_deid.anonymity.kernels.choosing import width_between
from spark_deid.anonymity.space import CodeSpace
from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s
from spark_deid.core.numerics.compilation import compiled


@compiled
def sum_covered_shares(
    space: CodeSpace, lows: Int32s, highs: Int32s, extras: Int64s, rows: Int64s, sums: Float64s
) -> None:
    """Add up, by attribute, which share of its span the rows of each class cover; classes have so many ``rows``."""
    for group in range(rows.size):
        for column in range(sums.size):
            low, high = lows[group, column], highs[group, column]
            extra = extras[group, column]
            if high > 0:
                share = 1.0 if extra else width_between(space, column, low, high)
                sums[column] += share * rows[group]
            # Two bits or more are two values outside of the range: such a class shows the whole attribute.
            elif extra & (extra - 1):
                sums[column] += rows[group]


@compiled
def shuffle_classes(rows: Int64s, starts: Int64s, seed: int) -> None:
    """Put the rows of each class into an order that a seed decides (splitmix64, Fisher and Yates)."""
    state = seed
    for group in range(starts.size - 1):
        for place in range(starts[group + 1] - 1, starts[group], -1):
            # The high bits of a linear congruential generator are the random ones, so the low 17 are dropped.
            state = (state * 6364136223846793005 + 1442695040888963407) & 0x7FFFFFFFFFFFFFFF
            other = starts[group] + (state >> 17) % (place - starts[group] + 1)
            kept = rows[place]
            rows[place] = rows[other]
            rows[other] = kept
