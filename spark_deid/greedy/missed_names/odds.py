"""The words of a text, each in a cell: how probable a name of a person it is, and which loss ratio would mark it."""

from typing import Protocol, runtime_checkable

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.missed_names import WeighedWords
from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.greedy.initial_view import initial_view
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.base import WordProbabilities
from spark_deid.text.view import TextView

LABEL = "NAME"
"""Whose words are counted: names of persons."""
ODDS = tuple(10 ** (step / 4) for step in range(-20, 5))
"""Odds of being part of a name at which one bin ends and the next begins: even steps from 1e-5 to 10."""
RATIOS = (1000.0, 700.0, 500.0, 300.0, 200.0, 150.0, 100.0, 70.0, 50.0, 30.0, 20.0, 15.0, 10.0)
"""Loss ratios L/C at whose thresholds one level ends and the next begins: those that a target may choose."""
BINS, LEVELS = len(ODDS) + 1, len(RATIOS) + 1
CELLS = LEVELS * BINS
"""A cell is a level and a bin, ``level * BINS + bin``."""
_BIN_BORDERS = np.array([odds / (1 + odds) for odds in ODDS])
_LEVEL_BORDERS = np.array([1 / (1 + ratio) for ratio in RATIOS])


@runtime_checkable
class WordProbabilityModel(Protocol):
    """A model that tells of each word how probable it is that it is marked, and that it has a label."""

    def weigh(self, view: TextView, label: str) -> WordProbabilities:
        """Return the words of a view and their probabilities."""


def cells_of(marked: Float64s, labelled: Float64s) -> Int64s:
    """Return the cells of words; what decoding by a ratio marks has a level above that ratio's place in ``RATIOS``.

    >>> cells_of(np.array([0.0, 1 / 11, 0.1]), np.array([0.0, 0.5, 1.0])).tolist()
    [0, 332, 363]
    """
    levels = np.searchsorted(_LEVEL_BORDERS, marked, "left")
    return np.asarray(levels * BINS + np.searchsorted(_BIN_BORDERS, labelled, "left"), np.int64)


def word_odds(sanitizer: GreedySanitizer, text: str) -> WeighedWords:
    """Weigh the words of a text by the one round of a sanitizer; what it removes before is none of them.

    Raises ModelError for a model that tells no probabilities, or has several rounds.
    """
    models = [fitted.model for fitted in sanitizer.rounds]
    if len(models) != 1 or not isinstance(models[0], WordProbabilityModel):
        raise ModelError("model: expected one round that tells probabilities of words")
    view = initial_view(text, sanitizer.placeholders, sanitizer.patterns.detect(text))
    found = models[0].weigh(view, LABEL)
    return WeighedWords(found.starts, found.ends, cells_of(found.marked, found.labelled))
