"""Strict spans and binary word tokens: the figures by which rounds are compared out of fold."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.greedy.game.counts import tell_touched


class ScoreTally(NamedTuple):
    """How many were right, how many were predicted, how many are gold."""

    right: int
    predicted: int
    gold: int

    def __add__(self, other: object) -> "ScoreTally":
        """Add tallies of disjoint sets of documents."""
        if not isinstance(other, ScoreTally):
            return NotImplemented
        return ScoreTally(self.right + other.right, self.predicted + other.predicted, self.gold + other.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 where there is nothing to find and nothing was found."""
        total = self.predicted + self.gold
        return 2 * self.right / total if total else 1.0

    def figures(self) -> dict[str, float]:
        """Return precision, recall and F1."""
        return {
            "precision": self.right / self.predicted if self.predicted else 1.0,
            "recall": self.right / self.gold if self.gold else 1.0,
            "f1": self.f1,
        }


NO_TALLY = ScoreTally(0, 0, 0)


class RoundScores(NamedTuple):
    """Strict: start, end and label of whole annotations. Binary token: words touched by any label."""

    strict: ScoreTally
    binary_token: ScoreTally

    def __add__(self, other: object) -> "RoundScores":
        """Add scores of disjoint sets of documents."""
        if not isinstance(other, RoundScores):
            return NotImplemented
        return RoundScores(self.strict + other.strict, self.binary_token + other.binary_token)

    def figures(self) -> dict[str, dict[str, float]]:
        """Return the figures of both."""
        return {"strict": self.strict.figures(), "binary_token": self.binary_token.figures()}


NO_SCORES = RoundScores(NO_TALLY, NO_TALLY)


def score(text: str, whole: Iterable[Span], pieces: Iterable[Span], predicted: Iterable[Span]) -> RoundScores:
    """Score one document; ``whole`` are the annotations' hulls, ``pieces`` what of the text they mark."""
    predicted = tuple(predicted)
    words = [match.span() for match in WORD.finditer(text)]
    starts, ends = (np.array([word[side] for word in words], np.int32) for side in (0, 1))
    found, gold = (tell_touched(starts, ends, ((s.start, s.end) for s in spans)) for spans in (predicted, pieces))
    binary = ScoreTally(*(int(np.count_nonzero(flags)) for flags in (found & gold, found, gold)))
    return RoundScores(_strict(whole, predicted), binary)


def _strict(whole: Iterable[Span], predicted: Iterable[Span]) -> ScoreTally:
    ours, theirs = (Counter((s.start, s.end, s.label) for s in spans) for spans in (predicted, whole))
    return ScoreTally((ours & theirs).total(), ours.total(), theirs.total())
