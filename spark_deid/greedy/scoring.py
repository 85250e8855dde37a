"""Strict spans and binary word tokens: the figures by which rounds are compared out of fold."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.greedy.decoding import DecodingRule
from spark_deid.greedy.game.counts import ConfusionCounts, tell_touched
from spark_deid.greedy.game_documents import DocumentInstances, GameDocument, remaining_gold


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


# What a training report draws: what stays of each label, and what is left against what is published.


Tried = dict[str, float | None]
"""A decoding (``bias``, ``threshold``) and the shares of words that it gives: ``left``, and ``published``."""


def hidden_by_label(cases: Sequence[GameDocument]) -> dict[str, dict[str, int]]:
    """Count the annotations of each label, and those of which a word, or all, is left when all found was removed."""
    by_label: dict[str, dict[str, int]] = {}
    for case in cases:
        for span in case.gold:
            counts = by_label.setdefault(span.label, {"annotations": 0, "in_clear": 0, "untouched": 0})
            clear = remaining_gold(case.view.text, [span], case.view.removed)
            counts["annotations"] += 1
            counts["in_clear"] += bool(clear)
            counts["untouched"] += remaining_gold(case.view.text, [span], ()) == clear != ()
    return dict(sorted(by_label.items()))


def shares_of(counts: ConfusionCounts, wasted: int, instance_sets: Sequence[DocumentInstances]) -> dict[str, float]:
    """Return the share of identifier words that are left, and the share of other words that are published.

    ``counts`` are a round's, ``wasted`` the other words that were removed before; ``instance_sets`` hold all words.
    """
    sensitive = sum(int(np.count_nonzero(instance_set.sensitive)) for instance_set in instance_sets)
    others = sum(len(instance_set.sensitive) for instance_set in instance_sets) - sensitive
    return {
        "left": round(counts.false_negatives / sensitive, 6) if sensitive else 0.0,
        "published": round(1 - (wasted + counts.false_positives) / others, 6) if others else 1.0,
    }


def tried_of(
    counted: Mapping[DecodingRule, tuple[ConfusionCounts, int]], instance_sets: Sequence[DocumentInstances]
) -> list[Tried]:
    """Return what each decoding would leave and publish, by its counts and the words removed in vain before it.

    The one that leaves most comes first.
    """
    found: list[Tried] = [
        {"bias": decoding.bias, "threshold": decoding.threshold, **shares_of(*counts, instance_sets)}
        for decoding, counts in counted.items()
    ]
    return sorted(found, key=lambda each: (-(each["left"] or 0), each["published"] or 0))
