"""Spans: half-open code-point offsets with a label."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

GOLD = "gold"
"""The source of annotations of the input."""

ALLOWED = "allowed"
"""The detail of the source of spans that a plan spares: ``model/allowed``."""


class Span(NamedTuple):
    """A label for ``text[start:end]``. Offsets are code points, and the end is exclusive.

    Attributes:
        start: The first code point.
        end: The code point after the last.
        label: The label.
        score: The probability or score, if the detector has one.
        source: The detector, round or annotator.
        annotation_id: The id that parts of a discontinuous annotation share, None for annotations of one part.
    """

    start: int
    end: int
    label: str
    score: float | None = None
    source: str = ""
    annotation_id: str | None = None


Finder = Callable[[str], Iterable[Span]]
"""A function that finds spans in a text; it travels to workers, so its arguments are plain."""


SpanExtender = Callable[[str, Sequence[Span]], Iterable[Span]]
"""A function that returns further spans of a text, given the spans that finders found in it; it travels to workers."""


def detector_of(source: str) -> str:
    """Return the detector that a source names: sources are ``<detector>/<detail>``, or only a detector.

    >>> detector_of("model/round-2"), detector_of("gold")
    ('model', 'gold')
    """
    return source.partition("/")[0]


def is_allowed(source: str) -> bool:
    """Return whether a plan spares the spans of a source.

    >>> is_allowed("model/allowed"), is_allowed("allowed")
    (True, False)
    """
    return source.endswith(f"/{ALLOWED}")


def join_pieces(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join the pieces of every discontinuous annotation into one span from first start to last end (law 6)."""
    whole: list[Span] = []
    pieces: dict[tuple[str, str, str], list[Span]] = {}
    for span in spans:
        if span.annotation_id is None:
            whole.append(span)
        else:
            pieces.setdefault((span.annotation_id, span.label, span.source), []).append(span)
    for group in pieces.values():
        whole.append(group[0]._replace(start=min(s.start for s in group), end=max(s.end for s in group)))
    return tuple(sorted(whole, key=lambda s: (s.start, s.end, s.label, s.source)))


def merge_places(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join places, starts and ends, that touch or overlap; return them in order.

    >>> merge_places([(4, 6), (0, 2), (5, 8)])
    [(0, 2), (4, 8)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
