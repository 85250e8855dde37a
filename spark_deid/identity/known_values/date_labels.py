"""Labels of known dates by what is known of them: the whole date, its day and month, its month and year, its year."""

import re
from collections.abc import Mapping
from typing import NamedTuple

Hit = tuple[int, int, str]
"""Start, end and label."""

EARLIEST, LATEST = 1800, 2200
"""Years that dates of persons lie in, and what two digits may mean."""

_WRITTEN = re.compile(r"(?:(\d{4})|-)(?:-(\d\d)(?:-(\d\d))?)?")


class DateLabels(NamedTuple):
    """Labels by what is known: year, month and day; the same by two digits of the year; month and day; and so on."""

    full: Mapping[tuple[int, int, int], str]
    days: Mapping[tuple[int, int], str]
    months: Mapping[tuple[int, int], str]
    years: Mapping[int, str]

    def label(self, year: str | None, month: int, day: int | None) -> str | None:
        """Return the label of a known date that is this one, as far as it is told."""
        if year is None:
            return None if day is None else self.days.get((month, day))
        years = (int(year),) if len(year) == 4 else range(int(year) + EARLIEST, LATEST, 100)
        for each in years:
            label = self.months.get((each, month)) if day is None else self.full.get((each, month, day))
            if label is not None:
                return label
        return None


def labels_by_date(dates: Mapping[str, str]) -> DateLabels:
    """Return labels by what is known of dates, given by value as ``values.date`` reads them."""
    full: dict[tuple[int, int, int], str] = {}
    days: dict[tuple[int, int], str] = {}
    months: dict[tuple[int, int], str] = {}
    years: dict[int, str] = {}
    for value, label in dates.items():
        match = _WRITTEN.fullmatch(value)
        year, month, day = (int(part) if part else None for part in match.groups()) if match else (None, None, None)
        if year is not None:
            years.setdefault(year, label)
        if year is not None and month is not None:
            months.setdefault((year, month), label)
        if month is not None and day is not None:
            days.setdefault((month, day), label)
        if year is not None and month is not None and day is not None:
            full.setdefault((year, month, day), label)
    return DateLabels(full, days, months, years)
