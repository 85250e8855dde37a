"""The text of least cost among those whose product of volumes reaches t, in whole numbers of any size."""

import math
from itertools import pairwise

from spark_deid.core.numerics.arrays import Int64s


def least_of_products(
    volumes: Int64s, starts: Int64s, t: int, alpha: float, most_states: int
) -> tuple[int, ...] | None:
    """Return the levels of least cost (equation 1) whose product is at least t; None beyond ``most_states`` products.

    Of all partial choices with one product, the one that deviates least does. One that can't reach t is left.

    >>> import numpy as np
    >>> least_of_products(np.array([1, 3, 5, 1, 3, 9]), np.array([0, 3, 6]), 10, 0.5, 99)
    (2, 1)
    """
    paths = [volumes[start:end].tolist() for start, end in pairwise(starts.tolist())]
    words, goal = len(paths), math.log2(t)
    most = [1]
    for path in reversed(paths):
        most.append(most[-1] * max(path))
    most.reverse()
    states: dict[int, tuple[float, tuple[int, ...]]] = {1: (0.0, ())}
    for word, path in enumerate(paths):
        new: dict[int, tuple[float, tuple[int, ...]]] = {}
        for product, (local, levels) in states.items():
            for level, volume in enumerate(path):
                reached = product * volume
                if reached * most[word + 1] < t:
                    continue
                deviation = local + (math.log2(volume) - goal / words) ** 2
                if reached not in new or deviation < new[reached][0]:
                    new[reached] = deviation, (*levels, level)
        if len(new) > most_states:
            return None
        states = new
    costs = {
        levels: alpha / words**2 * (math.log2(product) - goal) ** 2 + (1 - alpha) / words * local
        for product, (local, levels) in states.items()
    }
    return min(costs, key=lambda levels: costs[levels], default=None)
