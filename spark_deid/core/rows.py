"""Many named tuples at once."""

from collections.abc import Iterable
from itertools import repeat
from typing import Any, TypeVar

Row = TypeVar("Row", bound=tuple[Any, ...])


def rows_of(row: type[Row], *columns: Iterable[Any]) -> list[Row]:
    """Return named tuples of columns, one a field; a class's own constructor takes three times as long.

    A column may be endless where another one is not. Fields without a column do not get their defaults.

    >>> from spark_deid.core.edit import Edit
    >>> rows_of(Edit, [5], [8], ["suppress"], ["[NAME]"])
    [Edit(start=5, end=8, technique='suppress', replacement='[NAME]')]
    """
    return list(map(tuple.__new__, repeat(row), zip(*columns, strict=False)))
