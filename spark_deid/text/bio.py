"""BIO tags: 0 is O, ``1 + 2 l`` begins and ``2 + 2 l`` continues a span of label l."""

from collections.abc import Sequence

import numpy as np

from spark_deid.core.span import Span, priority
from spark_deid.numerics.arrays import Bools, Int32s

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
            if free:
                tags[token] = begin + inside
            inside = free
    return tags


def decode(starts: Offsets, ends: Offsets, apart: Bools, tags: Int32s, labels: Sequence[str]) -> tuple[Span, ...]:
    """Return the spans of tags; an I tag that continues nothing begins a span (border repair).

    So does a token that stands ``apart`` from the one before, in a field or line of its own.
    """
    tagged = np.flatnonzero(tags)
    if not len(tagged):
        return ()
    chosen = tags[tagged]
    numbers = (chosen - 1) // 2
    goes_on = (chosen[1:] % 2 == 0) & (numbers[1:] == numbers[:-1]) & (np.diff(tagged) == 1) & ~apart[tagged[1:]]
    firsts = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
    lasts = np.concatenate([firsts[1:], [len(tagged)]]) - 1
    borders = starts[tagged[firsts]].tolist(), ends[tagged[lasts]].tolist(), numbers[firsts].tolist()
    return tuple(Span(start, end, labels[number]) for start, end, number in zip(*borders, strict=True))
