"""Compiled counting: whom shown values cover, and by whom a person is covered."""

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def count_within(
    codes: Int32s, offsets: Int64s, published: Int32s, columns: Int32s, covered: Bools, k: Int, counts: Int64s
) -> None:
    """Count, up to k, the persons of a class that each person's values cover, and those whose values cover each.

    ``codes`` has a row a person and a column an attribute; person p shows ``shown[offsets[p]:offsets[p + 1]]``, values
    of the attributes ``columns``; ``covered[v, code]`` tells whether shown value v covers a code. ``counts`` is filled:
    a row a person, both counts.
    """
    n = codes.shape[0]
    for p in range(n):
        # Each person starts with themself, and counting ends at k: a class of many
        # equal people costs k steps per person.
        for step in range(n):
            q = (p + step) % n
            if counts[p, 0] < k and _covers(codes, offsets, published, columns, covered, p, q):
                counts[p, 0] += 1
            if counts[p, 1] < k and _covers(codes, offsets, published, columns, covered, q, p):
                counts[p, 1] += 1
            if counts[p, 0] >= k and counts[p, 1] >= k:
                break


@compiled
def _covers(codes: Int32s, offsets: Int64s, published: Int32s, columns: Int32s, covered: Bools, p: Int, q: Int) -> bool:
    for place in range(offsets[p], offsets[p + 1]):
        value = published[place]
        if not covered[value, codes[q, columns[value]]]:
            return False
    return True
