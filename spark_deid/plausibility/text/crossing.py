"""Whether what is written makes terms with the words beside it that tell of what was generalized."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from spark_deid.numerics.arrays import UInt16s
from spark_deid.plausibility.text.mentions import HIDDEN, telling
from spark_deid.plausibility.text.senses import Senses

Written: TypeAlias = tuple[int, int, str | None]
"""What is written in place of ``text[start:end]``: start, end, and the replacement, or None where it is not known."""


def crossing(
    text: str,
    writings: Sequence[Written],
    known: frozenset[int],
    senses: Senses,
    context: UInt16s | None,
    written: set[str],
) -> set[int]:
    """Return the starts of the writings that hold, with words beside them or alone, what tells of a known concept."""
    shown, places = rendered(text, sorted(writings))
    if not places or not known:
        return set()
    starts, ends = [place[0] for place in places], [place[1] for place in places]
    told = telling(shown, known, senses, context, written, np.array([place[:2] for place in places], np.int32))
    return {
        places[place][2]
        for match in told
        for place in range(bisect_right(ends, match.start), bisect_left(starts, match.end))
    }


def rendered(text: str, writings: Iterable[Written]) -> tuple[str, list[tuple[int, int, int]]]:
    """Write a text with its replacements; return it, and where each known one stands: start, end, original start."""
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    position = length = 0
    for start, end, replacement in writings:
        kept = text[position:start]
        length += len(kept)
        new = HIDDEN if replacement is None else replacement
        if replacement is not None:
            places.append((length, length + len(new), start))
        parts += (kept, new)
        length, position = length + len(new), end
    return "".join((*parts, text[position:])), places
