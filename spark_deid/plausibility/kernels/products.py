"""The least product of volumes that reaches t, exactly.

The problem is NP-hard (Jiang et al., section 4.1), but only in the digits of t: of two partial choices with one
product, either does, and a product that has reached t competes as it is. So the products below t that can be reached
are kept, each once, and extended word by word.
"""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s
from spark_deid.core.numerics.compilation import Int, compiled

FOUND, INFEASIBLE, TOO_DEAR = range(3)
MOST_T = 1 << 26
"""Beyond this t, products are too many: the bits that state which are reached take t / 8 bytes."""
_FIRST_SIZE = 1 << 10
_LARGEST = np.int64(1 << 62)


@compiled
def _rising(volumes: Int64s) -> Int64s:
    """Return the levels by volume, of equal volumes the first only."""
    order = np.argsort(volumes, kind="mergesort")
    kept = 0
    for level in order:
        if not kept or volumes[level] != volumes[order[kept - 1]]:
            order[kept] = level
            kept += 1
    return order[:kept]


@compiled
def least_product(volumes: Int64s, starts: Int64s, t: Int, most_states: Int) -> tuple[int, Int64s]:
    """Return FOUND and one level for each path so that the product of volumes is least of those that reach ``t``.

    ``volumes`` has the paths one after the other, path i from ``starts[i]`` to ``starts[i + 1]``, none empty, of any
    order, all below 2^31. A state represents the words checked so far, all others at their least volume. Returns
    INFEASIBLE where no choice reaches t, TOO_DEAR beyond ``most_states`` states or ``MOST_T``.
    """
    words = len(starts) - 1
    levels = np.zeros(words, np.int64)
    base, high = np.int64(1), 0.0
    for word in range(words):
        path = volumes[starts[word] : starts[word + 1]]
        levels[word] = np.argmin(path)
        # `base` is the smallest product. It stops growing at t, so up to MOST_T it never overflows.
        base, high = base * path[levels[word]] if base < t else base, high + np.log2(path.max())
    if high < np.log2(t) - 1e-9:
        return INFEASIBLE, levels
    if t > MOST_T:
        return TOO_DEAR, levels
    if base >= t:
        return FOUND, levels
    # One bit per product below t: of two choices with one product, the first is kept.
    reached = np.zeros((t >> 6) + 1, np.uint64)
    products, before, chosen = _states(_FIRST_SIZE)
    products[0], before[0] = base, -1
    number = 1
    best, best_before, best_chosen = _LARGEST, np.int64(-1), np.int64(-1)
    for word in range(words):
        path = volumes[starts[word] : starts[word + 1]]
        order = _rising(path)
        low, known = path[order[0]], number
        for state in range(known):
            others = products[state] // low if low > 1 else products[state]
            for level in order[1:]:
                product = others * path[level]
                if product >= t:
                    if product < best:
                        best, best_before, best_chosen = product, np.int64(state), starts[word] + level
                    break
                cell, bit = product >> 6, np.uint64(1) << np.uint64(product & 63)
                if reached[cell] & bit:
                    continue
                reached[cell] |= bit
                if number == len(products):
                    if number >= most_states:
                        return TOO_DEAR, levels
                    more = _states(number)
                    products = np.concatenate((products, more[0]))
                    before = np.concatenate((before, more[1]))
                    chosen = np.concatenate((chosen, more[2]))
                products[number], before[number], chosen[number] = product, state, starts[word] + level
                number += 1
        if best == t:
            break
    if best == _LARGEST:
        return INFEASIBLE, levels
    while best_before >= 0:
        found = np.searchsorted(starts, best_chosen, side="right") - 1
        levels[found] = best_chosen - starts[found]
        best_chosen, best_before = chosen[best_before], before[best_before]
    return FOUND, levels


@compiled
def _states(number: Int) -> tuple[Int64s, Int64s, Int64s]:
    return np.empty(number, np.int64), np.empty(number, np.int64), np.empty(number, np.int64)
