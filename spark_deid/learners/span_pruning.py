"""A support vector machine that tells right spans from wrong ones, as a model predicted them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.numerics.arrays import Bools, UInt8s
from spark_deid.learners.array_validation import check_number, check_table
from spark_deid.learners.calibration import UNCALIBRATED, SigmoidCalibration, log_odds
from spark_deid.learners.candidates import SpanCandidates
from spark_deid.learners.folders import ModelFormat, read_folder, record_hash, write_folder
from spark_deid.learners.matrix import attribute_matrix, index_attributes
from spark_deid.learners.public_weights import only_public, public_slots
from spark_deid.learners.scoring import WEIGHT_ARRAYS, WeightTable, build_weight_table, score_attributes
from spark_deid.learners.svm import fit_margin
from spark_deid.learners.two_step import calibrate_class, fit_or_constant, sparse_weights

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
