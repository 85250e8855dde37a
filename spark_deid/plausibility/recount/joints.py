"""Whether a term may be part of a longer one with what is kept beside it, for some original of its block: anew."""

from collections import defaultdict
from functools import lru_cache

from spark_deid.plausibility.recount.partition import RebuiltPartition
from spark_deid.plausibility.recount.tokens import SEPARATORS, fold_term

_NEAR = 64


class LongerTerms:
    """The longer terms of a reading by pairs of tokens in them, and with which tokens the words of each block begin."""

    def __init__(self, parts: RebuiltPartition) -> None:
        words = parts.words
        self._begin: dict[int, set[str]] = defaultdict(set)
        self._end: dict[int, set[str]] = defaultdict(set)
        for concept, part in parts.parts[0].items():
            for forms in parts.constant_words(concept):
                for written in forms:
                    parted = fold_term(written).split()
                    self._begin[part.node].add(parted[0])
                    self._end[part.node].add(parted[-1])
        self._after: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        self._before: dict[str, set[tuple[str, ...]]] = defaultdict(set)
        for lemma in words.lemmas():
            tokens = tuple(fold_term(words.table.word(lemma)).split())
            for at in range(1, len(tokens)):
                self._after[tokens[at - 1]].add((*tokens[:at], tokens[at]))
                self._before[tokens[at]].add((tokens[at - 1], *tokens[at:]))

    def goes_on(self, text: str, start: int, end: int, block: int) -> bool:
        """Tell whether kept words and the first or last token of some original's word begin or end a longer term."""
        before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
        left, right = fold_term(before).split(), fold_term(after).split()
        if left and SEPARATORS.fullmatch(before[-1:]):
            for *kept, first in self._after.get(left[-1], ()):
                if first in self._begin[block] and left[-len(kept) :] == kept:
                    return True
        if right and SEPARATORS.fullmatch(after[:1]):
            for last, *kept in self._before.get(right[0], ()):
                if last in self._end[block] and right[: len(kept)] == kept:
                    return True
        return False


@lru_cache(4)
def joints_of(parts: RebuiltPartition) -> LongerTerms:
    """Return the longer terms of a partition, once a process."""
    return LongerTerms(parts)
