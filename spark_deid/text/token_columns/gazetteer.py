"""Facts of gazetteers about the word: name, place, dictionary word, how usual it is in lowercase."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s, UInt32s, UInt64s
from spark_deid.core.numerics.compilation import Int, compiled, inlined
from spark_deid.text.column_layout import PAD, columns_of
from spark_deid.text.gazetteer import COMMON, GIVEN, LARGE, LEMMA, PLACE, SEED, SHARE, SMALL, SURNAME
from spark_deid.text.kernels.characters import PLACEHOLDER, UPPER
from spark_deid.text.kernels.hashing import hash_public
from spark_deid.text.kernels.token_arrays import TokenArrays
from spark_deid.text.kernels.tokens import LINE_BREAK, is_letter

U = np.uint64
GAZETTEER_COLUMNS = columns_of(
    "gaz gaz.left gaz.right gaz.case gaz.given gaz.surname gaz.place gaz.lemma gaz.common gaz.small gaz.large gaz.share"
)
"""``gaz`` is all lists, case and commonness in one; ``gaz.left`` and ``gaz.right`` are those of the neighbours in the
line. ``gaz.case``: small, capital, all uppercase letters. The others show one fact of a word each."""
KEY, LEFT, RIGHT, CASE, FIRST_FACT = range(5)
FACTS = ((GIVEN, 3), (SURNAME, 1), (PLACE, 1), (LEMMA, 1), (COMMON, 3), (SMALL, 7), (LARGE, 7), (SHARE, 7))
"""First bit and mask of the facts in the order of their columns."""
_SHIFTS = np.array([shift for shift, _ in FACTS], np.uint64)
_MASKS = np.array([mask for _, mask in FACTS], np.uint64)
BORDER, NO_WORD, REMOVED, FIRST_KEY = 1, 2, 3, 4
"""Values of ``gaz`` beyond a line's borders, for what is not a word, for removed pieces; words have higher ones."""


@inlined
def _case(upper: Int, all_upper: Int) -> Int:
    return 2 if all_upper else 1 if upper else 0


@compiled
def bits_of(table: UInt64s, key: np.uint64) -> np.uint64:
    """Return the 16 bits of a word by its hash, 0 for none."""
    mask = U(len(table) - 1)
    slot = (key >> U(16)) & mask
    while table[slot] != U(0):
        # A cell has 48 bits of the hash and 16 bits of facts: one read gets both.
        if (table[slot] ^ key) >> U(16) == U(0):
            return U(table[slot] & U(0xFFFF))
        slot = (slot + U(1)) & mask
    return U(0)


@compiled
def fill_gazetteer(lower: UInt32s, classes: UInt8s, tokens: TokenArrays, table: UInt64s, out: UInt64s) -> None:
    """Fill the columns of gazetteers; every cell beyond the borders of a line is ``BORDER``."""
    n = len(tokens.starts)
    out[:, :] = U(0)
    out[:CASE, :] = U(BORDER)
    for t in range(n):
        p = t + PAD
        if tokens.kinds[t] == PLACEHOLDER:
            out[KEY, p] = U(REMOVED)
        elif tokens.merged[t] or not is_letter(np.int64(tokens.kinds[t])):
            out[KEY, p] = U(NO_WORD)
        else:
            start = np.int64(tokens.starts[t])
            end = np.int64(tokens.ends[t])
            upper = tokens.kinds[t] == UPPER
            all_upper = upper and end - start > 1
            for i in range(start + 1, end):
                all_upper = all_upper and classes[i] == UPPER
            case = U(_case(np.int64(upper), np.int64(all_upper)))
            facts = bits_of(table, hash_public(lower, start, end, SEED))
            lists = facts & U(15)
            common = (facts >> U(COMMON)) & U(3)
            # Lists, case and commonness as digits of one number: every combination is a separate value.
            out[KEY, p] = U(FIRST_KEY) + (lists * U(3) + case) * U(4) + common
            out[CASE, p] = case + U(1)
            for k in range(len(_SHIFTS)):
                out[FIRST_FACT + k, p] = ((facts >> _SHIFTS[k]) & _MASKS[k]) + U(1)
    for t in range(n):
        p = t + PAD
        out[LEFT, p] = out[KEY, p - 1] if tokens.gaps[t] != LINE_BREAK else U(BORDER)
        out[RIGHT, p] = out[KEY, p + 1] if tokens.gaps[t + 1] != LINE_BREAK else U(BORDER)
