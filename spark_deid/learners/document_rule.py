"""What is a name in one place of a document is one in its others.

A capitalised form that is surely found somewhere gets at least half of that probability everywhere in the document,
unless its lower-case form occurs there as well: then it is also an ordinary word.
"""

from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Float64s, Int64s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.characters import LOWER, UPPER
from spark_deid.text.kernels.hashing import hash_public, salt
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.tokenizer import ViewTokens

U = np.uint64
SEED = salt("document rule")
SURE, SHARE = 0.7, 0.5
"""From which probability on a form spreads, and how much of it the form's other places get."""

Chances = Float64s


class RuleProbabilities(NamedTuple):
    """Probabilities after the rule, and for each token the one that its probability came from, else itself."""

    chances: Chances
    origins: Int64s


def apply_rule(tokens: ViewTokens, chances: Chances) -> RuleProbabilities:
    """Apply the rule to each token's probability of being sensitive; ``chances`` remains as it is."""
    arrays = tokens.arrays
    after, origins = chances.copy(), np.arange(len(chances))
    if len(chances) and chances.max() >= SURE:
        _spread(tokens.codes, tokens.lower, arrays, after, origins)
    return RuleProbabilities(after, origins)


@compiled
def _slot(keys: UInt64s, key: np.uint64) -> np.uint64:
    """Return the slot of a key in an open-addressing table, or the free one where it belongs."""
    mask = U(len(keys) - 1)
    slot = key & mask
    while keys[slot] != U(0) and keys[slot] != key:
        slot = (slot + U(1)) & mask
    return U(slot)


@compiled
def _spread(
    codes: UInt32s,
    lower: UInt32s,
    arrays: TokenArrays,
    chances: Chances,
    origins: Int64s,
) -> None:
    starts, ends = arrays.starts, arrays.ends
    n = len(starts)
    forms, small = np.empty(n, np.bool_), np.empty(n, np.bool_)
    for t in range(n):
        is_word = arrays.merged[t] == 0
        forms[t] = is_word and arrays.kinds[t] == UPPER and ends[t] - starts[t] > 1
        small[t] = is_word and arrays.kinds[t] == LOWER
    # An open-addressing table of at most half its slots: `keys` has hashes of
    # forms, `best` the likeliest token of a form.
    size = 4
    while size < 2 * n:
        size *= 2
    keys = np.zeros(size, np.uint64)
    best = np.full(size, -1, np.int64)
    ordinary = np.zeros(size, np.bool_)
    any_sure = False
    for t in range(n):
        if forms[t] or small[t]:
            slot = _slot(keys, hash_public(codes, starts[t], ends[t], SEED))
            keys[slot] = hash_public(codes, starts[t], ends[t], SEED)
            if small[t]:
                ordinary[slot] = True
            elif best[slot] < 0 or chances[t] > chances[best[slot]]:
                best[slot] = t
                any_sure = any_sure or chances[t] >= SURE
    if not any_sure:
        return
    # Probabilities before the rule: otherwise a spread probability could spread again.
    given = chances.copy()
    for t in range(n):
        if forms[t]:
            origin = best[_slot(keys, hash_public(codes, starts[t], ends[t], SEED))]
            if given[origin] < SURE or SHARE * given[origin] <= given[t]:
                continue
            key = hash_public(lower, starts[t], ends[t], SEED)
            slot = _slot(keys, key)
            if not (keys[slot] == key and ordinary[slot]):
                chances[t] = SHARE * given[origin]
                origins[t] = origin
