"""Whether a graph of hypernyms goes in a circle."""

import numpy as np

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.numerics.compilation import compiled


@compiled
def has_circle(ends: Int64s, above: Int32s) -> bool:
    """Tell whether something stands above itself; ``above[ends[c - 1] : ends[c]]`` are those right above c, in range.

    What nothing waits for is taken away, time and again, until all is gone or a circle is left.
    """
    n = len(ends)
    waiting = np.zeros(n, np.int64)
    for each in above:
        waiting[each] += 1
    ready = np.empty(n, np.int64)
    number = 0
    for c in range(n):
        if waiting[c] == 0:
            ready[number] = c
            number += 1
    done = 0
    while done < number:
        c = ready[done]
        done += 1
        for place in range(0 if c == 0 else ends[c - 1], ends[c]):
            waiting[above[place]] -= 1
            if waiting[above[place]] == 0:
                ready[number] = above[place]
                number += 1
    return done < n
