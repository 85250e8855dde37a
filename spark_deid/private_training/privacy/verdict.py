"""The guarantee of a representation: nobody who tries tells more of it than by guessing."""

from collections.abc import Sequence
from typing import NamedTuple

from spark_deid.private_training.privacy.intervals import AttackAccuracy

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
