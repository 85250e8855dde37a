"""How often an attacker is right, with an interval that is resampled by document."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s

RESAMPLES = 2_000
CONFIDENCE = 0.95


class AttackAccuracy(NamedTuple):
    """The share of tries that were right, and the ends of its 95% interval; ``chance`` is the share of a guess."""

    attack: str
    seed: int
    tries: int
    chance: float
    accuracy: float
    low: float
    high: float

    def to_json(self) -> dict[str, object]:
        """Return the fields, numbers to four decimals."""
        return {name: round(each, 4) if isinstance(each, float) else each for name, each in self._asdict().items()}


def bootstrap_interval(right: Bools | Float64s, documents: Int64s, seed: int) -> tuple[float, float]:
    """Return the 95% interval of a mean, its documents drawn again with replacement 2,000 times."""
    numbers, places = np.unique(documents, return_inverse=True)
    sums = np.bincount(places, np.asarray(right, np.float64), minlength=len(numbers))
    counts = np.bincount(places, minlength=len(numbers))
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(numbers), np.full(len(numbers), 1 / len(numbers)), RESAMPLES)
    means = (drawn @ sums) / np.maximum(drawn @ counts, 1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def exact_interval(right: int, tries: int) -> tuple[float, float]:
    """Return Clopper and Pearson's 95% interval of a share."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if right == 0 else float(beta.ppf(tail, right, tries - right + 1))
    high = 1.0 if right == tries else float(beta.ppf(1 - tail, right + 1, tries - right))
    return low, high


def accuracy_of(
    attack: str, seed: int, chance: float, right: Sequence[bool] | Bools, documents: Sequence[int] | Int64s
) -> AttackAccuracy:
    """Return how often an attack was right; the interval is the wider of both at either end.

    Resampling alone says too little where nearly all tries fail: of none that was right it makes no width at all.
    """
    result = np.asarray(right, np.bool_)
    drawn = bootstrap_interval(result, np.asarray(documents, np.int64), seed)
    counted = exact_interval(int(result.sum()), len(result))
    ends = min(drawn[0], counted[0]), max(drawn[1], counted[1])
    return AttackAccuracy(attack, seed, len(result), chance, float(result.mean()), *ends)
