"""Whether what is written makes terms with the words beside it that tell of what was generalized."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from spark_deid.numerics.arrays import UInt16s
from spark_deid.plausibility.text.mentions import telling
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.rewriting.rendering import Written, rendered


def crossing(
    text: str,
    writings: Sequence[Written],
    known: frozenset[int],
    senses: WordSenses,
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
