"""Decode a linear chain: the best row of tags, and each tag's probability.

Scores are ``[token, tag]``; cells beyond the tags are padding.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled
from spark_deid.core.numerics.exponentials import write_exponentials
from spark_deid.text.kernels.vectors import LANES, dot, largest, pad_to_eight

# What a linear-chain CRF is fitted on, and what a solver finds.


class LabelledSequence(NamedTuple):
    """A sequence to learn from: attributes ``[template, token]`` with 0 for none, and the tag of each token."""

    attributes: UInt64s
    tags: Int32s


class ChainWeights(NamedTuple):
    """The weights of a linear-chain CRF over T tags.

    Attribute ``keys[a]`` gives ``weights[starts[a]:starts[a + 1]]`` to the tags at the same places of ``tags``;
    ``transitions[i, j]`` is the score of tag j after tag i.
    """

    names: tuple[str, ...]
    keys: UInt64s
    starts: Int64s
    tags: UInt8s
    weights: Float64s
    transitions: Float64s


# Exponentials of transitions, as a base that all pairs of tags share and what some pairs have beyond it.


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

    A learner weighs the pairs of tags that it has seen, and all others 0: these remain to the base.
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


Scores = Float64s
SLACK = 1e-6
"""Predecessors this close to the bound are kept, since sums are rounded."""


@compiled
def best_tags(scores: Scores, transitions: Scores, gains: Scores, tags: Int32s) -> None:
    """Write the tags of the highest score (Viterbi); of equal ones the first tag wins, as in CRFsuite.

    ``gains[b, i]`` is the most that tag i can win over tag b by any transition, ``max_j t[i, j] - t[b, j]``: a
    predecessor that even so remains behind the best one is skipped, which changes nothing.
    """
    n = len(scores)
    size = len(transitions)
    now = scores[0, :size].copy()
    best = np.empty(size)
    origin = np.empty(size, np.int32)
    back = np.empty((n, size), np.int32)
    for t in range(1, n):
        top = np.argmax(now)
        limit = now[top] - SLACK
        first = True
        # Tags are tried in order and only a strictly higher score wins, so ties fall as in CRFsuite.
        for i in range(size):
            # `limit` is below the best by SLACK, so rounding never skips a predecessor that could win.
            if now[i] + gains[top, i] < limit:
                continue
            here = now[i]
            if first:
                first = False
                for j in range(size):
                    best[j] = here + transitions[i, j]
                    origin[j] = i
            else:
                for j in range(size):
                    value = here + transitions[i, j]
                    better = value > best[j]
                    best[j] = value if better else best[j]
                    origin[j] = i if better else origin[j]
        for j in range(size):
            back[t, j] = origin[j]
            now[j] = best[j] + scores[t, j]
    tags[n - 1] = np.argmax(now)
    for t in range(n - 1, 0, -1):
        tags[t - 1] = back[t, tags[t]]


@compiled
def _sum_over_tags(
    shares: Float64s, base: float, hub: Int, of_hub: Float64s, to_hub: Float64s, pairs: FactorPairs, out: Float64s
) -> None:
    """Write, for each tag, the sum over the tags on its one side of their shares, which add up to 1, times factors."""
    at_hub = shares[hub]
    for j in range(len(out)):
        out[j] = base + at_hub * of_hub[j]
    out[hub] += dot(shares, 0, to_hub, 0, len(out) // LANES)
    for e in range(len(pairs.excess)):
        out[pairs.targets[e]] += shares[pairs.sources[e]] * pairs.excess[e]


@compiled
def probabilities(scores: Scores, factors: TransitionFactors, out: Scores) -> None:
    """Write each token's probability of each tag, by the scaled forward-backward algorithm.

    ``out`` is contiguous, and its rows are padded to whole vectors; there they get 0. Sums over the tags before or
    after are a base times the sum of all, which is 1, and what some pairs have beyond it: far fewer multiplications.
    """
    size, base, hub, leaving, entering, ahead, behind = factors
    n = len(scores)
    width = len(leaving)
    vectors = width // LANES
    local, forward = np.empty((n, width)), np.empty((n, width))
    doublings, now, sums = np.empty(width), np.ones(width), np.empty(width)
    row = np.full(width, -np.inf)
    for t in range(n):
        for j in range(size):
            row[j] = scores[t, j]
        here, after = local[t], forward[t]
        # Exponentials relative to the largest score of a token cannot overflow, and the scale removes the factor.
        write_exponentials(row, largest(row, 0, vectors), here, doublings)
        if t:
            _sum_over_tags(forward[t - 1], base, hub, leaving, entering, ahead, now)
        scale = 1.0 / dot(now, 0, here, 0, vectors)
        for j in range(width):
            after[j] = now[j] * here[j] * scale
    backward = np.ones(width)
    # The backward pass needs only one row, because each token's result is written as soon as it is known.
    for t in range(n - 1, -1, -1):
        here, after, chances = local[t], forward[t], out[t]
        scale = 1.0 / dot(after, 0, backward, 0, vectors)
        for j in range(width):
            chances[j] = after[j] * backward[j] * scale
        scale = 1.0 / dot(backward, 0, here, 0, vectors)
        for j in range(width):
            sums[j] = backward[j] * here[j] * scale
        _sum_over_tags(sums, base, hub, entering, leaving, behind, backward)


@compiled
def write_marked(found: Scores, is_marked: Float64s, chances: Float64s, likeliest: Int32s) -> None:
    """Write each token's probability of any marked tag, and the likeliest of these; of equal ones the first.

    ``found`` is what ``probabilities`` writes, ``is_marked`` 1 or 0 for each tag, as wide as its rows.
    """
    width = len(is_marked)
    vectors = width // LANES
    wanted = np.empty(width)
    for t in range(len(found)):
        row = found[t]
        for j in range(width):
            wanted[j] = row[j] * is_marked[j]
        chances[t] = dot(wanted, 0, is_marked, 0, vectors)
        best = largest(wanted, 0, vectors)
        tag = 0
        while wanted[tag] < best or is_marked[tag] == 0.0:
            tag += 1
        likeliest[t] = tag
