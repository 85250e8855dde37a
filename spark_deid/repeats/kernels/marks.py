"""Bytes that UTF-8 never has, and what they mark in a laid-out corpus.

Every mark ends the text before it, as the end of a document does: nothing repeats across it. Marks sort after all
text, so a sorted list of suffixes has those that begin with one at its end.
"""

import numpy as np

from spark_deid.core.numerics.compilation import inlined

HIDDEN = 0xFD
"""First byte of a character that is hidden already."""
CONTINUED = 0xFE
"""A further byte of a character that is hidden or excluded."""
EXCLUDED = 0xFF
"""First byte of a character that is not text, such as a placeholder's, and the end of every document."""

EXCLUDED_CHARACTER = 0xFFFF
"""Value instead of a length where no text is."""
HIDDEN_CHARACTER = 0xFFFE
"""Value instead of a length where the character is already hidden."""
MAX_LENGTH = HIDDEN_CHARACTER - 1
"""The longest length that fits beside these two."""


@inlined
def is_mark(byte: np.uint8) -> bool:
    """Return whether a byte is one of the marks."""
    return bool(byte >= HIDDEN)


@inlined
def begins_character(byte: np.uint8) -> bool:
    """Return whether a byte is the first of a character; marks begin one as the bytes did in whose place they are."""
    # The mask tests for 10xxxxxx, which every further byte of UTF-8 has. CONTINUED would pass it, so it is named.
    return bool((byte & 0xC0) != 0x80 and byte != CONTINUED)
