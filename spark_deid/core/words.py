"""Word tokens and the publish ratio."""

import re
from collections.abc import Iterable

WORD = re.compile(r"\w+")


def count_words(text: str, intervals: Iterable[tuple[int, int]]) -> tuple[int, int]:
    r"""Count word tokens (``\w+``), and those of them that no interval touches.

    >>> count_words("I am Ann Lee.", [(5, 12)])
    (4, 2)
    """
    ordered = sorted(intervals)
    total = untouched = index = 0
    for match in WORD.finditer(text):
        total += 1
        start, end = match.span()
        while index < len(ordered) and ordered[index][1] <= start:
            index += 1
        if index == len(ordered) or ordered[index][0] >= end:
            untouched += 1
    return total, untouched
