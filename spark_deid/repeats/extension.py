"""Extension lengths of a whole corpus in one suffix array."""

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.kernels.characters import in_characters
from spark_deid.repeats.kernels.extension import extensions, followed_by_occurrences, followed_by_units
from spark_deid.repeats.kernels.layout import count_marks, fill_units
from spark_deid.repeats.kernels.prefixes import shared_prefixes, shared_prefixes_and_units
from spark_deid.repeats.settings import Unit
from spark_deid.repeats.suffixes import suffix_array
from spark_deid.repeats.text import LaidOut


def extension_lengths(text: LaidOut, *, k: int, unit: Unit, cap: int) -> NDArray[np.uint16]:
    """Return for every byte how far the text can be followed, up to ``cap`` bytes, before fewer than k share it.

    The substring that begins at byte i is found in at least k units, inside documents and clear of what stands apart,
    up to the i-th length and no further. Linear in time; takes about 19 bytes a byte of text.
    """
    suffixes = suffix_array(text.data[: text.size])
    # Marks sort behind all text.
    suffixes = suffixes[: len(suffixes) - count_marks(text.data, text.size)]
    if unit is Unit.OCCURRENCE:
        shared = shared_prefixes(text.data, suffixes, cap)
        lengths = followed_by_occurrences(shared, k, cap)
    else:
        unit_of = np.empty(text.size, np.int32)
        fill_units(unit_of, text.bounds, text.units)
        shared, units = shared_prefixes_and_units(text.data, suffixes, unit_of, cap)
        lengths = followed_by_units(shared, units, k, int(text.units.max(initial=0)) + 1, cap)
    return extensions(lengths, shared, suffixes, text.size)


def character_lengths(text: LaidOut, extensions: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Return extension lengths by character and in characters; above kernels.marks.LONGEST where there is no text."""
    return in_characters(text.data, extensions, int(text.characters[-1]))
