"""What the paper's finite-sample results bound (section 4.2, appendices A to C), with measured rates.

The publisher's last classifier, counted on the training data that remains, is in for the attacker's. How far the
two may differ is ``deviation``, and four rates tie errors to hits. The paper's ``N_A`` is undefined; its proofs use
the number of instances left, which represents it here. All of it is reckoned in fractions, so that no bound is a hit
short by rounding.
"""

import math
from fractions import Fraction
from typing import NamedTuple

from spark_deid.greedy.game.attacker import prefers_positives
from spark_deid.greedy.game.bounds import BoundCondition, GameBound, same_hypotheses
from spark_deid.greedy.game.counts import ConfusionCounts, exact_ratio, is_stop

Exact = Fraction | float
"""A fraction; a float where it is infinite."""

DEVIATION_CONSTANT = 41.0
"""The constant of the error bound, as printed."""


class SamplingRates(NamedTuple):
    """The paper's p, q, s, r: ``FP^ <= p FN^``, ``TP^ >= q m``, ``FP >= s FN``, ``TP <= r m``, each as tight as can be.

    With a hat are the publisher's stand-in's counts, without the attacker's. A ratio to nothing is infinite.
    """

    p: float
    q: float
    s: float
    r: float


def measured_rates(stand_in: ConfusionCounts, attacker: ConfusionCounts) -> SamplingRates:
    """Return the rates at which the four assumptions hold with equality."""
    return SamplingRates(
        p=_ratio(stand_in.false_positives, stand_in.false_negatives),
        q=stand_in.true_positives / max(1, sum(stand_in)),
        s=_ratio(attacker.false_positives, attacker.false_negatives),
        r=attacker.true_positives / max(1, sum(attacker)),
    )


def deviation(instances: int, dimension: float, delta: float) -> float:
    """Return ``lambda``: how far error on ``instances`` may be below the true error, but with probability ``delta``.

    ``sqrt(41/m (v ln(2 e m / v) + ln(4 / delta)))`` for a hypothesis class of VC dimension ``v`` > 1. Of a CRF it is
    unknown: state one, or use a difference measured on held-out data and state it. Infinite without instances.
    """
    if instances <= 0:
        return math.inf
    spread = dimension * math.log(2 * math.e * instances / dimension) + math.log(4 / delta)
    return math.sqrt(DEVIATION_CONSTANT / instances * max(0.0, spread))


def measured_deviation(stand_in: ConfusionCounts, attacker: ConfusionCounts) -> Fraction:
    """Return by how much the stand-in's error rate exceeds the attacker's: the least lambda that can be; 0 or more."""
    distance = Fraction(stand_in.errors, max(1, sum(stand_in))) - Fraction(attacker.errors, max(1, sum(attacker)))
    return max(Fraction(0), distance)


def lemma_4(
    stand_in: ConfusionCounts, attacker: ConfusionCounts, loss_ratio: float, apart: Exact, *, same_space: bool
) -> GameBound:
    """Bound ``FP / TP`` of the attacker from below; ``apart`` is lambda, or the measured difference in its place.

    ``((1 + 1/p) q L/C - lambda) / (r (1 + 1/s))``; 0, and vacuous, where lambda exceeds the rest.
    """
    margin, burden = _margin(stand_in, loss_ratio, apart), _burden(attacker)
    value = math.inf if burden == 0 else 0.0 if burden == math.inf else float(max(Fraction(0), margin) / burden)
    conditions = _conditions(stand_in, attacker, loss_ratio, apart, same_space)
    return GameBound(
        "Lemma 4", "false positives per true positive of the attacker", value, True, value <= 0, conditions
    )


def theorem_5(
    stand_in: ConfusionCounts,
    attacker: ConfusionCounts,
    insensitive: int,
    loss_ratio: float,
    apart: Exact,
    *,
    same_space: bool,
) -> GameBound:
    """Bound the attacker's true positives by ``r (1 + 1/s) (1 - alpha) n / ((1 + 1/p) q L/C - lambda)``.

    Hits are integers. No more than what remains to find, which occurs, vacuous, where lambda exceeds the rest.
    """
    margin, burden = _margin(stand_in, loss_ratio, apart), _burden(attacker)
    sensitive = attacker.sensitive
    printed = math.floor(burden * insensitive / margin) if margin > 0 and burden < math.inf else sensitive
    return GameBound(
        "Theorem 5",
        "true positives of the attacker",
        float(min(printed, sensitive)),
        False,
        printed >= sensitive > 0,
        (*_conditions(stand_in, attacker, loss_ratio, apart, same_space), _meaningful(margin)),
    )


def theorem_6(
    stand_in: ConfusionCounts,
    attacker: ConfusionCounts,
    budget: int,
    insensitive: int,
    loss_ratio: float,
    apart: Exact,
    *,
    same_space: bool,
) -> GameBound:
    """Bound the attacker's gain over a uniform search, but never below 1.

    ``((1 - alpha) n + 1) b / (b + (1 + 1/p) q L/C - lambda)`` with ``b = r (1 + 1/s)``.
    """
    margin, burden = _margin(stand_in, loss_ratio, apart), _burden(attacker)
    most = insensitive + 1
    printed = float(most if margin <= 0 or burden == math.inf else most * burden / (burden + margin))
    conditions = (
        *_conditions(stand_in, attacker, loss_ratio, apart, same_space),
        _meaningful(margin),
        BoundCondition("the budget covers every predicted positive", budget >= attacker.positives),
        BoundCondition("positives are at least as rich as chance (Lemma 2)", prefers_positives(attacker)),
        BoundCondition("the attacker's classifier finds something", attacker.true_positives > 0),
    )
    vacuous = printed < 1 or printed >= most
    return GameBound("Theorem 6", "gain over a uniform search", max(1.0, printed), False, vacuous, conditions)


def _margin(stand_in: ConfusionCounts, loss_ratio: float, apart: Exact) -> Exact:
    """Return ``(1 + 1/p) q L/C - lambda``; without hits of the stand-in (q = 0) the first part is nothing."""
    first = _weighed(stand_in) * exact_ratio(loss_ratio)
    return first - Fraction(apart) if apart < math.inf and first < math.inf else first - float(apart)


def _burden(attacker: ConfusionCounts) -> Exact:
    """Return ``r (1 + 1/s)``: 0 for an attacker without hits."""
    return _weighed(attacker)


def _weighed(counts: ConfusionCounts) -> Exact:
    """Return the hits' fraction of the instances, times one and the misses to a false positive."""
    hits, wasted, missed, _ = counts
    if not hits or not missed:
        return Fraction(hits, max(1, sum(counts)))
    return Fraction(hits, sum(counts)) * (1 + Fraction(missed, wasted)) if wasted else math.inf


def _conditions(
    stand_in: ConfusionCounts, attacker: ConfusionCounts, loss_ratio: float, apart: Exact, same_space: bool
) -> tuple[BoundCondition, ...]:
    stops = is_stop(stand_in.true_positives, stand_in.false_positives, loss_ratio)
    return (
        same_hypotheses(same_space),
        BoundCondition("the stop test ended the loop (a local optimum in training)", stops),
        BoundCondition("the simulated attacker found an identifier", stand_in.true_positives >= 1),
        BoundCondition("the error rates differ by lambda at most", measured_deviation(stand_in, attacker) <= apart),
    )


def _meaningful(margin: Exact) -> BoundCondition:
    return BoundCondition("enough labelled text remains: lambda <= (1 + 1/p) q L/C", margin > 0)


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else math.inf
