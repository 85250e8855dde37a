"""The paper's Theorems 2, 3 and 4 and Lemma 3, each with the conditions under which it holds.

They are of attackers of the publisher's own hypothesis space, and of a release that is a local optimum for them. It is
counted on the release whether it is: that training ended at one does not carry over to other text.

``n`` instances of which a fraction ``alpha`` is sensitive: the paper's ``(1 - alpha) n`` is the number of instances
that are not, and given as such. Where a printed bound states less than arithmetic does (a ratio below 1 that can't be
below 1, more hits than there are sensitive instances), the arithmetic stands and the bound is called vacuous.
"""

from typing import NamedTuple

from spark_deid.greedy.game.attacker import prefers_positives
from spark_deid.greedy.game.counts import ConfusionCounts, exact_ratio, is_stop


class BoundCondition(NamedTuple):
    """What a bound rests on, and whether it holds here."""

    statement: str
    holds: bool


class GameBound(NamedTuple):
    """A bound of a quantity: at most ``value``, or at least, where ``is_lower``.

    It is vacuous where it says nothing beyond arithmetic. It says nothing at all where a condition fails.
    """

    theorem: str
    quantity: str
    value: float
    is_lower: bool
    is_vacuous: bool
    conditions: tuple[BoundCondition, ...]

    @property
    def applies(self) -> bool:
        """Whether every condition holds."""
        return all(condition.holds for condition in self.conditions)


def theorem_2(attacker: ConfusionCounts, loss_ratio: float) -> bool:
    """Return whether what is published is a local optimum for an attacker: he finds nothing, or ``FP / TP >= L/C``."""
    return is_stop(attacker.true_positives, attacker.false_positives, loss_ratio)


def at_optimum(attacker: ConfusionCounts, loss_ratio: float, *, same_space: bool) -> tuple[BoundCondition, ...]:
    """Return what the theorems of the attacker's classifier rest on."""
    return (
        same_hypotheses(same_space),
        BoundCondition("counted here, a local optimum for this attacker (Theorem 2)", theorem_2(attacker, loss_ratio)),
    )


def same_hypotheses(holds: bool) -> BoundCondition:
    """Return the condition that an attacker learns what the publisher could have learned."""
    return BoundCondition("the attacker is of the publisher's hypothesis space", holds)


def theorem_3(attacker: ConfusionCounts, insensitive: int, loss_ratio: float, *, same_space: bool) -> GameBound:
    """Bound the attacker's true positives by ``(C/L) (1 - alpha) n``, and by what remains to find.

    Hits are integers: where ``L/C > (1 - alpha) n`` no local optimum leaves any (the remark to Theorem 2).
    """
    printed = int(insensitive / exact_ratio(loss_ratio))
    return GameBound(
        "Theorem 3",
        "true positives of the attacker",
        float(min(printed, attacker.sensitive)),
        False,
        printed >= attacker.sensitive > 0,
        at_optimum(attacker, loss_ratio, same_space=same_space),
    )


def lemma_3(attacker: ConfusionCounts, budget: int) -> GameBound:
    """Bound what a classifier gains over a uniform search, ``U* / U``, from its own cells.

    ``1 + (TP TN - FP FN) / ((TP + FP) (TP + FN))``. Without positives, or with nothing left to find, it gains nothing.
    """
    tp, fp, fn, tn = attacker
    product = attacker.positives * attacker.sensitive
    value = 1.0 + (tp * tn - fp * fn) / product if product else 1.0
    return GameBound(
        "Lemma 3", "gain over a uniform search", max(1.0, value), False, not product, _gain(attacker, budget)
    )


def theorem_4(
    attacker: ConfusionCounts, budget: int, insensitive: int, loss_ratio: float, *, same_space: bool
) -> GameBound:
    """Bound the gain over a uniform search by ``((1 - alpha) n + 1) / (1 + L/C)``, but never below 1.

    Above ``L/C = (1 - alpha) n`` the printed bound falls below 1, which Lemma 2 rules out. There a local optimum has
    ``TP = 0``, and with it no classifier to gain by.
    """
    printed = float((insensitive + 1) / (1 + exact_ratio(loss_ratio)))
    finds = BoundCondition("the classifier finds something", attacker.true_positives > 0)
    conditions = (*at_optimum(attacker, loss_ratio, same_space=same_space), *_gain(attacker, budget), finds)
    return GameBound("Theorem 4", "gain over a uniform search", max(1.0, printed), False, printed < 1, conditions)


def _gain(attacker: ConfusionCounts, budget: int) -> tuple[BoundCondition, ...]:
    return (
        BoundCondition("the budget covers every predicted positive", budget >= attacker.positives),
        BoundCondition("positives are at least as rich as chance (Lemma 2)", prefers_positives(attacker)),
    )
