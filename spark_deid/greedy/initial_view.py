"""The view with which the rounds begin: listed placeholders and pattern detections are removed first."""

import re
from collections.abc import Sequence

import numpy as np

from spark_deid.core.span import Span
from spark_deid.greedy.game.counts import tell_touched
from spark_deid.text.view import TextView


def find_placeholders(text: str, placeholders: Sequence[str]) -> tuple[Span, ...]:
    """Find the words that stand in the input for what was removed before; each word is a class of its own.

    >>> find_placeholders("Dr. [NAME] came", ["[NAME]"])
    (Span(start=4, end=10, label='[NAME]', score=None, source='placeholder', annotation_id=None),)
    """
    if not placeholders:
        return ()
    longest_first = sorted(set(placeholders), key=lambda word: (-len(word), word))
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return tuple(Span(m.start(), m.end(), m.group(), source="placeholder") for m in pattern.finditer(text))


def initial_view(text: str, placeholders: Sequence[str], found: Sequence[Span]) -> TextView:
    """Return the view of the first round; ``found`` are other detectors' spans, which win over placeholders (law 2)."""
    words = find_placeholders(text, placeholders)
    if not words and not found:
        return TextView(text)
    starts, ends = (np.array([word[side] for word in words], np.int32) for side in (0, 1))
    covered = tell_touched(starts, ends, ((span.start, span.end) for span in found))
    return TextView(text).remove((*found, *(word for word, hidden in zip(words, covered, strict=True) if not hidden)))
