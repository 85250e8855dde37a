"""How much better a recoded value is guessed by who also sees a column that stays as it is.

Half of the persons teach which original value goes with which kept value; the values of the others are guessed, once by
the class that is published and once by class and kept value. What counts is the difference.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s

MARGIN = 0.05
"""By how much of all guesses a kept column may help."""
ENOUGH_PERSONS = 100
"""Of fewer persons a guess only warns."""
BINS = 20
"""Into how many parts numbers and dates are cut to be guessed."""
_Z99 = 2.326
_TOGETHER = 1000  # guesses


class GuessGain(NamedTuple):
    """By how much more guesses are right, and the lower bound of that at 99%."""

    gain: float
    at_least: float

    @property
    def tells(self) -> bool:
        """Tell whether a kept column tells what is recoded."""
        return self.at_least > MARGIN


def gain_of(hits: Bools, before: Bools) -> GuessGain:
    """Compare guesses with those without a column, person by person.

    >>> gain_of(np.ones(100, bool), np.zeros(100, bool)).tells, gain_of(np.ones(4, bool), np.zeros(4, bool)).tells
    (True, True)
    """
    number = max(hits.size, 1)
    better, worse = int((hits & ~before).sum()), int((~hits & before).sum())
    gain = (better - worse) / number
    spread = (better + worse + _Z99) / number - gain * gain  # as though some had gone either way
    return GuessGain(gain, gain - _Z99 * sqrt(max(spread, 0.0) / number))


def guessed_by(values: Int64s, classes: Int64s, kept: Int64s, teaches: Bools) -> GuessGain:
    """Return the gain of guesses by class and kept value over those by class alone.

    All arrays have a person each: the original value, the published class, the kept value, and whether the person
    teaches. A guess is a value that somebody of the class has, which who reads the class's range knows.
    """
    learnt = values[teaches], classes[teaches], kept[teaches]
    size = int(values.max(initial=0)) + 1
    overall = np.bincount(learnt[0], minlength=size) / max(teaches.sum(), 1)
    by_class = _counted(learnt[1], learnt[0], int(classes.max(initial=0)) + 1, size)
    by_kept = _counted(learnt[2], learnt[0], int(kept.max(initial=0)) + 1, size)
    there: np.ndarray = np.greater(_counted(classes, values, by_class.shape[0], size), 0)
    asked = np.flatnonzero(~teaches)
    hits, before = np.zeros(asked.size, np.bool_), np.zeros(asked.size, np.bool_)
    for first in range(0, asked.size, _TOGETHER):
        here = asked[first : first + _TOGETHER]
        of_class = np.where(there[classes[here]], by_class[classes[here]] + overall, -1.0)
        more = by_kept[kept[here]]
        with_kept = np.where(there[classes[here]], more * size + of_class / size, -1.0)
        chosen = np.where(np.any(more, axis=1, keepdims=True), with_kept, of_class)
        before[first : first + _TOGETHER] = np.equal(of_class.argmax(axis=1), values[here])
        hits[first : first + _TOGETHER] = np.equal(chosen.argmax(axis=1), values[here])
    return gain_of(hits, before)


def _counted(groups: Int64s, values: Int64s, number: int, size: int) -> np.ndarray:
    counts = np.zeros((number, size), np.float32)
    np.add.at(counts, (groups, values), 1)
    return counts


def number_bins(positions: Sequence[float]) -> Int64s:
    """Number values of a line by which of BINS parts of all they are in; missing ones make a part of their own."""
    places = np.asarray(positions, np.float64)
    known = np.isfinite(places)
    borders = np.unique(np.quantile(places[known], np.linspace(0, 1, BINS + 1)[1:-1])) if known.any() else np.empty(0)
    found = np.searchsorted(borders, places, side="right") + 1
    return np.where(known, found, 0).astype(np.int64)


def number_values(texts: Sequence[str | None]) -> Int64s:
    """Number values as they stand."""
    known: dict[str | None, int] = {}
    return np.array([known.setdefault(text, len(known)) for text in texts], np.int64)
