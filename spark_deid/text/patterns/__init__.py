"""Detectors for what has a separate form and needs no learning.

Every expression is a raw string, repeats nothing without a bound inside a repetition, and is linear on adversarial
text. Searches start at marks that are rare in ordinary text (``@``, ``://``, digits).
"""

from spark_deid.text.patterns.config import CustomPattern, LimitedPattern, PatternError
from spark_deid.text.patterns.detector import PatternDetector
from spark_deid.text.patterns.kinds import ALL_KINDS, KINDS, PatternKind

__all__ = ["ALL_KINDS", "KINDS", "CustomPattern", "LimitedPattern", "PatternDetector", "PatternError", "PatternKind"]
