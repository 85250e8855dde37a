"""How columns are in memory."""

from typing import NamedTuple

PAD = 4
"""Cells before the first and after the last token, so that templates may look beyond the borders."""


class FeatureColumn(NamedTuple):
    """A column's name in templates, and whether its values depend on the model's key."""

    name: str
    secret: bool


def columns_of(names: str) -> tuple[FeatureColumn, ...]:
    """Return columns by their names; those that carry words have a star before theirs.

    >>> columns_of("shape *word")
    (FeatureColumn(name='shape', secret=False), FeatureColumn(name='word', secret=True))
    """
    return tuple(FeatureColumn(name.removeprefix("*"), name.startswith("*")) for name in names.split())
