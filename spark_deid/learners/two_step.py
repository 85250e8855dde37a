"""Fit a token classifier in two steps: does a token carry any tag but O, and, of those that do, which one.

Linear weights in both: what a step learns of a class comes from a ``FittingMethod``. The first step, on
all tokens, decides what is found, and has calibrated margins, so that costs of misses and false alarms can be told to
it afterwards; the second sees tagged tokens alone and so costs little, whatever the number of labels.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_matrix

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s, UInt64s
from spark_deid.learners.calibration import DECIDED, UNCALIBRATED, SigmoidCalibration, fit_sigmoid
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.linear_model import LinearModel, history_columns, history_table
from spark_deid.learners.matrix import attribute_matrix, index_attributes, rows_of, used_columns
from spark_deid.learners.preparation import FitPreparation
from spark_deid.learners.scoring import build_weight_table, public_keys, public_slots
from spark_deid.text.bio import OUTSIDE, tag_names

ALWAYS, NEVER = 1.0, -1.0
"""The score of a class that all rows have, and of one that none has."""
FitClass = Callable[[csr_matrix, Bools], "ClassWeights"]
"""Learn to tell the flagged rows from the others; there are rows of both kinds."""
PARTS = 3
"""Documents are dealt out into so many parts; margins of each are of a fit to the others."""
CALIBRATION_TOKENS = 100_000
"""Of documents with about so many tokens, evenly chosen: a sigmoid of two numbers needs no more."""


class ClassWeights(NamedTuple):
    """The margin of a class is ``features @ weights + bias``."""

    weights: Float64s
    bias: float


class _Table(NamedTuple):
    """Tokens to learn from, placeholders left out: features, gold tags, number of the document."""

    matrix: csr_matrix
    tags: Int32s
    documents: Int64s


class FittingMethod(Protocol):
    """What fits linear weights."""

    @property
    def name(self) -> str:
        """Return the name of the learner."""

    def fit_class(self, matrix: csr_matrix, positive: Bools, *, seed: int) -> ClassWeights:
        """Learn to tell the flagged rows from the others; there are rows of both kinds."""

    def fit_tags(self, matrix: csr_matrix, tags: Int32s, *, seed: int) -> Mapping[int, ClassWeights]:
        """Learn to tell each tag's rows from the others; there are rows of two tags at least."""


def fit_steps(
    ready: FitPreparation, method: FittingMethod, *, seed: int, min_frequency: int, copy_length: int, calibrate: bool
) -> LinearModel:
    """Fit both steps and put their weights into one model; ``calibrate`` costs two more fits of the first step."""
    names = tag_names(ready.labels)
    pieces = [ready.sequences(each) for each in ready.examples]
    sequences = [piece.attributes for document in pieces for piece in document]
    public = public_keys((piece for document in pieces for piece in document), ready.extractor.templates.secret)
    index = index_attributes(sequences, min_frequency)
    history = np.concatenate([history_columns(each.tags, len(names)) for each in ready.examples])
    matrix = attribute_matrix(sequences, index, history, 2 * (len(names) - 1))
    table = _without_placeholders(ready, matrix, pieces)
    del pieces, sequences
    weights, biases = _fit_all(table, len(names), method, seed)
    sigmoid = _calibrate(table, partial(method.fit_class, seed=seed)) if calibrate else UNCALIBRATED
    width = len(index.attributes)
    found = build_weight_table(sparse_weights(names, index.attributes, weights[:width]))
    return LinearModel(
        learner=method.name,
        extractor=ready.extractor,
        labels=ready.labels,
        table=found,
        history=history_table(weights[width:], len(names)),
        biases=biases,
        sigmoid=sigmoid,
        lexicon=ready.lexicon,
        kinds=ready.kinds(),
        copy_length=copy_length,
        public=public_slots(found, public),
    )


def _without_placeholders(
    ready: FitPreparation, matrix: csr_matrix, pieces: Sequence[Sequence[LabelledSequence]]
) -> _Table:
    """Leave out placeholders: they are no instances."""
    written = np.concatenate([~each.tokens.is_placeholder for each in ready.examples])
    tags = np.concatenate([each.tags for each in ready.examples])
    documents = np.repeat(np.arange(len(pieces)), [len(each.tokens) for each in ready.examples])
    return _Table(rows_of(matrix, written) if not written.all() else matrix, tags[written], documents[written])


def _fit_all(table: _Table, size: int, method: FittingMethod, seed: int) -> tuple[Float64s, Float64s]:
    """Return weights ``[feature, score]`` and biases: score 0 tells any tag from O, the others the tags apart."""
    weights, biases = np.zeros((table.matrix.shape[1], size)), np.full(size, NEVER)
    carries = table.tags != OUTSIDE
    weights[:, 0], biases[0] = fit_or_constant(table.matrix, carries, partial(method.fit_class, seed=seed))
    tags = table.tags[carries]
    part, used = used_columns(rows_of(table.matrix, carries))
    present = np.unique(tags)
    if len(present) == 1:
        biases[present[0]] = ALWAYS
    elif len(present):
        for tag, found in method.fit_tags(part, tags, seed=seed).items():
            weights[used, tag], biases[tag] = found
    return weights, biases


def one_by_one(matrix: csr_matrix, tags: Int32s, *, fit_class: FitClass) -> dict[int, ClassWeights]:
    """Fit each tag against the others."""
    return {tag: fit_class(matrix, tags == tag) for tag in np.unique(tags).tolist()}


def fit_or_constant(matrix: csr_matrix, positive: Bools, fit_class: FitClass) -> ClassWeights:
    """Fit a class; where there is nothing to tell apart, the bias says so."""
    if positive.all() or not positive.any():
        return ClassWeights(np.zeros(matrix.shape[1]), ALWAYS if len(positive) and positive.all() else NEVER)
    return fit_class(matrix, positive)


def _calibrate(table: _Table, fit_class: FitClass) -> SigmoidCalibration:
    """Calibrate the first step."""
    every = -(-len(table.tags) // CALIBRATION_TOKENS)
    chosen = table.documents % max(1, every) == 0
    matrix = table.matrix if chosen.all() else rows_of(table.matrix, chosen)
    return calibrate_class(matrix, table.tags[chosen] != OUTSIDE, table.documents[chosen], fit_class)


def calibrate_class(matrix: csr_matrix, positive: Bools, documents: Int64s, fit_class: FitClass) -> SigmoidCalibration:
    """Fit a sigmoid to the margins of all documents, each part's by a class that was fitted to the other parts.

    Where the margins tell no odds, the sigmoid decides by their sign.
    """
    parts = np.unique(documents, return_inverse=True)[1] % PARTS
    margins, judged = np.zeros(len(positive)), np.zeros(len(positive), np.bool_)
    for part in range(PARTS):
        held = parts == part
        training = positive[~held]
        if held.any() and training.any() and not training.all():
            weights, bias = fit_class(rows_of(matrix, ~held), training)
            margins[held], judged[held] = rows_of(matrix, held) @ weights + bias, True
    return fit_sigmoid(margins[judged], positive[judged]) or DECIDED


def sparse_weights(names: tuple[str, ...], keys: UInt64s, weights: Float64s) -> ChainWeights:
    """Lay out weights ``[attribute, score]`` for a weight table; those that are zero are left out."""
    rows, columns = np.nonzero(weights)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(keys)))])
    return ChainWeights(names, keys, starts, columns.astype(np.uint8), weights[rows, columns], np.zeros((0, 0)))
