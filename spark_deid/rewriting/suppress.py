"""Suppression: every marked character gives way to a typed placeholder."""

from collections.abc import Iterable

from spark_deid.core.adjacency import join_adjacent
from spark_deid.core.edit import Edit
from spark_deid.core.span import Span, resolve_overlaps

SUPPRESS = "suppress"


def placeholder(label: str) -> str:
    """Return the placeholder of a label.

    >>> placeholder("NAME")
    '[NAME]'
    """
    return f"[{label}]"


def suppress(text: str, spans: Iterable[Span]) -> tuple[Edit, ...]:
    """Turn spans into disjoint edits that cover every marked character (contract, laws 1 and 3).

    >>> suppress("Ann Lee came.", [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    (Edit(start=0, end=7, technique='suppress', replacement='[NAME]'),)
    """
    joined = join_adjacent(text, resolve_overlaps(text, spans))
    return tuple(Edit(s.start, s.end, SUPPRESS, placeholder(s.label)) for s in joined)
