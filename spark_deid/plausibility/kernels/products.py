"""The least product of volumes that reaches t, exactly.

The problem is NP-hard (Jiang et al., section 4.1), but only in the digits of t: of two partial choices with one
product, either does, and a product that has reached t competes as it is. So the products below t that can be reached
are kept, each once, and extended word by word.
"""

import numpy as np

from spark_deid.numerics.arrays import Int64s
from spark_deid.numerics.compilation import Int, compiled, inlined

FOUND, INFEASIBLE, TOO_DEAR = range(3)
_MIX = np.uint64(0x9E3779B97F4A7C15)
_FIRST_SIZE = 1 << 10
_LARGEST = np.int64(1 << 62)


@inlined
def _slot(product: np.int64, bits: np.uint64) -> np.uint64:
    return (np.uint64(product) * _MIX) >> (np.uint64(64) - bits)


@compiled
def _contains(slots: Int64s, products: Int64s, product: np.int64, bits: np.uint64, add: Int) -> bool:
    """Tell whether a product is known; else note that the state ``add`` has it."""
    slot = _slot(product, bits)
    mask = np.uint64(len(slots) - 1)
    while slots[slot] >= 0:
        if products[slots[slot]] == product:
            return True
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = add
    return False


@compiled
def _lowest(volumes: Int64s, start: Int, end: Int) -> Int:
    """Return the first level of least volume."""
    least = start
    for place in range(start, end):
        if volumes[place] < volumes[least]:
            least = place
    return least


@compiled
def least_product(volumes: Int64s, starts: Int64s, t: Int, most_states: Int) -> tuple[int, Int64s]:
    """Return FOUND and one level for each path so that the product of volumes is least of those that reach ``t``.

    ``volumes`` has the paths one after the other, path i from ``starts[i]`` to ``starts[i + 1]``, none empty, of any
    order. A state stands for the words looked at so far, all others at their least volume. Returns INFEASIBLE where no
    choice reaches t, TOO_DEAR beyond ``most_states`` states or 62 bits.
    """
    words = len(starts) - 1
    levels = np.zeros(words, np.int64)
    base, high, widest = np.int64(1), 0.0, np.int64(1)
    for word in range(words):
        least = _lowest(volumes, starts[word], starts[word + 1])
        levels[word] = least - starts[word]
        top = volumes[starts[word] : starts[word + 1]].max()
        widest, high = max(widest, top), high + np.log2(top)
        if base < t:
            base *= volumes[least]
    if high < np.log2(t) - 1e-9:
        return INFEASIBLE, levels
    if t > _LARGEST // widest:
        return TOO_DEAR, levels
    if base >= t:
        return FOUND, levels
    size = _FIRST_SIZE
    products, before, chosen = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
    bits = np.uint64(11)
    slots = np.full(2 * size, -1, np.int64)
    products[0] = base
    before[0] = chosen[0] = -1
    _contains(slots, products, base, bits, 0)
    number = 1
    best, best_before, best_chosen = _LARGEST, np.int64(-1), np.int64(-1)
    for word in range(words):
        known = number
        low = volumes[starts[word] + levels[word]]
        last = low
        for place in range(starts[word], starts[word + 1]):
            volume = volumes[place]
            if volume in (last, low):
                continue
            last = volume
            for state in range(known):
                product = products[state] // low * volume
                if product >= t:
                    if product < best:
                        best, best_before, best_chosen = product, np.int64(state), np.int64(place)
                    continue
                if _contains(slots, products, product, bits, number):
                    continue
                products[number], before[number], chosen[number] = product, state, place
                number += 1
                if number < len(products):
                    continue
                if number >= most_states:
                    return TOO_DEAR, levels
                products = np.concatenate((products, np.empty_like(products)))
                before = np.concatenate((before, np.empty_like(before)))
                chosen = np.concatenate((chosen, np.empty_like(chosen)))
                bits += np.uint64(1)
                slots = np.full(2 * len(slots), -1, np.int64)
                for again in range(number):
                    _contains(slots, products, products[again], bits, again)
        if best == t:
            break
    if best == _LARGEST:
        return INFEASIBLE, levels
    _take(levels, starts, best_chosen)
    while best_before >= 0:
        _take(levels, starts, chosen[best_before])
        best_before = before[best_before]
    return FOUND, levels


@compiled
def _take(levels: Int64s, starts: Int64s, place: np.int64) -> None:
    if place >= 0:
        word = np.searchsorted(starts, place, side="right") - 1
        levels[word] = place - starts[word]
