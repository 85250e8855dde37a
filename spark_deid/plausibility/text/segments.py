"""Cut a text into documents, paragraphs and sentences: what t is counted over."""

import re
from bisect import bisect_right

from spark_deid.plausibility.text.settings import Segment

BETWEEN = "\n\n\0\n\n"
"""Text between the documents of a person that are read as one text: no term and no segment crosses it."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_END = re.compile(r"[.!?]+[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|Mr|Mrs|Ms|Dr|Prof|Rev|Hon|Gen|Col|Sgt|Capt|Lt|St|No|Nos|vs|etc|Fig|Jr|Sr|approx)\.$"
)
_LAST = re.compile(
    r"(?:^|[\s(_-])(?:[^\W\d_]|mrs?|ms|dr|prof|rev|hon|gen|col|sgt|capt|lt|st|nos?|vs|etc|fig|jr|sr|approx)$",
    re.IGNORECASE,
)
_LONGEST = 8


def starts_of(text: str, segment: Segment) -> tuple[int, ...]:
    """Return where the segments of a text, or of a person's documents, begin; together they are the whole text.

    A paragraph ends at a blank line. A sentence ends there too, and after a full stop, exclamation or question mark
    before whitespace and no lower-case letter, where no initial or usual abbreviation occurs.

    >>> starts_of("He saw Dr. May. All is well.", "sentence")
    (0, 16)
    """
    if segment == "document":
        return (0, *(match.end() for match in re.finditer(BETWEEN, text)))
    starts = {0, *(match.end() for match in _BLANK_LINE.finditer(text))}
    if segment == "sentence":
        starts.update(match.end() for match in _END.finditer(text) if not _abbreviates(text, match))
    return tuple(sorted(start for start in starts if start < len(text) or not start))


def segment_at(starts: tuple[int, ...], position: int) -> int:
    """Return the number of the segment that holds a position."""
    return bisect_right(starts, position) - 1 if len(starts) > 1 else 0


def changes_segments(term: str) -> bool:
    """Return whether a sentence may end within a term, or may not end behind it, since it looks like an abbreviation.

    >>> changes_segments("hepatitis C"), changes_segments("St. Vitus' dance"), changes_segments("measles")
    (True, True, False)
    """
    return any(sign in term for sign in ".!?") or bool(_ABBREVIATION.search(f"{term}.") or _LAST.search(term))


def _abbreviates(text: str, match: re.Match[str]) -> bool:
    stop = match.start() + 1
    return text[match.start()] == "." and bool(_ABBREVIATION.search(text[max(0, stop - _LONGEST) : stop]))
