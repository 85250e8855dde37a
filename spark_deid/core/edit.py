"""Edits, and the only function that rewrites text."""

from collections.abc import Iterable
from typing import NamedTuple

from spark_deid.core.errors import EditError


class Edit(NamedTuple):
    """Replace ``text[start:end]``; offsets are code points of the original text, end exclusive."""

    start: int
    end: int
    technique: str
    replacement: str


class LabelledEdit(NamedTuple):
    """An edit that knows the label it was made for."""

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
    parts: list[str] = []
    position = 0
    for edit in sorted(edits):
        if not position <= edit.start < edit.end <= len(text):
            raise EditError(
                f"edit [{edit.start}, {edit.end}) overlaps another or leaves the text of {len(text)} characters"
            )
        parts.append(text[position : edit.start])
        parts.append(edit.replacement)
        position = edit.end
    parts.append(text[position:])
    return "".join(parts)
