"""How columns lie in memory."""

from collections.abc import Iterable
from typing import NamedTuple

PAD = 4
"""Cells before the first and after the last token, so that templates may look beyond the borders."""


class Column(NamedTuple):
    """A column's name in templates, and whether its values depend on the model's key."""

    name: str
    secret: bool


def public_columns(names: str) -> tuple[Column, ...]:
    """Return columns that carry no words."""
    return tuple(Column(name, False) for name in names.split())


def secret_columns(names: str) -> tuple[Column, ...]:
    """Return columns that carry words."""
    return tuple(Column(name, True) for name in names.split())


def join(families: Iterable[tuple[Column, ...]]) -> tuple[Column, ...]:
    """Return the columns of all families in order."""
    return tuple(column for family in families for column in family)
