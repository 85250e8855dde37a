"""Find more by what is known: kinds of tokens that always carry one label, and texts found elsewhere."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.span import Span
from spark_deid.text.bio import Offsets
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.view import View

PURITY = 0.95
LEAST_SEEN = 10


def learn_kinds(kinds: NDArray[np.uint8], tags: NDArray[np.int32], labels: Sequence[str]) -> dict[str, str]:
    """Return the kinds of merged tokens of which at least 95%, and ten in number, carry one label, with that label."""
    learned: dict[str, str] = {}
    for kind in np.unique(kinds[kinds > 0]).tolist():
        own = (tags[kinds == kind] + 1) // 2
        counts = np.bincount(own, minlength=len(labels) + 1)
        best = int(counts.argmax())
        if best and len(own) >= LEAST_SEEN and counts[best] >= PURITY * len(own):
            learned[KINDS[kind]] = labels[best - 1]
    return learned


def add_kinds(
    tags: NDArray[np.int32], kinds: NDArray[np.uint8], learned: Mapping[str, str], labels: Sequence[str]
) -> None:
    """Tag, in place, the untagged tokens whose kind carries a label."""
    for kind, label in learned.items():
        tags[(kinds == KINDS.index(kind)) & (tags == 0)] = 1 + 2 * labels.index(label)


class Wanted(NamedTuple):
    """A text to look for, and the label it was found with."""

    text: str
    label: str


def copy_spans(view: View, starts: Offsets, ends: Offsets, spans: Sequence[Span], least: int) -> tuple[Span, ...]:
    """Add the other places where the text of a span stands between words, outside spans and removed pieces.

    Only texts of ``least`` characters and more that were found with one label alone are copied, longer ones first.
    Such a place begins at a token.
    """
    wanted = _wanted(view.text, starts, ends, spans, least)
    if not wanted:
        return tuple(spans)
    hits: list[Span] = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        for each in wanted.get(view.text[start:end], ()):
            if view.text.startswith(each.text, start) and _is_apart(view.text, start, start + len(each.text)):
                hits.append(Span(start, start + len(each.text), each.label))
    taken = np.zeros(len(view.text) + 1, np.bool_)
    for span in (*view.removed, *spans):
        taken[span.start : span.end] = True
    found = list(spans)
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        if not taken[hit.start : hit.end].any():
            taken[hit.start : hit.end] = True
            found.append(hit)
    return tuple(sorted(found))


def _wanted(text: str, starts: Offsets, ends: Offsets, spans: Sequence[Span], least: int) -> dict[str, list[Wanted]]:
    """Return what to look for by the text of its first token."""
    labels: dict[str, set[str]] = {}
    firsts: dict[str, str] = {}
    for span in spans:
        if span.end - span.start >= least:
            surface = text[span.start : span.end]
            labels.setdefault(surface, set()).add(span.label)
            first = int(np.searchsorted(starts, span.start))
            firsts[surface] = text[starts[first] : ends[first]]
    wanted: dict[str, list[Wanted]] = {}
    for surface, found in labels.items():
        if len(found) == 1:
            wanted.setdefault(firsts[surface], []).append(Wanted(surface, *found))
    return wanted


def _is_apart(text: str, start: int, end: int) -> bool:
    """Tell whether no word goes on beyond these borders."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
