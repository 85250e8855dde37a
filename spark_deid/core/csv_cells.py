"""How long a cell of CSV may be: Python's reader keeps one limit for the whole process."""

import csv

LONGEST_CELL = 131_072
"""The characters that a cell of a table of terms or offsets may have; a longer one is none, but an open quote."""
LONGEST_TEXT = 2**31 - 1
"""The characters that a cell of a corpus may have."""


def limit_cells(longest: int = LONGEST_CELL) -> None:
    """Set the most characters of a cell for what is read next. Each reader sets its own, since others set theirs.

    >>> limit_cells(LONGEST_TEXT), csv.field_size_limit(), limit_cells(), csv.field_size_limit()
    (None, 2147483647, None, 131072)
    """
    csv.field_size_limit(longest)
