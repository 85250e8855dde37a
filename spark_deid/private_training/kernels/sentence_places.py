"""Places of sentences in an order that a key draws."""

import numpy as np

from spark_deid.core.numerics.arrays import Int64s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.text.kernels.hashing import hash_keyed


@compiled
def draw_places(before: Int64s, keys: UInt64s, places: UInt64s) -> None:
    """Draw 128 bits for each sentence: of its number in its document, by the document's keys, a row of four."""
    number = np.zeros(1, np.uint32)
    for document in range(len(keys)):
        for i in range(before[document], before[document + 1]):
            number[0] = i - before[document]
            places[i, 0] = hash_keyed(number, 0, 1, keys[document, 0], keys[document, 1])
            places[i, 1] = hash_keyed(number, 0, 1, keys[document, 2], keys[document, 3])
