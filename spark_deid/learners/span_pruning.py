"""A support vector machine that tells right spans from wrong ones, as a model predicted them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.numerics.arrays import Bools, Float64s, Int64s, UInt8s, UInt64s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.core.span import Span
from spark_deid.learners.array_validation import check_number, check_table
from spark_deid.learners.calibration import UNCALIBRATED, SigmoidCalibration, log_odds
from spark_deid.learners.folders import ModelFormat, read_folder, record_hash, write_folder
from spark_deid.learners.matrix import attribute_matrix, index_attributes
from spark_deid.learners.scoring import (
    WEIGHT_ARRAYS,
    WeightTable,
    build_weight_table,
    only_public,
    public_slots,
    score_attributes,
)
from spark_deid.learners.svm import fit_margin
from spark_deid.learners.two_step import calibrate_class, fit_or_constant, sparse_weights
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.kernels.hashing import finish, salt, step
from spark_deid.text.token_columns.table import TrainingKnowledge
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

# Predicted spans as rows of hashed attributes, to be told right from wrong.


PLACES = ("first", "second", "last")
"""The tokens of a span that are looked at."""
LONGEST = 6
ABOUT = 5
"""Attributes of the span itself."""
CONFIDENCE_BINS = np.array([-4.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0])
"""Borders of the log odds that the model which predicted a span gave its tokens."""
_SALTS = np.array([salt(f"candidate {place}") for place in PLACES], np.uint64)


class SpanCandidates(NamedTuple):
    """Spans of a view by their tokens: ``firsts`` and ``ends``, and the attributes ``[attribute, span]``."""

    firsts: Int64s
    ends: Int64s
    attributes: UInt64s


@compiled
def _gather(attributes: UInt64s, begin: int, places: Int64s, salt: np.uint64, out: UInt64s) -> None:
    """Write the attributes of the tokens at ``places``, mixed with a salt, where they stand in this piece."""
    for c in range(len(places)):
        # Attributes come for a part of the text at a time, and spans outside of it are filled by another call.
        i = places[c] - begin
        if 0 <= i < attributes.shape[1]:
            for f in range(attributes.shape[0]):
                h = attributes[f, i]
                # The salt distinguishes the first, second and last token of a span, whose attributes would otherwise be
                # equal.
                out[f, c] = finish(step(salt, h)) if h != np.uint64(0) else np.uint64(0)


def candidates(
    extractor: FeatureExtractor,
    view: TextView,
    tokens: ViewTokens,
    known: TrainingKnowledge,
    spans: Sequence[Span],
    odds: Float64s,
) -> SpanCandidates:
    """Describe spans by their first, second and last tokens, label, length, and the odds of their tokens.

    ``odds[token]`` are the log odds that a token carries any label, as the model that predicted the spans has them.
    """
    firsts = np.searchsorted(tokens.ends, [span.start for span in spans], side="right")
    ends = np.searchsorted(tokens.starts, [span.end for span in spans], side="left")
    second = np.where(ends - firsts > 1, firsts + 1, -1)
    height = len(extractor.templates.sizes)
    places = np.zeros((len(PLACES) * height, len(spans)), np.uint64)
    for begin, _, attributes in extractor.sequences(view, tokens, known):
        for number, where in enumerate((firsts, second, ends - 1)):
            _gather(attributes, begin, where, _SALTS[number], places[number * height : (number + 1) * height])
    return SpanCandidates(firsts, ends, np.concatenate([places, _about(spans, firsts, ends, odds)]))


def secret_rows(extractor: FeatureExtractor) -> Bools:
    """Tell which rows of a candidate's attributes carry words."""
    return np.concatenate([np.tile(extractor.templates.secret, len(PLACES)), np.zeros(ABOUT, np.bool_)])


def _about(spans: Sequence[Span], firsts: Int64s, ends: Int64s, odds: Float64s) -> UInt64s:
    """Return attributes of the spans themselves: how sure the model was, each alone and by label."""
    rows = np.zeros((ABOUT, len(spans)), np.uint64)
    for c, (span, first, end) in enumerate(zip(spans, firsts.tolist(), ends.tolist(), strict=True)):
        length = min(end - first, LONGEST)
        mean, least = (
            int(np.searchsorted(CONFIDENCE_BINS, value)) for value in (odds[first:end].mean(), odds[first:end].min())
        )
        # The hash of each word is an attribute, so values need neither an order nor a scale.
        stated = (span.label, f"length {length}", f"mean {mean}", f"least {least}", f"{span.label} mean {mean}")
        rows[:, c] = [salt(f"candidate {word}") for word in stated]
    return rows


SURE = 20.0
"""Log odds of a pruner that found nothing to learn: it keeps everything."""
PENALTY, TOLERANCE = 0.1, 0.01


class JudgedCandidates(NamedTuple):
    """The candidates of a document, and which of them are right."""

    found: SpanCandidates
    right: Bools


class PrunerSettings(BaseModel):
    """What the pruning machine is besides its weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bias: float
    slope: float
    intercept: float
    threshold: float


OLDER = "spark-deid pruner 1"
FORMAT = ModelFormat(
    "spark-deid pruner 2",
    PrunerSettings,
    {**WEIGHT_ARRAYS, "public": np.uint8},
    older={OLDER: frozenset({"public"})},
    secret=OLDER,
)


@dataclass(frozen=True, repr=False)
class SpanPruner:
    """Tell right spans from wrong ones: a span stays where its probability of being right exceeds the threshold."""

    table: WeightTable
    bias: float
    sigmoid: SigmoidCalibration
    threshold: float = 0.5
    public: UInt8s = field(default_factory=lambda: np.zeros(0, np.uint8))
    """Which slots of the table hold attributes without words; empty where nothing tells."""

    def without_words(self) -> "SpanPruner":
        """Return the pruner without attributes that carry words; raises ModelError where nothing tells them apart."""
        return replace(self, table=only_public(self.table, self.public, 1), public=np.zeros(0, np.uint8))

    def keeps(self, found: SpanCandidates) -> Bools:
        """Tell which spans stay."""
        margins = score_attributes(found.attributes, self.table, 1)[:, 0] + self.bias
        odds = self.sigmoid.slope * margins + self.sigmoid.intercept
        return np.asarray(odds > log_odds(self.threshold))

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        for name, value in (("bias", self.bias), *self.sigmoid._asdict().items()):
            check_number(name, value)
        check_number("threshold", self.threshold, 0, 1)
        check_table(self.table, 1, self.public)

    def save(self, folder: Path, key: bytes) -> None:
        """Write the pruner into a new or empty folder."""
        slope, intercept = self.sigmoid
        settings = PrunerSettings(bias=self.bias, slope=slope, intercept=intercept, threshold=self.threshold)
        write_folder(folder, FORMAT, settings, {**self.table._asdict(), "public": self.public}, key)


def fit_pruner(documents: Sequence[JudgedCandidates], secret: Bools, *, min_frequency: int, seed: int) -> SpanPruner:
    """Fit a pruner; where all candidates are right, or all wrong, it keeps everything.

    ``secret`` tells which rows of the candidates' attributes carry words.
    """
    truth = np.concatenate([np.zeros(0, np.bool_), *(each.right for each in documents)])
    if truth.all() or not truth.any():
        nothing = sparse_weights(("right",), np.zeros(0, np.uint64), np.zeros((0, 1)))
        table = build_weight_table(nothing)
        return SpanPruner(table, SURE, UNCALIBRATED, public=public_slots(table, np.zeros(0, np.uint64)))
    rows = [each.found.attributes for each in documents if len(each.right)]
    index = index_attributes(rows, min_frequency)
    matrix = attribute_matrix(rows, index, np.zeros((len(truth), 0), np.int32), 0)
    fit_class = partial(fit_margin, penalty=PENALTY, tolerance=TOLERANCE, seed=seed)
    weights, bias = fit_or_constant(matrix, truth, fit_class)
    numbers = np.repeat(np.arange(len(documents)), [len(each.right) for each in documents])
    sigmoid = calibrate_class(matrix, truth, numbers, fit_class)
    table = build_weight_table(sparse_weights(("right",), index.attributes, weights[:, None]))
    public = np.unique(np.concatenate([each[~secret].ravel() for each in rows]))
    return SpanPruner(table, bias, sigmoid, public=public_slots(table, public))


def open_pruner(folder: Path, key: bytes) -> SpanPruner:
    """Read a pruner whose files were checked before, once a process; raises ModelError where it does not fit."""
    return _load(folder.resolve(), record_hash(folder), key)


@lru_cache(maxsize=16)
def _load(folder: Path, _: str, key: bytes) -> SpanPruner:
    settings, arrays = read_folder(folder, FORMAT, key)
    table = WeightTable(*(arrays[name] for name in WeightTable._fields))
    return SpanPruner(
        table,
        settings.bias,
        SigmoidCalibration(settings.slope, settings.intercept),
        settings.threshold,
        arrays["public"],
    )
