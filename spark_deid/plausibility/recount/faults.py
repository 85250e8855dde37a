"""What can be wrong with generalized text, and what is counted of it."""

import math
from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

KEPT, SAME, NARROW, UNKNOWN, FOREIGN, SPLIT, SHORT = "kept", "same", "narrow", "unknown", "foreign", "split", "short"
PART, CASE = "part", "case"
FAULTS = (KEPT, SAME, NARROW, UNKNOWN, FOREIGN, SPLIT, SHORT, PART, CASE)
"""What can be wrong: text that tells of what was generalized is kept or written; a replacement is a synonym of its
original or a form of it, is not above it, or not in the ontology; an edit's original is no term, or nothing asked for
it; a concept has two nodes in one document; a segment's original could be one of fewer than t texts; a replacement is
not what the partition has for its term where that stands; one in a line in capitals has small letters."""


class PlausibilityCounts(NamedTuple):
    """What was counted: faults by name, terms, segments that have some, and the least log2 |D| - log2 t of these."""

    faults: Counter[str]
    terms: int = 0
    segments: int = 0
    margin: float = math.inf


def sum_up(counted: Collection[PlausibilityCounts]) -> PlausibilityCounts:
    """Return what was counted of several documents, or parts of one, together."""
    faults = Counter[str]()
    for each in counted:
        faults.update(each.faults)
    terms, segments = sum(each.terms for each in counted), sum(each.segments for each in counted)
    return PlausibilityCounts(faults, terms, segments, min((each.margin for each in counted), default=math.inf))
