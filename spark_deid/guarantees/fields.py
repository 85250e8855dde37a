"""Whether suppressions join no more than they may: fields of a line and lines remain separate (contract, law 3)."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

Interval = tuple[int, int]

_IN_A_FIELD = re.compile(r"(?:(?!\s{3})[^\t-\r\x1c-\x1f\x85\u2028\u2029])+")
_ONE_OR_TWO_SPACES = re.compile(r"[^\S\t-\r\x1c-\x1f\x85\u2028\u2029]{1,2}")


def count_overreaching(
    text: str, marked: Iterable[Interval], suppressed: Sequence[Interval], *, finds_more: bool = False
) -> int:
    r"""Count suppressions that hide more than what they cover of marked text and one or two spaces between its pieces.

    Suppressions that touch no marked text do not count: nothing had to be hidden there. Where a technique
    ``finds_more`` to suppress than the marked text (an article before a term), this further text must be in the
    same field of a line.

    >>> [count_overreaching(f"Ann{gap}Lee", [(0, 3), (5, 8)], [(0, 8)]) for gap in ("  ", " \t")]
    [0, 1]
    >>> [count_overreaching(f"an{gap}ox", [(3, 5)], [(0, 5)], finds_more=True) for gap in " \n"]
    [0, 1]
    """
    given = sorted(set(marked))
    exact = set(given)
    doubtful = [each for each in suppressed if each not in exact]
    if not doubtful:
        return 0
    pieces = list(_disjoint(given))
    fits = _IN_A_FIELD if finds_more else _ONE_OR_TWO_SPACES
    starts = [start for start, _ in pieces]
    count = 0
    for start, end in doubtful:
        first = max(0, bisect_left(starts, start) - 1)
        below = [piece for piece in pieces[first : bisect_left(starts, end)] if piece[1] > start]
        if below:
            gaps = zip([start, *(piece[1] for piece in below)], [*(piece[0] for piece in below), end], strict=True)
            outer_or_inner = [text[a:b] for a, b in gaps if a < b]
            is_whole = finds_more or (below[0][0] <= start and end <= below[-1][1])
            count += not (is_whole and all(map(fits.fullmatch, outer_or_inner)))
    return count


def _disjoint(ordered: Iterable[Interval]) -> Iterator[Interval]:
    """Join intervals, in order, that touch or overlap."""
    begin = reach = -1
    for start, end in ordered:
        if start > reach:
            if begin < reach:
                yield begin, reach
            begin = start
        reach = max(reach, end)
    if begin < reach:
        yield begin, reach
