"""What reading values depends on: the language, the order of day and month, and what two digits of a year mean."""

import re
from dataclasses import dataclass

ENGLISH = "en"
LANGUAGES = (ENGLISH, "es")
_MONTH_FIRST = ("US", "PH", "")
_WRITTEN = re.compile(r"([a-z]{2})(?:[_-]([A-Z]{2}))?")


@dataclass(frozen=True)
class ValueLocale:
    """A language and a country; ``last_year`` is the latest year that two digits can mean.

    >>> ValueLocale("en", "US").is_day_first, ValueLocale("en", "GB").is_day_first
    (False, True)
    """

    language: str = "en"
    country: str = "US"
    last_year: int = 2030

    @property
    def is_day_first(self) -> bool:
        """Return whether ``3/4`` is the third of April."""
        return not (self.language == "en" and self.country in _MONTH_FIRST)

    def year_of(self, two_digits: int) -> int:
        """Return the latest year with these two digits that is not after ``last_year``.

        >>> ValueLocale().year_of(1), ValueLocale().year_of(31)
        (2001, 1931)
        """
        year = self.last_year - self.last_year % 100 + two_digits
        return year if year <= self.last_year else year - 100


def is_day_first(name: str) -> bool:
    """Return whether the day comes before the month in a locale of any language, such as ``de_DE``.

    Raises:
        ValueError: The name is not one of a locale.

    >>> is_day_first("de_DE"), is_day_first("en_US")
    (True, False)
    """
    match = _WRITTEN.fullmatch(name)
    if match is None:
        raise ValueError(f"expected a locale such as en_GB or de_DE, got {name!r}")
    return ValueLocale(match[1], match[2] or "").is_day_first


def locale_of(name: str, last_year: int = 2030) -> ValueLocale:
    """Return a locale by its name, such as ``en_US``; raises ValueError for a language that values are not read in."""
    match = _WRITTEN.fullmatch(name)
    if match is None or match[1] not in LANGUAGES:
        raise ValueError(f"expected a locale such as en_US or es_ES ({', '.join(LANGUAGES)} are read), got {name!r}")
    return ValueLocale(match[1], match[2] or "", last_year)
