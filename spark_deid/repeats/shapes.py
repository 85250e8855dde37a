"""Shapes of text: what kinds of characters it consists of, and nothing else."""

from itertools import groupby

import pyarrow as pa

SHAPES = pa.schema([("shape", pa.string()), ("runs", pa.int64()), ("documents", pa.int64())])
MAX_SHAPE = 12
FEWEST_DOCUMENTS = 20
"""A shape that fewer documents share is not reported: it can reveal one of them how a hidden run is built."""


def shape_of(text: str) -> str:
    r"""Write a letter for each stretch of characters of one kind; long ones end in an ellipsis.

    >>> shape_of("Ann-Lee 17"), shape_of("日本 \n"), shape_of("1a" * 9)
    ('Aa-Aa 9', 'x ', '9a9a9a9a9a9a…')
    """
    kinds = [kind for kind, _ in groupby(map(_kind, text))]
    return "".join(kinds[:MAX_SHAPE]) + ("…" if len(kinds) > MAX_SHAPE else "")


def _kind(character: str) -> str:
    if character.isspace():
        return " "
    if character.isdigit():
        return "9"
    if character.islower():
        return "a"
    if character.isupper():
        return "A"
    if character.isalpha():
        return "x"
    # Marks that any text has; others could show something.
    return character if character in ".,:;-/()'\"" else "?"
