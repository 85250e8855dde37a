"""Weights in one hash table, and the sums of those a token's attributes have."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.learners.crfsuite import Weights
from spark_deid.text.kernels.compilation import compiled
from spark_deid.text.kernels.prefetching import prefetch

U = np.uint64
LOAD = 0.6
MANY = 255
MAX_TAGS = 250
BLOCK = 64
"""Tokens scored together, so that their rows of scores stay in the nearest cache."""


class WeightTable(NamedTuple):
    """Open addressing with linear probing, home ``(hash >> 8) & mask``; two words a slot.

    Word 0 has the upper 56 bits of the hash and a code: a tag whose weight is word 1, or ``MANY``; then word 1 is the
    row's first weight times 256 plus the number of weights. Word 0 is 0 in a free slot.
    """

    slots: NDArray[np.uint64]
    row_tags: NDArray[np.uint8]
    row_weights: NDArray[np.float64]


@compiled
def _insert(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    tags: NDArray[np.uint8],
    weights: NDArray[np.float64],
    slots: NDArray[np.uint64],
    inline: NDArray[np.float64],
) -> None:
    mask = U(len(slots) // 2 - 1)
    for a in range(len(keys)):
        many = starts[a + 1] - starts[a]
        if many == 0:
            continue
        slot = (keys[a] >> U(8)) & mask
        while slots[U(2) * slot] != U(0):
            slot = (slot + U(1)) & mask
        upper = keys[a] & ~U(255)
        if many == 1:
            slots[U(2) * slot] = upper | U(tags[starts[a]])
            inline[U(2) * slot + U(1)] = weights[starts[a]]
        else:
            slots[U(2) * slot] = upper | U(MANY)
            slots[U(2) * slot + U(1)] = (U(starts[a]) << U(8)) | U(many)


def build_weight_table(weights: Weights) -> WeightTable:
    """Put weights into a table."""
    size = 16
    while size * LOAD < len(weights.keys):
        size *= 2
    slots = np.zeros(2 * size, np.uint64)
    _insert(weights.keys, weights.starts, weights.tags, weights.weights, slots, slots.view(np.float64))
    return WeightTable(slots, weights.tags, weights.weights)


@compiled
def add_scores(
    attributes: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    inline: NDArray[np.float64],
    row_tags: NDArray[np.uint8],
    row_weights: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> None:
    """Add to ``scores[token, tag]`` the weights of each token's attributes, in order of templates.

    ``inline`` is ``slots`` as floats. The order makes the sums equal to CRFsuite's to the last bit.
    """
    mask = U(len(slots) // 2 - 1)
    count = attributes.shape[1]
    for begin in range(0, count, BLOCK):
        end = min(count, begin + BLOCK)
        for f in range(attributes.shape[0]):
            if f + 1 < attributes.shape[0]:
                for i in range(begin, end):
                    prefetch(slots, np.int64(U(2) * ((attributes[f + 1, i] >> U(8)) & mask)))
            before = U(0)
            code = U(MANY)
            value = U(0)
            weight = 0.0
            for i in range(begin, end):
                h = attributes[f, i]
                if h == U(0):
                    continue
                if h != before:
                    before = h
                    code = U(MANY)
                    value = U(0)
                    slot = (h >> U(8)) & mask
                    while slots[U(2) * slot] != U(0):
                        key = slots[U(2) * slot]
                        if (key ^ h) >> U(8) == U(0):
                            code = key & U(255)
                            value = slots[U(2) * slot + U(1)]
                            weight = inline[U(2) * slot + U(1)]
                            break
                        slot = (slot + U(1)) & mask
                if code != U(MANY):
                    scores[i, code] += weight
                else:
                    first = value >> U(8)
                    for k in range(first, first + (value & U(255))):
                        scores[i, row_tags[k]] += row_weights[k]
