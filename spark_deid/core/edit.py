"""Edits, and the only function that rewrites text."""

from collections.abc import Iterable
from operator import le, lt
from typing import NamedTuple

from spark_deid.core.errors import EditError


class Edit(NamedTuple):
    """A replacement of ``text[start:end]``. Offsets are code points of the original text, and the end is exclusive.

    Attributes:
        start: The first code point.
        end: The code point after the last.
        technique: The technique.
        replacement: The new text.
    """

    start: int
    end: int
    technique: str
    replacement: str


class LabelledEdit(NamedTuple):
    """An edit with the label of its span.

    Attributes:
        start: The first code point.
        end: The code point after the last.
        technique: The technique.
        replacement: The new text.
        label: The label.
    """

    start: int
    end: int
    technique: str
    replacement: str
    label: str


def apply_edits(text: str, edits: Iterable[Edit | LabelledEdit]) -> str:
    """Rewrite a text by disjoint edits, in any order.

    Raises EditError where edits overlap, are empty, or leave the text.

    >>> apply_edits("I am Ann.", [Edit(5, 8, "suppress", "[NAME]")])
    'I am [NAME].'
    """
    ordered = sorted(edits)
    if not ordered:
        return text
    # By columns: there may be an edit for every few characters.
    starts, ends, _, replacements, *_ = zip(*ordered, strict=True)
    begins, stops = (0, *ends), (*starts, len(text))
    if not (all(map(le, begins, stops)) and all(map(lt, starts, ends))):
        start, end = next(edit for edit in zip(starts, ends, begins, strict=False) if not _fits(*edit, len(text)))[:2]
        raise EditError(f"edit [{start}, {end}) overlaps another or leaves the text of {len(text)} characters")
    parts = [""] * (2 * len(ordered) + 1)
    parts[::2] = map(text.__getitem__, map(slice, begins, stops))
    parts[1::2] = replacements
    return "".join(parts)


def _fits(start: int, end: int, behind: int, length: int) -> bool:
    """Return whether an edit is inside a text, after the edit before it."""
    return behind <= start < end <= length


# The replacement of text that is hidden because it is rare.


RARE = "RARE"
"""The label of rare text."""
MASK = "mask"
"""The technique that writes stars."""
STAR = "★"
"""The replacement of rare text. A star of the input is hidden as well, since readers could not distinguish it."""
