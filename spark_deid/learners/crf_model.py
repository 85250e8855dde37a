"""A fitted conditional random field."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.span import Span
from spark_deid.learners import calibration
from spark_deid.learners.background import make_extractor
from spark_deid.learners.base import Example
from spark_deid.learners.calibration import UNCALIBRATED, Sigmoid, fit_sigmoid
from spark_deid.learners.chain import best_tags, probabilities
from spark_deid.learners.crf_files import ARRAYS, FORMAT, CrfSettings
from spark_deid.learners.document_rule import spread
from spark_deid.learners.folders import check_files, read_folder, record_hash, write_folder
from spark_deid.learners.following import add_kinds, copy_spans, mean_scores
from spark_deid.learners.lexicon import Lexicon, lexicon_of, no_lexicon
from spark_deid.learners.scoring import WeightTable, score
from spark_deid.learners.sharing import only_public
from spark_deid.text.bio import OUTSIDE, Offsets, decode, encode, tag_names
from spark_deid.text.columns.table import Known
from spark_deid.text.extractor import Extractor
from spark_deid.text.tokenizer import Tokens
from spark_deid.text.view import View

IMPOSSIBLE = -1e30
LEAST_CHANCE = 1e-7
"""Chances closer to 0 or 1 count as this close when they are calibrated."""


@dataclass(frozen=True, repr=False)
class CrfModel:
    """Score tokens by their attributes and decode the scores.

    Without ``threshold`` the best row of tags counts (Viterbi), and texts that were found are copied; with it, every
    token whose probability of carrying any label exceeds the threshold after the document rule
    (``document_rule.spread``), and a span's score is the mean of those probabilities. ``labels`` are its classes, of
    which the ``auxiliary`` ones are never marked.
    """

    extractor: Extractor
    labels: tuple[str, ...]
    names: tuple[str, ...]
    table: WeightTable
    transitions: NDArray[np.float64]
    lexicon: Lexicon
    kinds: Mapping[str, str]
    outside_bias: float = 0.0
    copy_length: int = 4
    threshold: float | None = None
    auxiliary: tuple[str, ...] = ()
    sigmoid: Sigmoid = UNCALIBRATED
    """What makes calibrated log odds of those of the marginals."""
    public: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Which slots of the table hold features without words; empty where nothing tells."""

    def with_bias(self, delta: float) -> "CrfModel":
        """Return the model with ``delta`` more on the score of O; below 0 it finds more."""
        return replace(self, outside_bias=self.outside_bias + delta)

    def with_threshold(self, threshold: float) -> "CrfModel":
        """Return the model that marks each token whose probability of any label exceeds the threshold."""
        return replace(self, threshold=threshold)

    def without_words(self) -> "CrfModel":
        """Return the model with neither key, features that carry words, nor lexicon; its other weights stay.

        Raises ModelError for a model of a folder that does not tell them apart.
        """
        table = only_public(self.table, self.public, len(self.names))
        extractor = Extractor(self.extractor.features.without_words(), b"")
        return replace(self, extractor=extractor, table=table, lexicon=no_lexicon(), public=np.zeros(0, np.uint8))

    def tokens(self, view: View) -> tuple[Offsets, Offsets]:
        """Return the starts and ends of tokens in original offsets, without placeholders."""
        return self.extractor.tokenizer(view).shown

    def predict(self, view: View) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        tokens = self.extractor.tokenizer(view)
        if self.threshold is None:
            spans = self._spans(tokens, self.best(view, tokens))
            return copy_spans(view, tokens, spans, self.copy_length) if self.copy_length else spans
        found = self.probabilities(view, tokens)
        chances = spread(tokens, self._calibrated(found[:, self._wanted].sum(1))).chances
        likeliest = self._wanted[found[:, self._wanted].argmax(1)] if len(self._wanted) else OUTSIDE
        tags = np.where(chances > self.threshold, likeliest, OUTSIDE).astype(np.int32)
        return mean_scores(self._spans(tokens, tags), tokens, chances)

    def _spans(self, tokens: Tokens, tags: NDArray[np.int32]) -> tuple[Span, ...]:
        """Return the spans of tags, and of the kinds of merged tokens that always carry one label."""
        add_kinds(tags, tokens.arrays.merged, self.kinds, self.labels)
        tags[tokens.is_placeholder] = OUTSIDE
        spans = decode(tokens.starts, tokens.ends, tags, self.labels)
        return tuple(span for span in spans if span.label not in self.auxiliary) if self.auxiliary else spans

    def chances(self, view: View, tokens: Tokens) -> NDArray[np.float64]:
        """Return each token's probability of carrying a label that the model marks."""
        return self._calibrated(self.probabilities(view, tokens)[:, self._wanted].sum(1))

    def _calibrated(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.sigmoid == UNCALIBRATED:
            return chances
        return calibration.probabilities(self.sigmoid.slope * _odds(chances) + self.sigmoid.intercept)

    def probabilities(self, view: View, tokens: Tokens) -> NDArray[np.float64]:
        """Return each token's probability of each tag, in the order of ``text.bio``; placeholders are surely O."""
        found = np.zeros((len(tokens), len(tag_names(self.labels))))
        for first, end, scores in self._scores(view, tokens):
            part = np.empty((end - first, len(self.names)))
            probabilities(scores, self.transitions, part)
            found[first:end, self._order] = part
        return found

    def _scores(self, view: View, tokens: Tokens) -> Iterator[tuple[int, int, NDArray[np.float64]]]:
        """Yield first token, end and the scores ``[token, tag]`` of consecutive sequences."""
        outside = self.names.index("O")
        closed = tokens.is_placeholder
        for start, columns, reduced, pieces in self.extractor.windows(view, tokens, self._known):
            for first, end in pieces:
                scores = score(columns, reduced, first, end, self.extractor.templates, self.table, len(self.names))
                if self.outside_bias:
                    scores[:, outside] += self.outside_bias
                if view.removed:
                    hidden = np.flatnonzero(closed[start + first : start + end])
                    scores[hidden] = IMPOSSIBLE
                    scores[hidden, outside] = 0.0
                yield start + first, start + end, scores

    def best(self, view: View, tokens: Tokens) -> NDArray[np.int32]:
        """Return the best row of tags (``text.bio``), as CRFsuite decodes it.

        Sums are CRFsuite's to the last bit and so are ties: the order of the additions and comparisons is the same.
        """
        tags = np.zeros(len(tokens), np.int32)
        for first, end, scores in self._scores(view, tokens):
            best_tags(scores, self.transitions, self._gains, tags[first:end])
        return self._order[tags] if len(tokens) else tags

    @cached_property
    def _known(self) -> Known:
        return self.lexicon.known()

    @cached_property
    def _order(self) -> NDArray[np.int32]:
        """The number in ``text.bio`` of each tag of the weights, which stand in the order of training."""
        places = {name: place for place, name in enumerate(tag_names(self.labels))}
        return np.array([places[name] for name in self.names], np.int32)

    @cached_property
    def _wanted(self) -> NDArray[np.int32]:
        """The numbers in ``text.bio`` of the tags of labels that are marked."""
        marked = [label not in self.auxiliary for label in self.labels]
        return np.flatnonzero([False, *(is_marked for is_marked in marked for _ in "BI")]).astype(np.int32)

    @cached_property
    def _gains(self) -> NDArray[np.float64]:
        return np.ascontiguousarray((self.transitions[None] - self.transitions[:, None]).max(2))

    def save(self, folder: Path) -> None:
        """Write the model into a new or empty folder: JSON and arrays, nothing that runs when read."""
        settings = CrfSettings(
            features=self.extractor.features,
            labels=self.labels,
            names=self.names,
            kinds=dict(self.kinds),
            outside_bias=self.outside_bias,
            copy_length=self.copy_length,
            threshold=self.threshold,
            auxiliary=self.auxiliary,
            slope=self.sigmoid.slope,
            intercept=self.sigmoid.intercept,
        )
        words, spans = self.lexicon.words, self.lexicon.spans
        given = (*self.table, self.public, self.transitions, *words, *spans)
        write_folder(folder, FORMAT, settings, dict(zip(ARRAYS, given, strict=True)), self.extractor.key)
        if self.extractor.tagger:
            self.extractor.tagger.save(folder)


def load_model(folder: Path, key: bytes) -> CrfModel:
    """Read a model that ``CrfModel.save`` wrote, and check every file; its arrays are mapped into memory.

    Raises ModelError on a folder that is missing, damaged, of another version or of another key.
    """
    record_hash(folder)
    check_files(folder, FORMAT)
    return open_model(folder, key)


def open_model(folder: Path, key: bytes) -> CrfModel:
    """Read a model whose files were checked before; once a process for the same folder, record and key."""
    return _load(folder.resolve(), record_hash(folder), key)


@lru_cache(maxsize=16)
def _load(folder: Path, _: str, key: bytes) -> CrfModel:
    settings, arrays = read_folder(folder, FORMAT, key)
    return CrfModel(
        extractor=make_extractor(settings.features, key, folder),
        labels=settings.labels,
        names=settings.names,
        table=WeightTable(*(arrays[name] for name in WeightTable._fields)),
        transitions=arrays["transitions"],
        lexicon=lexicon_of(arrays),
        kinds=settings.kinds,
        outside_bias=settings.outside_bias,
        copy_length=settings.copy_length,
        threshold=settings.threshold,
        auxiliary=settings.auxiliary,
        sigmoid=Sigmoid(settings.slope, settings.intercept),
        public=arrays["public"],
    )


def calibrated(model: CrfModel, held: Sequence[Example]) -> Sigmoid:
    """Fit the sigmoid of a model on examples that it was not fitted on; placeholders are no instances."""
    odds, carries = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for example in held:
        tokens = model.extractor.tokenizer(example.view)
        labels = sorted({span.label for span in example.spans})
        tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
        shown = ~tokens.is_placeholder
        odds.append(_odds(model.chances(example.view, tokens)[shown]))
        carries.append((tags != OUTSIDE)[shown])
    return fit_sigmoid(np.concatenate(odds), np.concatenate(carries))


def _odds(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    bounded = np.clip(chances, LEAST_CHANCE, 1 - LEAST_CHANCE)
    return np.asarray(np.log(bounded / (1 - bounded)))
