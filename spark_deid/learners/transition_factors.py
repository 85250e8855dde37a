"""Exponentials of transitions, as a base that all pairs of tags share and what some pairs have beyond it."""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.text.kernels.vectors import pad_to_eight

LEAST = -4.0
"""Where no transition weighs less, sums of what is beyond a base of 1 lose next to nothing to rounding."""


class FactorPairs(NamedTuple):
    """Pairs of tags: factors of ``sources`` times ``excess`` are added at ``targets``.

    No target comes again soon, so that no addition waits for the one before.
    """

    sources: Int64s
    targets: Int64s
    excess: Float64s


class TransitionFactors(NamedTuple):
    """``exp(transitions[i, j])`` is ``base`` plus an excess.

    Of one tag, the ``hub``, which has the most pairs, the excess after it is ``leaving[j]`` and that before it
    ``entering[i]``, padded with zeros to whole vectors; its pair with itself counts in ``leaving``. The other pairs are
    listed for sums over the tags before (``forward``) and after (``backward``).
    """

    size: int
    base: float
    hub: int
    leaving: Float64s
    entering: Float64s
    forward: FactorPairs
    backward: FactorPairs


def transition_factors(transitions: Float64s) -> TransitionFactors:
    """Split the exponentials of transitions, ``[tag before, tag after]``.

    A learner weighs the pairs of tags that it has seen, and all others 0: these are left to the base.
    """
    size = len(transitions)
    base = 1.0 if transitions.min(initial=0.0) >= LEAST else 0.0
    excess = np.expm1(transitions) if base else np.exp(transitions)
    hub = int((np.count_nonzero(excess, 0) + np.count_nonzero(excess, 1)).argmax())
    leaving, entering = np.zeros(pad_to_eight(size)), np.zeros(pad_to_eight(size))
    leaving[:size], entering[:size] = excess[hub], excess[:, hub]
    entering[hub] = 0.0
    others = excess.copy()
    others[hub] = others[:, hub] = 0.0
    return TransitionFactors(size, base, hub, leaving, entering, _pairs(others), _pairs(others.T))


def _pairs(excess: Float64s) -> FactorPairs:
    sources, targets = np.nonzero(excess)
    by_target = np.argsort(targets, kind="stable")
    first_of_target = np.searchsorted(targets[by_target], targets[by_target])
    order = by_target[np.argsort(np.arange(len(targets)) - first_of_target, kind="stable")]
    return FactorPairs(sources[order], targets[order], excess[sources, targets][order])
