"""The covering that hides the fewest characters."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, UInt16s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.repeats.kernels.marks import HIDDEN_CHARACTER, MAX_LENGTH


@compiled
def cover_optimally(lengths: UInt16s, min_length: int) -> Bools:
    """Return which characters a covering hides that keeps the most, in runs of at least ``min_length`` characters.

    A run that begins at i may be kept up to e(i) = i + length(i), and two runs have a hidden character between them.
    What is excluded is never hidden, what was hidden remains so.

    For runs of any length, jump: hide h(1) = e(0), h(2) = e(h(1) + 1), and so on, where e(i) = i hides i itself. The
    t-th character that any covering hides is at most h(t): its t-th run begins at most at h(t-1) + 1 by induction, and
    ends at most at e(h(t-1) + 1) = h(t), since e never decreases. So no covering hides fewer.

    For ``min_length`` above 1 the best run may end before e(i), to leave room for the next. Let v(i) be the most that
    can be kept from i on, where a run may begin at i. Either i is hidden, v(i) = v(i + 1), or a run is kept up to some
    j in [i + min_length, e(i)] and j is hidden: v(i) = (j - i) + v(j + 1). These are all coverings, so the maximum is
    the best. Both ends of the interval for j move left with i, so a monotone queue of j + v(j + 1) gives every maximum
    in constant time; of equal values the last j is taken.
    """
    hidden = np.ones(len(lengths), np.bool_)
    widest = start = 0
    for i in range(len(lengths) + 1):
        if i == len(lengths) or lengths[i] > MAX_LENGTH:
            widest = max(widest, i - start)
            start = i + 1
    room = widest + 2 if min_length > 1 else 1
    # Arrays for the longest piece serve all pieces. Values are offsets from the start of a piece.
    best, until, queue = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    start = 0
    for i in range(len(lengths) + 1):
        if i < len(lengths) and lengths[i] <= MAX_LENGTH:
            continue
        if i < len(lengths):
            hidden[i] = lengths[i] == HIDDEN_CHARACTER
        if min_length > 1:
            _weigh(lengths, start, i, min_length, best, until, queue)
            _keep(start, i, until, hidden)
        else:
            _jump(lengths, start, i, hidden)
        start = i + 1
    return hidden


@compiled
def _jump(lengths: UInt16s, start: Int, end: Int, hidden: Bools) -> None:
    i = start
    while i < end:
        after = i + np.int64(lengths[i])
        hidden[i:after] = False
        i = after + 1


@compiled
def _weigh(lengths: UInt16s, start: Int, end: Int, min_length: Int, best: Int32s, until: Int32s, queue: Int32s) -> None:
    """Write v(i) to ``best``, and to ``until`` the end of the run that begins at i or 0; offsets are from ``start``.

    ``best`` continues for two places after the last character, since a run that ends the text hides nothing.
    """
    size = np.int64(end - start)
    best[size] = best[size + 1] = 0
    head = tail = np.int64(0)
    for i in range(size - 1, -1, -1):
        after = i + min_length
        if after <= size:
            value = after + best[after + 1]
            # The queue has candidates for j in order of value: a better one with a
            # smaller j replaces those before it.
            while tail > head and queue[tail - 1] + best[queue[tail - 1] + 1] < value:
                tail -= 1
            queue[tail] = after
            tail += 1
        furthest = i + np.int64(lengths[start + i])
        while head < tail and queue[head] > furthest:
            head += 1
        best[i] = best[i + 1]
        until[i] = 0
        if head < tail:
            kept = queue[head] + best[queue[head] + 1] - i
            if kept > best[i]:
                best[i] = kept
                until[i] = queue[head]


@compiled
def _keep(start: Int, end: Int, until: Int32s, hidden: Bools) -> None:
    i = np.int64(0)
    while i < end - start:
        if until[i]:
            hidden[start + i : start + until[i]] = False
            i = np.int64(until[i])
        i += 1
