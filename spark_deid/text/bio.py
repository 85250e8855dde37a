"""BIO tags: 0 is O, ``1 + 2 l`` begins and ``2 + 2 l`` continues a span of label l."""

from collections.abc import Sequence
from itertools import repeat

import numpy as np

from spark_deid.core.arrow import rows_of
from spark_deid.core.numerics.arrays import Bools, Int32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.core.overlaps import priority
from spark_deid.core.span import Span

Offsets = Int32s
OUTSIDE = 0


def tag_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the tags' names in the order of their numbers.

    >>> tag_names(["NAME"])
    ('O', 'B-NAME', 'I-NAME')
    """
    return ("O", *(f"{place}-{label}" for label in labels for place in "BI"))


def encode(starts: Offsets, ends: Offsets, closed: Bools, spans: Sequence[Span], labels: Sequence[str]) -> Int32s:
    """Tag the tokens that spans touch; ``closed`` tokens (placeholders) are O and part what surrounds them.

    Where spans share a token the first by law 1 has it. Every label must be one of ``labels``.
    """
    numbers = {label: number for number, label in enumerate(labels)}
    tags = np.zeros(len(starts), np.int32)
    for span in sorted(spans, key=priority):
        first, last = np.searchsorted(ends, span.start, "right"), np.searchsorted(starts, span.end, "left")
        begin = 1 + 2 * numbers[span.label]
        inside = False
        for token in range(first, last):
            free = tags[token] == OUTSIDE and not closed[token]
            # After a token of another span, this span begins again: two parts of one span are two runs of tags.
            if free:
                tags[token] = begin + inside
            inside = free
    return tags


def decode(starts: Offsets, ends: Offsets, apart: Bools, tags: Int32s, labels: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of tags; an I tag that continues nothing begins a span (border repair).

    So does a token that stands ``apart`` from the one before, in a field or line of its own.
    """
    firsts, lasts = _runs(tags, apart)
    named = [labels[number] for number in ((tags[firsts] - 1) // 2).tolist()]
    unknown = repeat(None)
    return tuple(rows_of(Span, starts[firsts].tolist(), ends[lasts].tolist(), named, unknown, repeat(""), unknown))


@compiled
def _runs(tags: Int32s, apart: Bools) -> tuple[Int32s, Int32s]:
    """Return the first and the last token of each span."""
    firsts, lasts = np.empty(len(tags), np.int32), np.empty(len(tags), np.int32)
    count = 0
    label = OUTSIDE
    for t in range(len(tags)):
        # Tags of one label differ only in being first: 1 + 2 l and 2 + 2 l are both label l + 1.
        before, label = label, (tags[t] + 1) // 2
        if label == OUTSIDE:
            continue
        if label != before or tags[t] % 2 == 1 or apart[t]:
            firsts[count] = t
            count += 1
        lasts[count - 1] = t
    return firsts[:count], lasts[:count]
