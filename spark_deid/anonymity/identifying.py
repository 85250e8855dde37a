"""Whether the values of a column that stays name somebody: different for nearly everybody, or names, mail and codes."""

import re
from collections.abc import Sequence
from functools import cache

from spark_deid.text.gazetteer import COMMON, GIVEN, SURNAME, facts_of
from spark_deid.text.patterns import PatternDetector

LEAST_PERSONS = 20
"""The fewest persons of whom it is said that values tell them apart."""
DIFFERENT = 0.9
"""The share of persons from which on different values tell nearly everybody."""
LOOKED_AT = 2000
"""How many different values of a column are looked at for names and codes."""
_LEAST_FOUND, _SHARE_FOUND = 3, 0.2
_NAME, _SHARE_OF_NAMES = "NAME", 0.5  # some towns are called as persons are
_COMMON_NAME = 2  # how the gazetteer marks a common given name
_PATTERNS = ("email", "url", "ip", "mac", "phone", "ssn", "card", "iban", "address", "plate", "code")
_WORDS = re.compile(r"[^\W\d_]{2,}")


def names_persons(values: int, persons: int) -> bool:
    """Tell whether so many different values tell so many persons apart.

    >>> names_persons(19, 20), names_persons(17, 20), names_persons(19, 19)
    (True, False, False)
    """
    return persons >= LEAST_PERSONS and values >= DIFFERENT * persons


def found_in(values: Sequence[str]) -> str | None:
    """Return what a column's different values are by detectors, ``NAME``, ``EMAIL`` and so on; None for none of these.

    A fifth of them, and three at least, must be the same; of names half.

    >>> found_in(["ann@example.org", "bob@example.org", "x@example.com", "none"])
    'EMAIL'
    >>> found_in(["flu", "cold", "gout", "Boston"])
    """
    counts: dict[str, int] = {}
    for value in values:
        label = label_of(value)
        if label is not None:
            counts[label] = counts.get(label, 0) + 1
    shares = {label: _SHARE_OF_NAMES if label == _NAME else _SHARE_FOUND for label in counts}
    enough = {label: n for label, n in counts.items() if n >= max(_LEAST_FOUND, shares[label] * len(values))}
    return max(sorted(enough), key=lambda label: enough[label], default=None)


def label_of(value: str) -> str | None:
    """Return the label of a value that is an identifier for the most part, otherwise None."""
    spans = _detector().detect(value)
    if spans:
        longest = max(spans, key=lambda span: span.end - span.start)
        if 2 * (longest.end - longest.start) >= len(value.strip()):
            return longest.label
    return _NAME if _is_name(value) else None


def _is_name(value: str) -> bool:
    """Tell whether a value is a given name and a surname, in either order, and nothing else."""
    words = _WORDS.findall(value)
    if not 2 <= len(words) <= 4 or any(character.isdigit() for character in value):
        return False
    facts = [facts_of(word) for word in words]
    if any(each >> COMMON & 3 > 1 and not each >> GIVEN & 3 for each in facts):
        return False
    given, surnames = [each >> GIVEN & 3 == _COMMON_NAME for each in facts], [each >> SURNAME & 1 for each in facts]
    return bool((given[0] and surnames[-1]) or (given[-1] and surnames[0]))


@cache
def _detector() -> PatternDetector:
    return PatternDetector(kinds=_PATTERNS)
