"""Write a text with its replacements."""

from collections.abc import Iterable
from typing import TypeAlias

HIDDEN = "\0"
"""What stands where the replacement isn't known: no term is read across it."""
Written: TypeAlias = tuple[int, int, str | None]
"""What is written in place of ``text[start:end]``: start, end, and the replacement, or None where it is not known."""


def render_edits(text: str, writings: Iterable[Written]) -> tuple[str, list[tuple[int, int, int]]]:
    """Write a text with its replacements; return it, and where each known one stands: start, end, original start."""
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    position = length = 0
    for start, end, replacement in writings:
        kept = text[position:start]
        length += len(kept)
        new = HIDDEN if replacement is None else replacement
        if replacement is not None:
            places.append((length, length + len(new), start))
        parts += (kept, new)
        length, position = length + len(new), end
    return "".join((*parts, text[position:])), places
