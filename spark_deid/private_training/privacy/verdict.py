"""The guarantee of a representation: nobody who tries tells more of it than by guessing."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s

# How often an attacker is right, with an interval that is resampled by document.


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


MARGIN = 0.05
STRONG = 0.9
"""What an adversary must reach on embeddings themselves, else its failure says nothing."""
LEAST_TRIES = 200
"""Fewer pairs than these can't show it."""
ASSESSMENT = "representation-unreadable"


class PrivacyVerdict(NamedTuple):
    """Every attack's accuracy, the adversary's on raw embeddings, and the reasons why nothing may be exported."""

    attacks: tuple[AttackAccuracy, ...]
    controls: tuple[AttackAccuracy, ...]
    reasons: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Tell whether the representation may be exported."""
        return not self.reasons

    @property
    def worst(self) -> AttackAccuracy:
        """Return the attack whose interval reaches furthest above a guess."""
        return max(self.attacks, key=lambda each: each.high - each.chance)

    def to_json(self) -> dict[str, object]:
        """Return all figures."""
        return {
            "guarantee": ASSESSMENT,
            "holds": self.holds,
            "margin": MARGIN,
            "attacks": [each.to_json() for each in self.attacks],
            "controls": [each.to_json() for each in self.controls],
            "reasons": list(self.reasons),
        }


def judge(
    attacks: Sequence[AttackAccuracy], controls: Sequence[AttackAccuracy], two_sided: Sequence[str]
) -> PrivacyVerdict:
    """Judge attacks: each interval's upper end is at most chance + 0.05, and every control is right at 90% at least.

    Of the attacks in ``two_sided`` the lower end is at least chance - 0.05, too: who is wrong more often than a guess
    is right when turned round. Without attacks or controls, or with too few tries, the guarantee does not hold.
    """
    reasons = []
    if not attacks:
        reasons.append("no attack was carried out")
    if not controls:
        reasons.append("adversary too weak: it was not tried on embeddings")
    for each in controls:
        if not each.accuracy >= STRONG:
            reasons.append(
                f"adversary too weak: {each.attack} of seed {each.seed} is right about embeddings themselves in "
                f"{each.accuracy:.1%}, expected {STRONG:.0%}"
            )
    for each in attacks:
        place = f"{each.attack} of seed {each.seed}"
        if each.tries < LEAST_TRIES:
            reasons.append(f"{place}: {each.tries} tries, expected {LEAST_TRIES} at least")
        if not each.high <= each.chance + MARGIN:
            reasons.append(f"{place} is right in up to {each.high:.1%}, expected {each.chance + MARGIN:.1%} at most")
        if each.attack in two_sided and not each.low >= each.chance - MARGIN:
            reasons.append(f"{place} is right in no more than {each.low:.1%}, expected {each.chance - MARGIN:.1%}")
    return PrivacyVerdict(tuple(attacks), tuple(controls), tuple(reasons))
