"""What counts as rare, and how much of a text is hidden for it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from spark_deid.core.errors import UsageError

MAX_K = 254
"""Counts are kept in a byte, and 255 states that a count is known to be high enough."""
MAX_CAP = 0xFFFD
SOURCE = "repeats"


class CountingUnit(StrEnum):
    """What k counts."""

    OCCURRENCE = "occurrence"
    DOCUMENT = "document"
    SUBJECT = "subject"


UnitChoice = Literal["auto", "subject", "document", "occurrence"]
"""A unit by name, or the input's own: people where it names them, else documents."""


class CoveringMethod(StrEnum):
    """Which of the frequent substrings are kept."""

    OPTIMAL = "optimal"
    """Those that together keep the most characters."""
    GREEDY = "greedy"
    """The longest first, as in the paper. A repeat longer than the cap counts whole, and is kept in parts."""


class CountedText(StrEnum):
    """In which text a substring of the release must be found k times."""

    ORIGINAL = "original"
    """In the original without what is excluded (Matsubara and Hasida, Definition 4.1)."""
    PUBLISHED = "published"
    """In what is published."""


@dataclass(frozen=True)
class RaritySettings:
    """Hide every substring of fewer than ``k`` units, and keep others in runs of at least ``min_length`` characters.

    ``cap`` is the length in UTF-8 bytes up to which substrings are followed: a kept run is never longer, and no count
    is too high for it. A longer repeat is cut, with one hidden character between two parts. ``whole_tokens`` is the
    fraction of its characters above which a token is hidden whole. At 1 no token is.
    Raises UsageError if a value is out of its bounds.
    """

    k: int = 4
    min_length: int = 6
    unit: CountingUnit = CountingUnit.DOCUMENT
    covering: CoveringMethod = CoveringMethod.OPTIMAL
    cap: int = 255
    counted: CountedText = CountedText.ORIGINAL
    whole_tokens: float = 1.0

    def __post_init__(self) -> None:
        problems = [
            f"repeats.{name}: expected {low} to {high}, got {value}"
            for name, low, high, value in (
                ("k", 2, MAX_K, self.k),
                ("min_length", 1, self.cap, self.min_length),
                ("cap", 1, MAX_CAP, self.cap),
                ("whole_tokens", 0, 1, self.whole_tokens),
            )
            if not low <= value <= high
        ]
        if problems:
            raise UsageError("\n".join(problems))


def choose_unit(unit: UnitChoice, *, subjects: int) -> CountingUnit:
    """Return what k counts; separately people where a document names one, else documents.

    ``subjects`` counts the documents that name a person. Raises UsageError where people are asked for and none does.
    """
    if unit in ("document", "occurrence"):
        return CountingUnit(unit)
    if subjects:
        return CountingUnit.SUBJECT
    if unit == "subject":
        raise UsageError("repeats.unit: subject, but no document of the input has a subject_id. Set unit: document")
    return CountingUnit.DOCUMENT
