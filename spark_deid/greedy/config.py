"""What a training run of GreedySanitize is told."""

import os
from dataclasses import dataclass, field
from typing import Literal

from spark_deid.core.errors import UsageError
from spark_deid.learners.registry import LEARNERS
from spark_deid.text.features import feature_sets
from spark_deid.text.patterns import PatternDetector

NO_PATTERNS = PatternDetector(kinds=())
SELECTION = "selection"
"""The name that stands for all learners of this package, the most accurate of them in each round."""


def learner_choices() -> tuple[str, ...]:
    """Return what ``learner`` may name."""
    return (*LEARNERS.names(), SELECTION)


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Settings of the greedy loop.

    ``labels`` names what is removed; None stands for every label of the gold annotations. ``auxiliary`` names labels
    that train as classes of their own and are not removed. ``learner`` is the name of one, or ``selection``: in each
    round the most accurate of those that come with the package. ``loss_ratio`` is the paper's L/C. ``decoding`` is
    Viterbi with a bias chosen out of fold, or ``cost``: remove where ``p > C/(L+C)``, with the document rule.
    ``publish_budget`` sets that threshold in another way: as low as leaves this share of the words published, counted
    out of fold. ``counts`` says where the stop test counts: out of fold, or on the training data as in the paper.
    ``background`` names models whose probabilities are features: shipped ones, or model folders; ``tagger`` what
    tells parts of speech, ``nltk:FOLDER`` or the name of an installed one. ``iterations`` bounds
    those of L-BFGS: 30 train in a third of the time and cost about half a point of F1. ``patterns`` are removed before
    the first round. ``placeholders`` are the words that stand for what was removed from the input before. ``key``
    hashes the words inside features. Raises UsageError on a value out of range.
    """

    key: bytes = field(repr=False)
    labels: tuple[str, ...] | None = None
    auxiliary: tuple[str, ...] = ()
    learner: str = "crf"
    loss_ratio: float = 10.0
    max_rounds: int = 5
    decoding: Literal["viterbi", "cost"] = "viterbi"
    publish_budget: float | None = None
    counts: Literal["oof", "train"] = "oof"
    folds: int = 3
    min_train_remaining: int = 1000
    seed: int = 0
    features: str = "rich"
    background: tuple[str, ...] = ()
    tagger: str = ""
    iterations: int = 100
    placeholders: tuple[str, ...] = ()
    patterns: PatternDetector = NO_PATTERNS
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)

    def __post_init__(self) -> None:
        """Check every value and report all errors at once."""
        budget = self.publish_budget
        checks = (
            (self.learner in learner_choices(), f"learner: expected one of {', '.join(learner_choices())}"),
            (self.loss_ratio > 0, "loss-ratio: expected a number above 0"),
            (self.max_rounds >= 1, "max-rounds: expected an integer >= 1"),
            (self.decoding in ("viterbi", "cost"), "decoding: expected viterbi or cost"),
            (self.counts in ("oof", "train"), "counts: expected oof or train"),
            (budget is None or 0 < budget < 1, "publish-budget: expected more than 0, less than 1"),
            (budget is None or self.decoding == "cost", "publish-budget: needs decoding cost, not viterbi"),
            (not set(self.auxiliary) & set(self.labels or ()), "auxiliary: expected labels that are not removed"),
            (not self.auxiliary or self.labels is not None, "auxiliary: name the labels that are removed as well"),
            (self.folds >= 2, "folds: expected an integer >= 2"),
            (self.min_train_remaining >= 0, "min-train-remaining: expected an integer >= 0"),
            (self.features in feature_sets(), f"features: expected one of {', '.join(feature_sets())}"),
            (self.iterations >= 1, "iterations: expected an integer >= 1"),
            (self.workers >= 1, "workers: expected an integer >= 1"),
            (self.labels is None or bool(self.labels), "labels: expected at least one label"),
            (all(word.strip() for word in self.placeholders), "placeholders: expected words such as '[NAME]'"),
        )
        errors = [message for holds, message in checks if not holds]
        if errors:
            raise UsageError("\n".join(errors))
