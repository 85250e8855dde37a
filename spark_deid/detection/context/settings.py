"""What counts as a term that gives identifiers away, and what becomes of it."""

from dataclasses import dataclass
from typing import Literal

Route = Literal["label", "remove"]
"""Terms are labelled before training, so that rounds learn to find them, or removed after all other detectors."""
SOURCE = "context"
SUFFIX = "-CONTEXT"


@dataclass(frozen=True)
class CorrelationSettings:
    """When a term is correlated with identifiers of a category, the label ``label``.

    A term is a run of at most ``max_words`` words outside identifiers. Term and identifier word share at least
    ``min_support`` documents; that is at least ``min_confidence`` of the term's documents, and at least ``min_lift``
    times what chance would have them share.
    """

    label: str
    route: Route = "remove"
    min_support: int = 3
    min_confidence: float = 0.5
    min_lift: float = 5.0
    max_words: int = 1


def categories_of(correlations: tuple[CorrelationSettings, ...], route: Route) -> tuple[CorrelationSettings, ...]:
    """Return the categories whose terms take this route."""
    return tuple(each for each in correlations if each.route == route)
