"""Word lists of the pattern detectors, kept as data files, and the look back for such a word before a number."""

import re
from functools import lru_cache
from importlib.resources import files

_WORD = re.compile(r"\w+\u00b0?")
_WORD_BACKWARD = re.compile(r"\u00b0?\w+")
_SPLITS_IN_LOWER_CASE = "\u0130"
LOOK_BACK = 32
_JOINTS = " .:#=\t(/-"


def read_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a data file without comments and blank lines."""
    text = files("spark_deid.text.patterns").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(line for raw in text.splitlines() if (line := raw.strip()) and not line.startswith("#"))


def read_words(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each line of a data file, by what is before its colon."""
    parts = (line.partition(":") for line in read_lines(name))
    return {key: tuple(words.split()) for key, _, words in parts}


_FILLERS = frozenset(read_lines("fillers.txt"))


def is_introduced(text: str, start: int, words: frozenset[str]) -> bool:
    """Return whether one of the words (of one or two parts, lower case) is right before an offset.

    Between them may be marks such as a colon, and words such as "number is"; no line break.

    >>> is_introduced("MRN number: 12345", 12, frozenset({"mrn"}))
    True
    """
    before = text[max(0, start - LOOK_BACK) : start].rstrip(_JOINTS)
    last = _WORD_BACKWARD.match(before[::-1])
    if last and last[0][::-1].lower() not in _last_words(words) and _SPLITS_IN_LOWER_CASE not in before:
        return False
    return _ends_in(before.lower(), words)


def _ends_in(before: str, words: frozenset[str]) -> bool:
    if not before or not (before[-1].isalnum() or before[-1] == "\u00b0"):
        return False
    parts = _WORD.findall(before[before.rfind("\n") + 1 :])
    while parts:
        if parts[-1] in words or " ".join(parts[-2:]) in words:
            return True
        if parts[-1] not in _FILLERS:
            return False
        parts.pop()
    return False


@lru_cache
def _last_words(words: frozenset[str]) -> frozenset[str]:
    """Return the words without which at the end no look back continues."""
    return frozenset(word.split()[-1] for word in words) | _FILLERS
