"""Word lists of the pattern detectors, kept as data files, and the look back for such a word before a number."""

import re
from importlib.resources import files

_WORD = re.compile(r"\w+\u00b0?")
_LOOK_BACK = 32
_JOINTS = " .:#=\t(/-"


def read_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a data file without comments and blank lines."""
    text = files("spark_deid.text.patterns").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(line for raw in text.splitlines() if (line := raw.strip()) and not line.startswith("#"))


_FILLERS = frozenset(read_lines("fillers.txt"))


def is_introduced(text: str, start: int, words: frozenset[str]) -> bool:
    """Tell whether one of the words (of one or two parts, lower case) stands right before an offset.

    Between them may stand marks such as a colon, and words such as "number is"; no line break.

    >>> is_introduced("MRN number: 12345", 12, frozenset({"mrn"}))
    True
    """
    before = text[max(0, start - _LOOK_BACK) : start].rstrip(_JOINTS).lower()
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
