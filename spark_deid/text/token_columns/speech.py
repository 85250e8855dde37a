"""The part of speech of a token, as a tagger has it."""

import numpy as np

from spark_deid.core.numerics.arrays import UInt64s
from spark_deid.text.column_layout import PAD, columns_of

SPEECH_COLUMNS = columns_of("pos")
"""Hashes of the tagger's tags, which name no words."""
SPEECH_TEMPLATES = ("pos", "pos[-2]", "pos[-1]", "pos[+1]", "pos[-1] pos", "pos pos[+1]", "pos short", "pos suffix3")


def fill_speech(tags: UInt64s) -> UInt64s:
    """Return the columns of a window, ``PAD`` cells before and after; ``tags`` has the hash of each token's tag."""
    table = np.zeros((1, len(tags) + 2 * PAD), np.uint64)
    table[0, PAD : PAD + len(tags)] = tags
    return table
