"""From a flag for each character to runs of characters."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.core.numerics.compilation import compiled


@compiled
def runs_of(hidden: Bools, bounds: Int64s) -> tuple[Int64s, Int32s, Int32s]:
    """Return the runs of hidden characters: the number before each document, starts, and ends, from its begin on."""
    total = 0
    for i in range(len(hidden)):
        total += hidden[i] and (i == 0 or not hidden[i - 1])
    starts, ends = np.empty(total, np.int32), np.empty(total, np.int32)
    before = np.zeros(len(bounds), np.int64)
    count = 0
    for document in range(len(bounds) - 1):
        begin, end = bounds[document], bounds[document + 1]
        for i in range(begin, end):
            if hidden[i] and (i == begin or not hidden[i - 1]):
                starts[count] = i - begin
            if hidden[i] and (i + 1 == end or not hidden[i + 1]):
                ends[count] = i + 1 - begin
                count += 1
        before[document + 1] = count
    return before, starts, ends
