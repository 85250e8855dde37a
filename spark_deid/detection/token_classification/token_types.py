"""Token types that tell a model which cannot see them of capitals and line breaks: the shape of each token's text."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from spark_deid.core.numerics.arrays import Int64s

OTHER, LOWER, TITLE, UPPER, MIXED, CAPITAL, DIGITS = range(7)
"""What characters a token has: no letter, small ones, a capital before small ones, capitals, others; one, digits."""
LINE = 8
"""What is added where a token begins a line, or the text."""


def shape_types(text: str, offsets: Sequence[tuple[int, int]]) -> Int64s:
    """Return the shape of each token of a text, in the order of the text, by where they stand in it.

    >>> shape_types("Ann B. saw\\nbC 7", [(0, 3), (4, 5), (5, 6), (7, 10), (11, 13), (14, 15)]).tolist()
    [10, 5, 0, 1, 12, 6]
    """
    known: dict[str, int] = {}
    types: list[int] = []
    reached = 0
    for start, end in offsets:
        piece = text[start:end]
        shape = known.get(piece)
        if shape is None:
            shape = known[piece] = shape_of(piece)
        if shape == CAPITAL and text[end : end + 1].isalpha():
            shape = TITLE
        if not types or (start > reached and "\n" in text[reached:start]):
            shape += LINE
        types.append(shape)
        reached = end
    return np.asarray(types, np.int64)


def shape_of(piece: str) -> int:
    """Return what characters a token has.

    >>> [shape_of(piece) for piece in ("—", "now", "Now", "NOW", "McRae", "N", "12")]
    [0, 1, 2, 3, 4, 5, 6]
    """
    if piece.isdigit():
        return DIGITS
    if not any(map(str.isalpha, piece)):
        return OTHER
    if piece.islower():
        return LOWER
    if piece.isupper():
        return CAPITAL if len(piece) == 1 else UPPER
    return TITLE if piece[0].isupper() and piece[1:].islower() else MIXED


def no_types(text: str, offsets: Sequence[tuple[int, int]]) -> Int64s:
    """Return zeros, which models take that were trained without token types."""
    return np.zeros(len(offsets), np.int64)


TOKEN_TYPES: Mapping[str, Callable[[str, Sequence[tuple[int, int]]], Int64s]] = MappingProxyType(
    {"": no_types, "shape": shape_types}
)
"""What ``token_types`` of an export's config.json may name; ``""`` where it names nothing."""
