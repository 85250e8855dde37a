"""How many words of names edits miss: what is counted to tell it, and what is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spark_deid.core.columns import Int32s, Int64s


class NoEstimate(StrEnum):
    """Why a run estimates nothing: what it says of the text, the models of the plan, or what their makers gave."""

    DOUBTS = "doubts"
    MODELS = "several-models"
    TABLE = "no-table"


class TextDoubt(str):
    """A sentence that says why a detector may not know some texts, and the share of all texts that it is about.

    >>> TextDoubt("1 of 4 is Danish", 0.25) == "1 of 4 is Danish"
    True
    """

    share: float

    def __new__(cls, sentence: str, share: float) -> "TextDoubt":
        """Make the sentence."""
        doubt = super().__new__(cls, sentence)
        doubt.share = share
        return doubt


class WeighedWords(NamedTuple):
    """The words of a text in order: offsets, and the cell of each, a number that tells its odds of being of a name."""

    starts: "Int32s"
    ends: "Int32s"
    cells: "Int64s"


WordWeigher = Callable[[str], WeighedWords]
"""What weighs the words of a text; it travels to workers."""


class OddsCounts(NamedTuple):
    """How many words of each cell there are, ``[group, cell]``: those that no edit touches, and the others.

    A group is of documents, by their ids alone. ``documents`` of ``all_documents`` were looked at.
    """

    untouched: "Int64s"
    edited: "Int64s"
    documents: int
    all_documents: int


@dataclass(frozen=True)
class MissedEstimate:
    """Words of names that no edit touches: how many are expected, and a 95% interval of how many there are.

    ``found`` words of names are expected to be edited; the share that is missed has an interval of its own, which is of
    what is expected. ``documents`` were looked at. An estimate, and no guarantee.
    """

    words: float
    low: float
    high: float
    found: float
    share: float
    share_low: float
    share_high: float
    documents: int

    def to_json(self) -> dict[str, object]:
        """Return the estimate as manifests have it."""
        return {name: round(value, 5 if name.startswith("share") else 1) for name, value in vars(self).items()}


class TargetChoice(NamedTuple):
    """The loss ratio that a target takes, whether the target is reached by it, and what of the plan it sets."""

    loss_ratio: float
    reached: bool
    settings: Mapping[str, object]


@dataclass(frozen=True)
class MissedEstimator:
    """What a detector lends to estimate the words of names that a run misses.

    ``weigh`` puts each word into one of ``cells``; ``estimate`` reads what was counted of them after all edits;
    ``choose`` takes counts and a target, and chooses the loss ratio by which at most this share is missed.
    """

    weigh: WordWeigher
    cells: int
    estimate: Callable[[OddsCounts], MissedEstimate]
    choose: Callable[[OddsCounts, float], TargetChoice]
    target: float | None = None
