"""Words that would make a longer term with what stands beside them, whichever original of a block is written there."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

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
