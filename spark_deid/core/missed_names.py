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
    RANGE = "outside-range"


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


FormCounter = Callable[[str], "Int64s"]
"""Counts the words of a text by their form; it travels to workers."""
WordWeigher = Callable[[str], WeighedWords]
"""What weighs the words of a text; it travels to workers."""


class OddsCounts(NamedTuple):
    """How many words of each cell there are, ``[group, cell]``: those that no edit touches, and the others.

    A group is of documents, by their ids alone. ``documents`` of ``all_documents`` were looked at. ``forms`` counts all
    words of these documents by their form.
    """

    untouched: "Int64s"
    edited: "Int64s"
    documents: int
    all_documents: int
    forms: "Int64s"


@dataclass(frozen=True)
class MissedEstimate:
    """A prediction of the words of names that no edit touches, for text that is like the labelled corpora.

    ``words`` are expected, ``low`` to ``high`` is the interval of 95%. ``found`` words of names are expected to be
    edited. The share that is missed has a separate interval of the expected share. ``documents`` were read. If each of
    the ``corpora`` is predicted by the others, ``covered`` of the intervals contain what its labels count. No bound:
    only a labelled sample of the release gives one.
    """

    words: float
    low: float
    high: float
    found: float
    share: float
    share_low: float
    share_high: float
    documents: int
    corpora: int
    covered: int

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
    ``count_forms`` counts the words of a text by ``forms`` forms, and ``outside`` returns which of these are outside
    the range of the labelled corpora: then no estimate holds.
    """

    weigh: WordWeigher
    cells: int
    estimate: Callable[[OddsCounts], MissedEstimate]
    choose: Callable[[OddsCounts, float], TargetChoice]
    count_forms: FormCounter
    forms: int
    outside: Callable[[OddsCounts], tuple[str, ...]]
    target: float | None = None
