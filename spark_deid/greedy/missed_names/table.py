"""The table of a model's misses: in labelled corpora of many kinds, how many words of each odds were names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.missed_names import WeighedWords
from spark_deid.core.numerics.arrays import Float64s, Int64s
from spark_deid.greedy.game_documents import initial_view
from spark_deid.greedy.missed_names.word_forms import FORMS
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.base import WordProbabilities
from spark_deid.text.view import TextView

FILE = "missed.json"
FORMAT = 2
FEWEST_CORPORA = 4
"""From fewer corpora it cannot be shown how much they differ."""

MOST_WORDS = 10**12
"""No corpus has more words of one bin; a file from elsewhere may state anything."""


class CorpusMisses(NamedTuple):
    """A corpus that a model was not trained on, in words that no pattern touches, by bin of their odds.

    ``words`` are not marked by the lowest of the ratios of levels, ``names`` of them are of names; ``marked_words``
    are, with their ``marked_names``. ``clustering`` is the variance of the number of names that are missed over that
    number, since those of one document go together: 1 where they do not. ``forms`` counts all words by their form
    (``word_forms.FORMS``).
    """

    words: tuple[int, ...]
    names: tuple[int, ...]
    marked_words: tuple[int, ...]
    marked_names: tuple[int, ...]
    clustering: float
    forms: tuple[int, ...]


@dataclass(frozen=True)
class MissedTable:
    """What was counted for the model of a hash, by the names of corpora; ``sha256`` is that of the file."""

    model: str
    corpora: Mapping[str, CorpusMisses]
    sha256: str = ""

    def counts(self, name: str) -> Float64s:
        """Return a field of counts, ``[corpus, bin]``."""
        return np.array([getattr(corpus, name) for corpus in self.corpora.values()], np.float64)

    @property
    def clustering(self) -> Float64s:
        """Return the clustering of each corpus."""
        return np.array([corpus.clustering for corpus in self.corpora.values()])

    def without(self, name: str) -> "MissedTable":
        """Return the table without one corpus."""
        return MissedTable(self.model, {other: each for other, each in self.corpora.items() if other != name})

    def write(self, folder: Path) -> None:
        """Write the table beside the model that it is of."""
        rows = (f"  {json.dumps(name)}: {json.dumps(each._asdict())}" for name, each in self.corpora.items())
        head = f'{{"format": {FORMAT}, "model": {json.dumps(self.model)}, "corpora": {{\n'
        (folder / FILE).write_text(head + ",\n".join(rows) + "\n}}\n", encoding="utf-8")


def read_table(folder: Path, model: str) -> MissedTable | None:
    """Read the table next to a model of this hash; None if it is missing, or that of another model.

    Raises ModelError for a file that is no such table.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        corpora = {str(name): _checked(CorpusMisses(**entry)) for name, entry in content["corpora"].items()}
        table = MissedTable(str(content["model"]), corpora, file_sha256(path))
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: expected a table of missed names ({type(error).__name__})") from None
    if content.get("format") != FORMAT or len(table.corpora) < FEWEST_CORPORA:
        raise ModelError(f"{path}: expected a table of format {FORMAT}, of {FEWEST_CORPORA} corpora and more")
    return table if table.model == model else None


def _checked(given: CorpusMisses) -> CorpusMisses:
    pairs = ((given.words, given.names), (given.marked_words, given.marked_names))
    for words, names in pairs:
        for word, name in zip(words, names, strict=True):
            if not (type(word) is type(name) is int and 0 <= name <= word <= MOST_WORDS):
                raise ValueError("counts")
        if len(words) != BINS:
            raise ValueError("bins")
    if not sum(given.marked_names) or not 1 <= given.clustering < float("inf"):
        raise ValueError("names")
    if len(given.forms) != len(FORMS) or not all(type(each) is int and 0 <= each <= MOST_WORDS for each in given.forms):
        raise ValueError("forms")
    words, names, marked_words, marked_names = map(tuple, given[:4])
    return CorpusMisses(words, names, marked_words, marked_names, float(given.clustering), tuple(given.forms))


# The words of a text, each in a cell: how probable a name of a person it is, and which loss ratio would mark it.


LABEL = "NAME"
"""Whose words are counted: names of people."""
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
    """A model that reveals each word how probable it is that it is marked, and that it has a label."""

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
    """Weigh the words of a text by the one round of a sanitizer; what it removes before is not one of them.

    Raises ModelError for a model that shows no probabilities, or has several rounds.
    """
    models = [fitted.model for fitted in sanitizer.rounds]
    if len(models) != 1 or not isinstance(models[0], WordProbabilityModel):
        raise ModelError("model: expected exactly one round, with probabilities of words")
    view = initial_view(text, sanitizer.placeholders, sanitizer.patterns.detect(text))
    found = models[0].weigh(view, LABEL)
    return WeighedWords(found.starts, found.ends, cells_of(found.marked, found.labelled))
