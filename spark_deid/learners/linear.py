"""A token classifier with linear weights, decoded from left to right: the model of ``svm`` and of ``adaboost``."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.span import Span
from spark_deid.learners.background import make_extractor
from spark_deid.learners.calibration import Sigmoid, log_odds, probabilities
from spark_deid.learners.document_rule import spread
from spark_deid.learners.folders import check_files, read_folder, record_hash, write_folder
from spark_deid.learners.following import add_kinds, copy_spans, mean_scores
from spark_deid.learners.lexicon import Lexicon, lexicon_of, no_lexicon
from spark_deid.learners.linear_files import ARRAYS, FORMAT, LinearSettings
from spark_deid.learners.scoring import WeightTable, score
from spark_deid.learners.sequential import tag_in_order
from spark_deid.learners.sharing import only_public
from spark_deid.text.bio import OUTSIDE, Offsets, decode
from spark_deid.text.columns.table import Known
from spark_deid.text.extractor import Extractor
from spark_deid.text.tokenizer import Tokens
from spark_deid.text.view import View


class Tagged(NamedTuple):
    """The tag of each token, and the log odds that it carries any tag but O."""

    tags: NDArray[np.int32]
    odds: NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class LinearModel:
    """Tag a token where its calibrated probability of carrying any label exceeds the threshold.

    The tags given to the two tokens before take part in each decision. ``learner`` says what fitted the weights. A
    span's score is the mean probability of its tokens.
    """

    learner: str
    extractor: Extractor
    labels: tuple[str, ...]
    table: WeightTable
    history: NDArray[np.float64]
    biases: NDArray[np.float64]
    sigmoid: Sigmoid
    lexicon: Lexicon
    kinds: Mapping[str, str]
    outside_bias: float = 0.0
    copy_length: int = 4
    threshold: float = 0.5
    by_cost: bool = False
    """Whether the threshold was set by costs: then the document rule stands in for copies of what was found."""
    public: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Which slots of the table hold features without words; empty where nothing tells."""

    def with_bias(self, delta: float) -> "LinearModel":
        """Return the model with ``delta`` more on the log odds of O; below 0 it finds more."""
        return replace(self, outside_bias=self.outside_bias + delta)

    def with_threshold(self, threshold: float) -> "LinearModel":
        """Return the model that marks each token whose probability of any label exceeds the threshold.

        Probabilities are those after the document rule (``document_rule.spread``).
        """
        return replace(self, threshold=threshold, by_cost=True)

    def without_words(self) -> "LinearModel":
        """Return the model with neither key, features that carry words, nor lexicon; its other weights stay.

        Raises ModelError for a model of a folder that does not tell them apart.
        """
        table = only_public(self.table, self.public, len(self.biases))
        extractor = Extractor(self.extractor.features.without_words(), b"")
        return replace(self, extractor=extractor, table=table, lexicon=no_lexicon(), public=np.zeros(0, np.uint8))

    def tokens(self, view: View) -> tuple[Offsets, Offsets]:
        """Return the starts and ends of tokens in original offsets, without placeholders."""
        return self.extractor.tokenizer(view).shown

    def predict(self, view: View) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        tokens = self.extractor.tokenizer(view)
        tags, odds = self.tag(view, tokens)
        chances = probabilities(odds)
        if self.by_cost:
            chances = self._follow(tokens, tags, chances)
        add_kinds(tags, tokens.arrays.merged, self.kinds, self.labels)
        tags[tokens.is_placeholder] = OUTSIDE
        spans = decode(tokens.starts, tokens.ends, tags, self.labels)
        spans = mean_scores(spans, tokens, chances)
        return copy_spans(view, tokens, spans, self.copy_length) if self.copy_length and not self.by_cost else spans

    def _follow(self, tokens: Tokens, tags: NDArray[np.int32], chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Tag, in place, what the document rule makes likely enough, as where it is likeliest; return the chances."""
        after, origins = spread(tokens, chances)
        raised = np.flatnonzero((tags == OUTSIDE) & (after > self.threshold) & (tags[origins] != OUTSIDE))
        tags[raised] = (tags[origins[raised]] - 1) // 2 * 2 + 1
        return after

    def tag(self, view: View, tokens: Tokens) -> Tagged:
        """Tag the tokens of a view by their scores alone."""
        count = len(self.biases)
        scores = np.empty((len(tokens), count))
        for start, columns, reduced, pieces in self.extractor.windows(view, tokens, self._known):
            for first, end in pieces:
                found = score(columns, reduced, first, end, self.extractor.templates, self.table, count)
                np.add(found[:, :count], self.biases, out=scores[start + first : start + end])
        tags, margins = np.zeros(len(tokens), np.int32), np.empty(len(tokens))
        tag_in_order(scores, self.history, tokens.is_placeholder, self._cut, tags, margins)
        return Tagged(tags, self.sigmoid.slope * margins + self.sigmoid.intercept)

    @cached_property
    def _known(self) -> Known:
        return self.lexicon.known()

    @property
    def _cut(self) -> float:
        """The margin at which the log odds reach the threshold's."""
        return (log_odds(self.threshold) + self.outside_bias - self.sigmoid.intercept) / self.sigmoid.slope

    def save(self, folder: Path) -> None:
        """Write the model into a new or empty folder: JSON and arrays, nothing that runs when read."""
        settings = LinearSettings(
            learner=self.learner,
            features=self.extractor.features,
            labels=self.labels,
            kinds=dict(self.kinds),
            slope=self.sigmoid.slope,
            intercept=self.sigmoid.intercept,
            outside_bias=self.outside_bias,
            copy_length=self.copy_length,
            threshold=self.threshold,
            by_cost=self.by_cost,
        )
        words, spans = self.lexicon.words, self.lexicon.spans
        given = (*self.table, self.history, self.biases, *words, *spans, self.public)
        write_folder(folder, FORMAT, settings, dict(zip(ARRAYS, given, strict=True)), self.extractor.key)
        if self.extractor.tagger:
            self.extractor.tagger.save(folder)


def load_linear(folder: Path, key: bytes) -> LinearModel:
    """Read a model folder and check every file; ``key`` is the one it was fitted with.

    Raises ModelError on a folder that is missing, damaged, of another version or of another key.
    """
    record_hash(folder)
    check_files(folder, FORMAT)
    return open_linear(folder, key)


def open_linear(folder: Path, key: bytes) -> LinearModel:
    """Read a model whose files were checked before; once a process for the same folder, record and key."""
    return _load(folder.resolve(), record_hash(folder), key)


@lru_cache(maxsize=16)
def _load(folder: Path, _: str, key: bytes) -> LinearModel:
    settings, arrays = read_folder(folder, FORMAT, key)
    return LinearModel(
        learner=settings.learner,
        extractor=make_extractor(settings.features, key, folder),
        labels=settings.labels,
        table=WeightTable(*(arrays[name] for name in WeightTable._fields)),
        history=arrays["history"],
        biases=arrays["biases"],
        sigmoid=Sigmoid(settings.slope, settings.intercept),
        lexicon=lexicon_of(arrays),
        kinds=settings.kinds,
        outside_bias=settings.outside_bias,
        copy_length=settings.copy_length,
        threshold=settings.threshold,
        by_cost=settings.by_cost,
        public=arrays["public"],
    )
