"""Sums over the leaves below each concept, every leaf once however many paths lead to it."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s
from spark_deid.core.numerics.compilation import Int, compiled


@compiled
def are_leaves(starts: Int32s, hypernyms: Int32s) -> Bools:
    """Return for each concept whether nothing is below it."""
    result = np.ones(len(starts) - 1, np.bool_)
    for hypernym in hypernyms:
        result[hypernym] = False
    return result


@compiled
def divided_weights(starts: Int32s, hypernyms: Int32s, volumes: Int64s, weights: Float64s, unseen: float) -> Float64s:
    """Return the weights of leaves: their own, ``unseen``, and of each concept above an equal part of its weight."""
    is_leaf = are_leaves(starts, hypernyms)
    entry, found, seen = np.zeros(len(weights)), *_room(len(weights))
    for leaf in range(len(weights)):
        if not is_leaf[leaf]:
            continue
        # A concept divides its weight equally among its leaves, so each leaf adds a part of every concept above it.
        entry[leaf] = unseen
        for place in range(_ancestry(starts, hypernyms, leaf, found, seen)):
            entry[leaf] += weights[found[place]] / volumes[found[place]]
    return entry


@compiled
def entropies_of_sums(starts: Int32s, hypernyms: Int32s, weights: Float64s) -> Float64s:
    """Return log2 S - (Σ w log2 w) / S of every concept, S the sum of the weights w of its leaves; 0 where S is 0."""
    is_leaf = are_leaves(starts, hypernyms)
    sums, logs, found, seen = np.zeros(len(weights)), np.zeros(len(weights)), *_room(len(weights))
    for leaf in range(len(weights)):
        if not is_leaf[leaf] or weights[leaf] <= 0:
            continue
        log = weights[leaf] * np.log2(weights[leaf])
        for place in range(_ancestry(starts, hypernyms, leaf, found, seen)):
            sums[found[place]] += weights[leaf]
            logs[found[place]] += log
    result = np.zeros(len(weights))
    for concept in range(len(weights)):
        if sums[concept] > 0:
            result[concept] = max(np.log2(sums[concept]) - logs[concept] / sums[concept], 0.0)
    return result


@compiled
def most_likely(starts: Int32s, hypernyms: Int32s, weights: Float64s) -> tuple[Float64s, Float64s]:
    """Return the sum of the weights of each concept's leaves, and the weight of the heaviest of them."""
    is_leaf = are_leaves(starts, hypernyms)
    sums, most, found, seen = np.zeros(len(weights)), np.zeros(len(weights)), *_room(len(weights))
    for leaf in range(len(weights)):
        if not is_leaf[leaf] or weights[leaf] <= 0:
            continue
        for place in range(_ancestry(starts, hypernyms, leaf, found, seen)):
            sums[found[place]] += weights[leaf]
            most[found[place]] = max(most[found[place]], weights[leaf])
    return sums, most


@compiled
def _room(concepts: Int) -> tuple[Int32s, Int32s]:
    return np.empty(concepts, np.int32), np.full(concepts, -1, np.int32)


@compiled
def _ancestry(starts: Int32s, hypernyms: Int32s, concept: Int, found: Int32s, seen: Int32s) -> int:
    """Write a concept and all above it to ``found``, each once, and return their number; ``seen`` remembers by whom."""
    found[0], seen[concept] = concept, concept
    number, at = 1, 0
    while at < number:
        for place in range(starts[found[at]], starts[found[at] + 1]):
            # `seen` has the last leaf that met a concept: no array is cleared between leaves.
            if seen[hypernyms[place]] != concept:
                seen[hypernyms[place]] = concept
                found[number] = hypernyms[place]
                number += 1
        at += 1
    return number
