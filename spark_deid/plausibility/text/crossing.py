"""Whether what is written makes terms with the words beside it that tell of what was generalized."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np

from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.plausibility.text.mentions import TermMatch, find_telling
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.rewriting.rendering import Written, render_edits

_REACH = 24
_WORD_BEFORE = re.compile(r"[^\W\d_]+\.?\s+\Z")


def find_crossing(
    text: str,
    writings: Sequence[Written],
    known: frozenset[int],
    senses: WordSenses,
    context: UInt16s | None,
    written: set[str],
) -> set[int]:
    """Return the starts of the writings that hold, with words beside them or alone, what tells of a known concept.

    So does a title that stays before one whose name has small letters: "Mrs Vega" tells of no part, "Mrs star" may.
    """
    shown, places = render_edits(text, sorted(writings))
    if not places or not known:
        return set()
    starts, ends = [place[0] for place in places], [place[1] for place in places]
    reached = [_with_word_before(shown, *pair) for pair in zip(starts, [0, *ends], strict=False)]
    result = find_telling(
        shown, known, senses, context, written, np.array([*zip(reached, ends, strict=True)], np.int32)
    )
    return {places[place][2] for match in result for place in _touched(match, starts, ends, reached)}


def _with_word_before(text: str, start: int, earliest: int) -> int:
    """Return where the word begins that stands before a place, no earlier than what was written before."""
    found = _WORD_BEFORE.search(text, max(earliest, start - _REACH), start)
    return found.start() if found else start


def _touched(match: TermMatch, starts: Sequence[int], ends: Sequence[int], reached: Sequence[int]) -> range:
    """Return the places that hold some of a match; where none does, the one that it stands right before."""
    first, last = bisect_right(ends, match.start), bisect_left(starts, match.end)
    if first == last < len(starts) and reached[first] <= match.start:
        return range(first, first + 1)
    return range(first, last)


# Words that would make a longer term with what stands beside them, whichever original of a block is written there.


Tokens = tuple[str, ...]


class TermJoints:
    """For the words of each block: which tokens before or after one may go on into a longer term of the ontology.

    It is enough that a longer term has a first (last) token of a block's words next to what stands there: what is
    suppressed so is suppressed for all originals of the block.
    """

    def __init__(self, longer: Iterable[Tokens], firsts: Sequence[Set[str]], lasts: Sequence[Set[str]]) -> None:
        by_first, by_last = _by_token(firsts), _by_token(lasts)
        self._before: dict[int, dict[str, set[Tokens]]] = defaultdict(lambda: defaultdict(set))
        self._after: dict[int, dict[str, set[Tokens]]] = defaultdict(lambda: defaultdict(set))
        self._pairs: set[tuple[int, int]] = set()
        for tokens in longer:
            for place in range(1, len(tokens)):
                for block in by_first.get(tokens[place], ()):
                    self._before[block][tokens[place - 1]].add(tokens[:place])
                for block in by_last.get(tokens[place - 1], ()):
                    self._after[block][tokens[place]].add(tokens[place:])
                    self._pairs.update((block, other) for other in by_first.get(tokens[place], ()))

    def go_on_before(self, block: int, tokens: Tokens) -> bool:
        """Tell whether tokens, the last right before a term, may begin a longer one."""
        found = self._before[block].get(tokens[-1], ()) if tokens and block in self._before else ()
        return any(tokens[-len(each) :] == each for each in found)

    def go_on_after(self, block: int, tokens: Tokens) -> bool:
        """Tell whether tokens, the first right after a term, may end a longer one."""
        found = self._after[block].get(tokens[0], ()) if tokens and block in self._after else ()
        return any(tokens[: len(each)] == each for each in found)

    def meet(self, block: int, other: int) -> bool:
        """Tell whether terms of two blocks, one right after the other, may make a longer one."""
        return (block, other) in self._pairs


def _by_token(tokens: Sequence[Set[str]]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for block, each in enumerate(tokens):
        for token in each:
            found[token].append(block)
    return found
