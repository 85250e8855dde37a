"""What patterns know, as a function that travels to workers."""

from spark_deid.core.span import Span
from spark_deid.text.patterns import PatternDetector


def pattern_spans(text: str, *, detector: PatternDetector) -> tuple[Span, ...]:
    """Return what a pattern detector finds in a text."""
    return detector.detect(text)
