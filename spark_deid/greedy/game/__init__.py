"""The game of Li, Vorobeychik, Li and Malin: publisher, attacker, and what the paper's theorems say of them.

Instances are tokens. A set of removing classifiers ``H`` has found every sensitive token that one of them found, and
suppressed in vain every other token that one of them took for sensitive. Everything here is a pure function of arrays
and counts.
"""

from spark_deid.greedy.game.attacker import (
    Order,
    best_classifier,
    expected_best,
    expected_found,
    prefers_positives,
    simulate_found,
)
from spark_deid.greedy.game.bounds import (
    Bound,
    Condition,
    lemma_3,
    theorem_3,
    theorem_4,
)
from spark_deid.greedy.game.counts import NO_COUNTS, Counts, Flags, Offsets, count, touched
from spark_deid.greedy.game.publisher import is_stop, publisher_loss
from spark_deid.greedy.game.sampling import Rates, deviation, lemma_4, measured_rates, theorem_5, theorem_6

__all__ = [
    "NO_COUNTS",
    "Bound",
    "Condition",
    "Counts",
    "Flags",
    "Offsets",
    "Order",
    "Rates",
    "best_classifier",
    "count",
    "deviation",
    "expected_best",
    "expected_found",
    "is_stop",
    "lemma_3",
    "lemma_4",
    "measured_rates",
    "prefers_positives",
    "publisher_loss",
    "simulate_found",
    "theorem_3",
    "theorem_4",
    "theorem_5",
    "theorem_6",
    "touched",
]
