"""A token classifier with linear weights, decoded from left to right: the model of ``svm`` and of ``adaboost``."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.core.span import Span
from spark_deid.learners.array_validation import check_number, check_numbers
from spark_deid.learners.calibration import log_odds, probabilities
from spark_deid.learners.document_rule import apply_rule
from spark_deid.learners.folders import ModelFormat
from spark_deid.learners.lexicon import LEXICON_ARRAYS
from spark_deid.learners.propagation import copy_spans, mean_scores
from spark_deid.learners.scoring import WEIGHT_ARRAYS
from spark_deid.learners.token_model import TokenModel
from spark_deid.text.bio import OUTSIDE, tag_names
from spark_deid.text.features import FeatureSet
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView


class TaggedTokens(NamedTuple):
    """The tag of each token, and the log odds that it carries any tag but O."""

    tags: Int32s
    odds: Float64s


class LinearSettings(BaseModel):
    """What a model is besides its arrays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    features: FeatureSet
    labels: tuple[str, ...]
    kinds: dict[str, str]
    slope: float
    intercept: float
    outside_bias: float
    copy_length: int
    threshold: float
    by_cost: bool = False


OLDER = "spark-deid linear 1"
FORMAT = ModelFormat(
    "spark-deid linear 2",
    LinearSettings,
    {**WEIGHT_ARRAYS, "history": np.float64, "biases": np.float64, **LEXICON_ARRAYS, "public": np.uint8},
    older={OLDER: frozenset({"public"})},
    secret=OLDER,
)


@dataclass(frozen=True, repr=False, kw_only=True)
class LinearModel(TokenModel):
    """Tag a token where its calibrated probability of carrying any label exceeds the threshold.

    The tags that the two tokens before are likely to carry (probability above one half, and the bias) take part in each
    decision. ``learner`` states what fitted the weights. A
    span's score is the mean probability of its tokens.
    """

    form = FORMAT

    learner: str
    history: Float64s
    biases: Float64s
    threshold: float = 0.5
    by_cost: bool = False
    """Whether the threshold was set by costs: then the document rule is in for copies of what was found."""

    @property
    def width(self) -> int:
        """Return the number of tags, since the margin is where the score of O would."""
        return len(self.biases)

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        tags = len(tag_names(self.labels))
        check_numbers("biases", self.biases, (tags,))
        check_numbers("history", self.history, (2, tags, tags))
        check_number("threshold", self.threshold, 0, 1)
        super().check()

    def with_threshold(self, threshold: float) -> "LinearModel":
        """Return the model that marks each token whose probability of any label exceeds the threshold.

        Probabilities are those after the document rule (``document_rule.apply_rule``).
        """
        return replace(self, threshold=threshold, by_cost=True)

    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        tokens = self.extractor.tokenizer(view)
        tags, odds = self.tag(view, tokens)
        chances = probabilities(odds)
        if self.by_cost:
            chances = self._follow(tokens, tags, chances)
        spans = mean_scores(self.spans(tokens, tags), tokens, chances)
        return copy_spans(view, tokens, spans, self.copy_length) if self.copy_length and not self.by_cost else spans

    def _follow(self, tokens: ViewTokens, tags: Int32s, chances: Float64s) -> Float64s:
        """Tag, in place, what the document rule makes likely enough, as where it is likeliest; return the chances."""
        after, origins = apply_rule(tokens, chances)
        raised = np.flatnonzero((tags == OUTSIDE) & (after > self.threshold) & (tags[origins] != OUTSIDE))
        tags[raised] = (tags[origins[raised]] - 1) // 2 * 2 + 1
        return after

    def tag(self, view: TextView, tokens: ViewTokens) -> TaggedTokens:
        """Tag the tokens of a view by their scores only."""
        scores = np.empty((len(tokens), self.width))
        for first, end, found in self.scored(view, tokens):
            np.add(found[:, : self.width], self.biases, out=scores[first:end])
        tags, margins = np.zeros(len(tokens), np.int32), np.empty(len(tokens))
        likely, cut = self._cut(0.5), self._cut(self.threshold)
        tag_in_order(scores, self.history, tokens.is_placeholder, likely, cut, tags, margins)
        return TaggedTokens(tags, self.sigmoid.slope * margins + self.sigmoid.intercept)

    def _cut(self, threshold: float) -> float:
        """Return the margin at which the log odds reach the threshold's."""
        return (log_odds(threshold) + self.outside_bias - self.sigmoid.intercept) / self.sigmoid.slope


# Decode tokens from left to right, each told the tags that were given to the two before it.


Scores = Float64s


@compiled
def tag_in_order(
    scores: Scores, history: Scores, closed: Bools, likely: float, cut: float, tags: Int32s, margins: Scores
) -> None:
    """Write each token's tag, and its margin: the score of carrying any tag but O.

    ``scores[token, 0]`` is the part of the margin that attributes give, ``scores[token, tag]`` that of each tag.
    ``history[0, tag]`` and ``history[1, tag]`` hold what the tags of the token before, and of the one before that, add
    to every column. A token carries the best tag where its margin exceeds ``cut``; a closed token is O. The tags that
    later tokens are reported are those of margins above ``likely``, regardless of the cut: margins do not depend on it,
    so a lower cut marks what a higher one does, and a careful one does not talk itself into the next token.
    """
    size = scores.shape[1]
    last = 0
    last_but_one = 0
    for t in range(len(scores)):
        tag = 0
        # A closed token keeps this margin, so no cut hides it.
        margins[t] = -np.inf
        if not closed[t]:
            margins[t] = scores[t, 0] + history[0, last, 0] + history[1, last_but_one, 0]
            # The best tag matters only if this token is hidden or later tokens read it.
            if margins[t] > min(cut, likely) and size > 1:
                best = -np.inf
                for k in range(1, size):
                    value = scores[t, k] + history[0, last, k] + history[1, last_but_one, k]
                    if value > best:
                        best = value
                        tag = k
        tags[t] = tag if margins[t] > cut else 0
        # `likely` decides the history for every cut, so a lower cut never changes the margins of later tokens.
        last_but_one = last
        last = tag if margins[t] > likely else 0


def history_columns(tags: Int32s, size: int) -> Int32s:
    """Return the columns ``[token, 2]`` that the gold tags of the two tokens before represent, -1 for O and nothing.

    Tag ``k`` > 0 of the token before is column ``k - 1``; of the one before that, ``size - 1`` columns on.
    """
    columns = np.full((len(tags), 2), -1, np.int32)
    columns[1:, 0] = np.where(tags[:-1] > 0, tags[:-1] - 1, -1)
    columns[2:, 1] = np.where(tags[:-2] > 0, size - 1 + tags[:-2] - 1, -1)
    return columns


def history_table(weights: Scores, size: int) -> Scores:
    """Lay out weights ``[column, score]`` of history columns for ``tag_in_order``."""
    table = np.zeros((2, size, weights.shape[1]))
    table[0, 1:] = weights[: size - 1]
    table[1, 1:] = weights[size - 1 :]
    return table
