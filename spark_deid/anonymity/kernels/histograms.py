"""Contents of the nodes of a tree of cuts, for a part of a table: counts by value, extents, and ties."""

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def bucket_of(code: Int, shift: Int) -> Int:
    """Return the bucket of a code: missing values have one of their own."""
    return 0 if code == 0 else 1 + ((code - 1) >> shift)


@compiled
def survey_units(
    codes: Int32s,
    nodes: Int32s,
    slots: Int32s,
    shifts: Int64s,
    offsets: Int64s,
    lows: Int32s,
    highs: Int32s,
    counts: Int64s,
) -> None:
    """Count units by bucket, and find their least and greatest codes.

    Unit u is in ``nodes[u]``, whose results are row ``slots[node]`` (-1: of no interest); the buckets of attribute a
    begin at ``offsets[a]``.
    """
    for unit in range(codes.shape[0]):
        slot = slots[nodes[unit]]
        if slot < 0:
            continue
        for column in range(codes.shape[1]):
            code = codes[unit, column]
            # Results are added in place, so a table can be surveyed in parts, one per task.
            lows[slot, column] = min(lows[slot, column], code)
            highs[slot, column] = max(highs[slot, column], code)
            counts[slot, offsets[column] + bucket_of(code, shifts[column])] += 1
