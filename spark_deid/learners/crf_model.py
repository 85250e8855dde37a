"""A fitted conditional random field."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.numerics.arrays import Float64s, Int32s
from spark_deid.core.span import Span
from spark_deid.learners import calibration
from spark_deid.learners.array_validation import check_labels, check_names, check_number, check_numbers
from spark_deid.learners.base import TrainingExample, WordProbabilities
from spark_deid.learners.calibration import UNCALIBRATED, SigmoidCalibration, fit_sigmoid
from spark_deid.learners.chain import TransitionFactors, best_tags, probabilities, transition_factors, write_marked
from spark_deid.learners.document_rule import apply_rule
from spark_deid.learners.folders import ModelFormat
from spark_deid.learners.lexicon import LEXICON_ARRAYS
from spark_deid.learners.propagation import copy_spans, mean_scores
from spark_deid.learners.scoring import WEIGHT_ARRAYS
from spark_deid.learners.token_model import TokenModel, TokenScores
from spark_deid.text.bio import OUTSIDE, encode, tag_names
from spark_deid.text.features import FeatureSet
from spark_deid.text.kernels.vectors import pad_to_eight
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

IMPOSSIBLE = -1e30
LEAST_CHANCE = 1e-7
"""Chances closer to 0 or 1 count as this close when they are calibrated."""


class CrfSettings(BaseModel):
    """What a model is besides its arrays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    features: FeatureSet
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kinds: dict[str, str]
    outside_bias: float
    copy_length: int
    threshold: float | None
    auxiliary: tuple[str, ...] = ()
    slope: float = 1.0
    intercept: float = 0.0


FORMAT = ModelFormat(
    "spark-deid crf 2",
    CrfSettings,
    {**WEIGHT_ARRAYS, "public": np.uint8, "transitions": np.float64, **LEXICON_ARRAYS},
    library="python-crfsuite",
    older={"spark-deid crf 1": frozenset({"wide", "public"})},
    secret="crf words",
)


@dataclass(frozen=True, repr=False, kw_only=True)
class CrfModel(TokenModel):
    """Score tokens by their attributes and decode the scores.

    Without ``threshold`` the best row of tags counts (Viterbi), and texts that were found are copied; with it, every
    token whose probability of carrying any label exceeds the threshold after the document rule
    (``document_rule.apply_rule``), and a span's score is the mean of those probabilities. ``labels`` are its classes,
    of which the ``auxiliary`` ones are never marked.
    """

    form = FORMAT

    names: tuple[str, ...]
    transitions: Float64s
    threshold: float | None = None
    auxiliary: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Return the number of tags."""
        return len(self.names)

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        check_names(self.names, tag_names(self.labels))
        check_labels(self.labels, self.auxiliary)
        check_numbers("transitions", self.transitions, (self.width, self.width))
        check_number("threshold", self.threshold, 0, 1)
        super().check()

    def with_threshold(self, threshold: float) -> "CrfModel":
        """Return the model that marks each token whose probability of any label exceeds the threshold."""
        return replace(self, threshold=threshold)

    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        tokens = self.extractor.tokenizer(view)
        if self.threshold is None:
            spans = self.spans(tokens, self.best(view, tokens))
            return copy_spans(view, tokens, spans, self.copy_length) if self.copy_length else spans
        chances, likeliest = self._marked(view, tokens)
        chances = apply_rule(tokens, self._calibrated(chances)).chances
        tags = np.where(chances > self.threshold, likeliest, OUTSIDE).astype(np.int32)
        return mean_scores(self.spans(tokens, tags), tokens, chances)

    def weigh(self, view: TextView, label: str) -> WordProbabilities:
        """Return the words of a view, each with its probabilities of any label and of one, after the document rule."""
        tokens = self.extractor.tokenizer(view)
        wanted = np.zeros(pad_to_eight(self.width))
        wanted[: self.width] = [name[2:] == label for name in self.names]
        found, tags = np.zeros((2, len(tokens))), np.zeros(len(tokens), np.int32)
        for first, end, part in self._probabilities(view, tokens):
            for kinds, chances in zip((self._is_marked, wanted), found, strict=True):
                write_marked(part, kinds, chances[first:end], tags[first:end])
        words = tokens.is_word
        marks, labels = (apply_rule(tokens, self._calibrated(chances)).chances[words] for chances in found)
        return WordProbabilities(tokens.starts[words], tokens.ends[words], marks, labels)

    def spans(self, tokens: ViewTokens, tags: Int32s) -> tuple[Span, ...]:
        """Return the spans of tags without those of auxiliary labels; see ``TokenModel.spans``."""
        return tuple(span for span in super().spans(tokens, tags) if span.label not in self.auxiliary)

    def chances(self, view: TextView, tokens: ViewTokens) -> Float64s:
        """Return each token's probability of carrying a label that the model marks."""
        return self._calibrated(self._marked(view, tokens)[0])

    def _calibrated(self, chances: Float64s) -> Float64s:
        if self.sigmoid == UNCALIBRATED:
            return chances
        return calibration.probabilities(self.sigmoid.slope * _odds(chances) + self.sigmoid.intercept)

    def probabilities(self, view: TextView, tokens: ViewTokens) -> Float64s:
        """Return each token's probability of each tag, in the order of ``text.bio``; placeholders are surely O."""
        found = np.zeros((len(tokens), len(tag_names(self.labels))))
        for first, end, part in self._probabilities(view, tokens):
            found[first:end, self._order] = part[:, : self.width]
        return found

    def _marked(self, view: TextView, tokens: ViewTokens) -> tuple[Float64s, Int32s]:
        """Return each token's probability of a label that is marked, and the likeliest tag of these (``text.bio``)."""
        chances, tags = np.zeros(len(tokens)), np.full(len(tokens), OUTSIDE, np.int32)
        if self._is_marked.any():
            for first, end, part in self._probabilities(view, tokens):
                write_marked(part, self._is_marked, chances[first:end], tags[first:end])
            tags = self._order[tags]
        return chances, tags

    def _probabilities(self, view: TextView, tokens: ViewTokens) -> Iterator[TokenScores]:
        """Yield the probabilities of consecutive sequences' tags in the order of training, padded to whole vectors."""
        for first, end, scores in self._scores(view, tokens):
            part = np.empty((end - first, pad_to_eight(self.width)))
            probabilities(scores, self._factors, part)
            yield TokenScores(first, end, part)

    def _scores(self, view: TextView, tokens: ViewTokens) -> Iterator[TokenScores]:
        """Yield the scores of consecutive sequences, with the bias on O; placeholders can be nothing else."""
        outside = self.names.index("O")
        for piece in self.scored(view, tokens):
            if self.outside_bias:
                piece.scores[:, outside] += self.outside_bias
            if view.removed:
                hidden = np.flatnonzero(tokens.is_placeholder[piece.first : piece.end])
                piece.scores[hidden] = IMPOSSIBLE
                piece.scores[hidden, outside] = 0.0
            yield piece

    def best(self, view: TextView, tokens: ViewTokens) -> Int32s:
        """Return the best row of tags (``text.bio``), as CRFsuite decodes it.

        Sums are CRFsuite's to the last bit and so are ties: the order of the additions and comparisons is the same.
        """
        tags = np.zeros(len(tokens), np.int32)
        for first, end, scores in self._scores(view, tokens):
            best_tags(scores, self.transitions, self._gains, tags[first:end])
        return self._order[tags] if len(tokens) else tags

    @cached_property
    def _order(self) -> Int32s:
        """The number in ``text.bio`` of each tag of the weights, which are in the order of training."""
        places = {name: place for place, name in enumerate(tag_names(self.labels))}
        return np.array([places[name] for name in self.names], np.int32)

    @cached_property
    def _is_marked(self) -> Float64s:
        """1 for each tag of a label that is marked, in the order of training, padded to whole vectors."""
        found = np.zeros(pad_to_eight(self.width))
        found[: self.width] = [name != "O" and name[2:] not in self.auxiliary for name in self.names]
        return found

    @cached_property
    def _factors(self) -> TransitionFactors:
        return transition_factors(self.transitions)

    @cached_property
    def _gains(self) -> Float64s:
        return np.ascontiguousarray((self.transitions[None] - self.transitions[:, None]).max(2))


def calibrate_model(model: CrfModel, held: Sequence[TrainingExample]) -> SigmoidCalibration:
    """Fit the sigmoid of a model on examples that it was not fitted on; placeholders are not instances."""
    odds, carries = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for example in held:
        tokens = model.extractor.tokenizer(example.view)
        labels = sorted({span.label for span in example.spans})
        tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
        visible = ~tokens.is_placeholder
        odds.append(_odds(model.chances(example.view, tokens)[visible]))
        carries.append((tags != OUTSIDE)[visible])
    return fit_sigmoid(np.concatenate(odds), np.concatenate(carries)) or UNCALIBRATED


def _odds(chances: Float64s) -> Float64s:
    bounded = np.clip(chances, LEAST_CHANCE, 1 - LEAST_CHANCE)
    return np.asarray(np.log(bounded / (1 - bounded)))
