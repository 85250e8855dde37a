"""Suppression: every marked character gives way to a typed placeholder."""

from collections.abc import Iterable

from spark_deid.core.adjacency import join_adjacent
from spark_deid.core.edit import Edit
from spark_deid.core.rare import RARE, STAR
from spark_deid.core.span import Span, resolve_overlaps

SUPPRESS = "suppress"


def placeholder(label: str) -> str:
    """Return what stands for text of a label.

    >>> placeholder("NAME"), placeholder("RARE")
    ('[NAME]', '★')
    """
    return STAR if label == RARE else f"[{label}]"


def suppress(text: str, spans: Iterable[Span]) -> tuple[Edit, ...]:
    """Turn spans into disjoint edits that cover every marked character (contract, laws 1, 3 and 5).

    Runs of rare text are not joined over spaces: those spaces were counted, and are evidence for others. A run of
    nothing but such spaces goes with the edit that others are joined to.

    >>> suppress("Ann Lee came.", [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    (Edit(start=0, end=7, technique='suppress', replacement='[NAME]'),)
    """
    resolved = resolve_overlaps(text, spans)
    rare = [span for span in resolved if span.label == RARE]
    joined = join_adjacent(text, (span for span in resolved if span.label != RARE))
    edits: list[Edit] = []
    for span in sorted((*joined, *rare)):
        if not edits or span.start >= edits[-1].end:
            edits.append(Edit(span.start, span.end, SUPPRESS, placeholder(span.label)))
    return tuple(edits)
