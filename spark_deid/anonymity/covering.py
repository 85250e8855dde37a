"""Which values a published label represents, read from the label only.

Checks follow what a table shows and not by what made it, so nothing here is shared with the code that writes labels. A
label is a value as it was; a range ``[20-29]`` or ``[a..b]``, its ends included, but not in
``[20-30)``; a set ``{a, b}``; a month, a year or a
decade of dates; a code with stars for what is hidden; a node of a hierarchy; or ``*``, which represents everything. A
missing label represents missing values only, and the word ``missing`` in a set for these among others.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Float64s

HierarchyRows = tuple[tuple[str, ...], ...]
_EVERYTHING, _MISSING = "*", "missing"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_RANGE = re.compile(rf"\[({_NUMBER.pattern})(?:-|\.\.)({_NUMBER.pattern})([\])])")
_PERIOD = re.compile(r"[0-9]{4}(-[0-9]{2})?")
_DECADE = re.compile(r"\[([0-9]{4})-([0-9]{4})\]")
_MASKED = re.compile(r"([^*]+)(\*+)")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T].*)?")
"""A day, and perhaps a time after it."""


@dataclass(frozen=True)
class ColumnValues:
    """Different values of a column as text, None for a missing one; labels represent these."""

    texts: tuple[str | None, ...]
    places: Mapping[str | None, int]
    numbers: Float64s
    are_dates: Bools
    above: Mapping[str, Bools]

    @classmethod
    def of(cls, texts: Sequence[str | None], hierarchy: HierarchyRows = ()) -> "ColumnValues":
        """Read values; ``hierarchy`` has a row a value, the value first."""
        numbers = np.array([_number(text) for text in texts], np.float64)
        dates = np.array([text is not None and bool(_ISO_DATE.fullmatch(text)) for text in texts], np.bool_)
        places = {text: place for place, text in enumerate(texts)}
        return cls(tuple(texts), places, numbers, dates, _above(texts, hierarchy))

    def covered(self, label: str | None) -> Bools:
        """Return which values a label represents; those that it is itself, where it can't be read as more."""
        if label == _EVERYTHING:
            return np.ones(len(self.texts), np.bool_)
        known = np.zeros(len(self.texts), np.bool_)
        if label in self.places:
            known[self.places[label]] = True
        if label is None:
            return known
        if label in self.above:
            return known | self.above[label]
        if label.startswith("{") and label.endswith("}"):
            return known | self._in_set(label[1:-1])
        return known | self._in_range(label) | self._masked(label)

    def _where(self, holds: Callable[[str | None], bool]) -> Bools:
        return np.array([holds(text) for text in self.texts], np.bool_)

    def _in_set(self, inside: str) -> Bools:
        """Read members from the left, the longest that is a value or a range first: a value may hold a comma."""
        covered = np.zeros(len(self.texts), np.bool_)
        parts = inside.split(", ")
        at = 0
        while at < len(parts):
            end = next((end for end in range(len(parts), at, -1) if self._known(", ".join(parts[at:end]))), at + 1)
            member = ", ".join(parts[at:end])
            covered |= self.covered(None) if at == 0 and member == _MISSING else self.covered(member)
            at = end
        return covered

    def _known(self, member: str) -> bool:
        return member in self.places or _RANGE.fullmatch(member) is not None

    def _in_range(self, label: str) -> Bools:
        ends = _RANGE.fullmatch(label)
        dated = self._in_period(label) if self.are_dates.any() else np.zeros(len(self.texts), np.bool_)
        if ends is None:
            return dated
        below = np.less if ends[7] == ")" else np.less_equal
        within: Bools = (self.numbers >= float(ends[1])) & below(self.numbers, float(ends[4]))
        return within | dated

    def _in_period(self, label: str) -> Bools:
        """Compare dates as text: ISO dates are in the order of days."""
        if _PERIOD.fullmatch(label):
            return self.are_dates & self._where(lambda text: text is not None and text.startswith(label))
        decade = _DECADE.fullmatch(label)
        first, separator, last = (decade[1], "-", decade[2]) if decade else label[1:-1].partition("..")
        if not separator or not label.startswith("["):
            return np.zeros(len(self.texts), np.bool_)
        within = self._where(lambda text: text is not None and first <= text and text[: len(last)] <= last)
        return within & self.are_dates

    def _masked(self, label: str) -> Bools:
        masked = _MASKED.fullmatch(label)
        if masked is None:
            return np.zeros(len(self.texts), np.bool_)
        return self._where(lambda text: text is not None and len(text) == len(label) and text.startswith(masked[1]))


def _number(text: str | None) -> float:
    return float(text) if text is not None and _NUMBER.fullmatch(text) else np.nan


def _above(texts: Sequence[str | None], hierarchy: HierarchyRows) -> Mapping[str, Bools]:
    """Return, for every inner node of a hierarchy, which values are under it."""
    under: dict[str, set[str]] = {}
    for value, *nodes in hierarchy:
        for node in nodes:
            under.setdefault(node, set()).add(value)
    return {node: np.array([text in values for text in texts], np.bool_) for node, values in under.items()}
