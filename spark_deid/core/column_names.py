"""How messages name the columns of a table, whose first row may hold values where it should name them."""

import re
from collections.abc import Iterable

_MOST_NAMES = 40
_NAME = re.compile(r"(?!.*\d{5})[^\W\d][\w.:/()#-]{0,39}")
_WORDS = re.compile(r"(?=.{1,40}\Z)(?!.*\d{5})[^\W\d][\w.:/()#-]*(?: [\w.:/()#-]+){1,2}")
"""Two or three words: a header's (Date of Birth) or a value's (Ann of Boston), which nothing tells apart."""


def columns_text(names: Iterable[str]) -> str:
    """Name the columns of a table, as far as their names are no values: a first row without a header may hold these.

    A name is a letter or ``_`` and up to 39 letters, digits and signs of names, no five digits in a row. One of two or
    three such words may be a person's, and is counted; where anything else stands, none is shown.

    >>> columns_text(["note", "patient"])
    "its columns are 'note', 'patient'"
    >>> columns_text(["note", "Ann Lee", "Date of Birth"])
    "its columns are 'note' and 2 whose names have spaces, which are not shown"
    >>> columns_text(["note", "Ann Lee was seen again"])
    'what stands where names of columns should does not look like names, so it is not shown'
    """
    given = tuple(names)
    shown = [name for name in given if _NAME.fullmatch(name)]
    spaced = sum(1 for name in given if _WORDS.fullmatch(name))
    if not given or len(shown) + spaced < len(given):
        return "what stands where names of columns should does not look like names, so it is not shown"
    if not shown:
        return f"its columns are {spaced} whose names have spaces, which are not shown"
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    hidden = f" and {spaced} whose names have spaces, which are not shown" if spaced else ""
    return f"its columns are {', '.join(map(repr, shown[:_MOST_NAMES]))}{more}{hidden}"
