"""Cues of patterns: short lowercase strings that each match of a pattern contains, found for all patterns at once."""

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np

from spark_deid.core.numerics.arrays import Int16s, UInt8s
from spark_deid.text.kernels.cues import find_cue_ends

CueGroup = tuple[str, ...]
"""The cues of one pattern."""
_UNKNOWN = "?"
"""The sign that Latin-1 has for characters that it lacks."""


class CueIndex:
    """Groups of cues that are searched together: each text is read once."""

    def __init__(self, groups: Sequence[CueGroup]) -> None:
        self.groups = tuple(groups)
        self.known = frozenset(groups)
        ends, self._steps, self._classes = _automaton({cue for group in groups for cue in group})
        self._is_end = np.array([bool(cues) for cues in ends], np.uint8)
        self._found = [
            [(group, cue, _is_ambiguous(cue)) for cue in cues for group in self.groups if cue in group] for cues in ends
        ]

    def places(self, lowered: str) -> Mapping[CueGroup, list[int]]:
        """Return where cues begin in a lowercase text, by group and in order.

        >>> CueIndex([("day", "month"), ("mon",)]).places("a month of monday")
        {('day', 'month'): [2, 14], ('mon',): [2, 11]}
        """
        codes = _codes(lowered)
        places, states = np.empty(len(codes), np.int32), np.empty(len(codes), np.int16)
        number = find_cue_ends(codes, self._classes, self._steps, self._is_end, places, states)
        found: dict[CueGroup, list[int]] = {group: [] for group in self.groups}
        for place, state in zip(places[:number].tolist(), states[:number].tolist(), strict=True):
            for group, cue, is_ambiguous in self._found[state]:
                start = place + 1 - len(cue)
                if not is_ambiguous or lowered.startswith(cue, start):
                    found[group].append(start)
        return {group: sorted(starts) for group, starts in found.items()}


def _codes(text: str) -> UInt8s:
    return np.frombuffer(text.encode("latin-1", "replace"), np.uint8)


def _is_ambiguous(cue: str) -> bool:
    """Return whether another text has the same codes."""
    return _UNKNOWN.encode() in cue.encode("latin-1", "replace")


def _automaton(cues: set[str]) -> tuple[list[list[str]], Int16s, UInt8s]:
    """Return the cues that end in each state, the next states by state and class, and the class of each character."""
    letters = sorted({code for cue in cues for code in _codes(cue).tolist()})
    classes = np.zeros(256, np.uint8)
    classes[letters] = range(1, len(letters) + 1)
    trie: list[dict[int, int]] = [{}]
    ends: list[list[str]] = [[]]
    for cue in sorted(cues):
        state = 0
        for sign in classes[_codes(cue)].tolist():
            if sign not in trie[state]:
                trie[state][sign] = len(trie)
                trie.append({})
                ends.append([])
            state = trie[state][sign]
        ends[state].append(cue)
    steps = np.zeros((len(trie), len(letters) + 1), np.int16)
    failure = [0] * len(trie)
    waiting = deque([0])
    while waiting:
        state = waiting.popleft()
        steps[state] = steps[failure[state]]
        ends[state] += ends[failure[state]] if state else ()
        for sign, following in trie[state].items():
            failure[following] = int(steps[state, sign]) if state else 0
            waiting.append(following)
        for sign, following in trie[state].items():
            steps[state, sign] = following
    return ends, steps, classes


class _KnownGroups:
    """The index of all groups that this process has searched."""

    def __init__(self) -> None:
        self.index = CueIndex(())

    def index_with(self, group: CueGroup) -> CueIndex:
        """Return an index that contains a group."""
        index = self.index
        if group not in index.known:
            index = self.index = CueIndex((*index.groups, group))
        return index


index_with = _KnownGroups().index_with
