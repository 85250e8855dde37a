"""Search a text for many short strings at once: the automaton of Aho and Corasick (1975)."""

from spark_deid.core.numerics.arrays import Int16s, Int32s, UInt8s
from spark_deid.core.numerics.compilation import compiled


@compiled
def find_cue_ends(codes: UInt8s, classes: UInt8s, steps: Int16s, is_end: UInt8s, places: Int32s, states: Int16s) -> int:
    """Write the place of the last character of each cue, and the state there; return the number of both.

    ``codes`` are characters of a text, and ``classes`` the column of ``steps`` by character. ``steps`` has the next
    state by state and column. Failure links are already in it, so each character costs one look-up. In a state with
    ``is_end`` at least one cue ends.
    """
    count = 0
    state = 0
    for place in range(len(codes)):
        # `steps` has all states in one table of 16-bit numbers, which fits in the processor's cache.
        state = steps[state, classes[codes[place]]]
        if is_end[state]:
            places[count] = place
            states[count] = state
            count += 1
    return count
