"""Values of columns that are let out beside dates that moved, and are dates themselves."""

import re

from spark_deid.surrogates.recounting import dates_in

_LONGEST = 40
"""Characters of a value that is a date, with its time of day."""
_TIME = re.compile(r"(?:\b|(?<=\d)T)\d{1,2}:\d\d\S*")
_STAMP = re.compile(r"(\d{8})T?\d{4,6}\S*")


def is_date(value: str) -> bool:
    """Tell whether a value is a whole date, with or without a time of day, and nothing much else.

    >>> is_date("2014-03-04 08:00"), is_date("March 2014"), is_date("")
    (True, False, False)
    """
    return len(value) <= _LONGEST and bool(dates_in(_day_of(value)))


def _day_of(value: str) -> str:
    """Leave times of day out, before the day or behind it, and those of stamps such as 20140304T103000.

    >>> _day_of("10:30 3/4/2014"), _day_of("2014-03-04T10:30:00Z"), _day_of("20140304103000")
    (' 3/4/2014', '2014-03-04', '20140304')
    """
    stamp = _STAMP.fullmatch(value.strip())
    return stamp[1] if stamp else _TIME.sub("", value)
