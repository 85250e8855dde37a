"""From bytes to characters."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s, UInt16s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.repeats.kernels.marks import EXCLUDED, EXCLUDED_CHARACTER, HIDDEN_CHARACTER, begins_character, is_mark


@compiled
def character_bounds(text: UInt8s, bounds: Int64s) -> Int64s:
    """Return the bounds of the documents in characters; each one's end counts as a character."""
    counted = np.zeros(len(bounds), np.int64)
    total = 0
    for document in range(len(bounds) - 1):
        for place in range(bounds[document], bounds[document + 1]):
            total += begins_character(text[place])
        counted[document + 1] = total
    return counted


@compiled
def in_characters(text: UInt8s, extensions: UInt16s, total: int) -> UInt16s:
    """Return extension lengths by character and in characters, and above MAX_LENGTH where there is no text.

    A length that ends inside a character ends before it. Since UTF-8 orders strings as their code points do and no
    character's bytes are in another's, that is the length which counting characters gives. What a suffix reaches to
    never moves back from one position to the next, so one pass with two pointers does.
    """
    lengths = np.empty(total, np.uint16)
    reached = np.int64(0)
    inside = np.int64(0)
    character = np.int64(0)
    for place in range(len(extensions)):
        if not begins_character(text[place]):
            continue
        # Marks have no length: the two reserved values distinguish excluded from hidden characters.
        if is_mark(text[place]):
            lengths[character] = EXCLUDED_CHARACTER if text[place] == EXCLUDED else HIDDEN_CHARACTER
        else:
            # `reached` and `inside` are the end of the longest suffix so far, in bytes and in characters.
            end = place + np.int64(extensions[place])
            if reached < place:
                reached = np.int64(place)
                inside = character
            while reached < end:
                reached += 1
                inside += begins_character(text[reached])
            lengths[character] = inside - character
        character += 1
    return lengths


@compiled
def count_classes(lengths: UInt16s, bounds: Int64s, documents: Int64s, class_of: Int64s, classes: int) -> Int64s:
    """Count the characters of some documents by the class of their length, one row per document; no text is in none."""
    counts = np.zeros((len(documents), classes), np.int64)
    for row in range(len(documents)):
        for character in range(bounds[documents[row]], bounds[documents[row] + 1] - 1):
            if lengths[character] < len(class_of):
                counts[row, class_of[lengths[character]]] += 1
    return counts


# From a flag for each character to runs of characters.


@compiled
def runs_of(hidden: Bools, bounds: Int64s) -> tuple[Int64s, Int32s, Int32s]:
    """Return the runs of hidden characters: the number before each document, starts, and ends, from its begin on."""
    total = 0
    for i in range(len(hidden)):
        total += hidden[i] and (i == 0 or not hidden[i - 1])
    starts, ends = np.empty(total, np.int32), np.empty(total, np.int32)
    before = np.zeros(len(bounds), np.int64)
    count = 0
    for document in range(len(bounds) - 1):
        begin, end = bounds[document], bounds[document + 1]
        for i in range(begin, end):
            # A run never crosses documents: each begins and ends runs at its borders.
            if hidden[i] and (i == begin or not hidden[i - 1]):
                starts[count] = i - begin
            if hidden[i] and (i + 1 == end or not hidden[i + 1]):
                ends[count] = i + 1 - begin
                count += 1
        before[document + 1] = count
    return before, starts, ends
