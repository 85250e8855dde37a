"""Fit a linear-chain CRF by maximum likelihood with L-BFGS: CRFsuite's objective, in a fraction of its time.

The weights are those of attributes with tags, and of pairs of neighbouring tags, that training tokens have often
enough; penalties on their squares (``c2``) and magnitudes (``c1``) are those of CRFsuite.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s, UInt64s
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.crf_likelihood import (
    add_lone_slopes,
    add_lone_weights,
    add_slopes,
    add_weights,
    chain_loss,
    count_pairs,
)
from spark_deid.learners.matrix import attribute_matrix, index_attributes
from spark_deid.text.bio import OUTSIDE
from spark_deid.text.kernels.vectors import pad_to_eight

CORRECTIONS = 6
"""Steps that L-BFGS remembers."""
LEAST_GAIN = 1e-6
"""The fraction of the loss that a step must gain, or the search ends: CRFsuite's 1e-5 in ten steps."""


class TokenAttributes(NamedTuple):
    """The attributes that each token has: those of token t are ``attributes[starts[t]:starts[t + 1]]``."""

    starts: Int32s
    attributes: Int32s


@dataclass(frozen=True, repr=False)
class TrainingChains:
    """Training tokens: attributes by token, tags, first tokens of sequences; and the weights that there are.

    Attributes with weights for several tags (``many``) have rows of a table ``[attribute, P]``, of which ``cells`` are
    weights. Most attributes are rare and have one weight only (``lone``), for ``lone_tags[attribute]``. ``steps`` are
    the weights in a table ``[P, P]`` of pairs of tags. ``table``, ``gradient`` (as the rows) and ``states``
    (``[token, P]``) are room for each call of ``loss``, since making it again takes longer than filling it.
    """

    many: TokenAttributes
    lone: TokenAttributes
    lone_tags: Int32s
    tags: Int32s
    borders: Int32s
    size: int
    cells: Int64s
    steps: Int64s
    table: Float64s
    gradient: Float64s
    states: Float64s

    def __len__(self) -> int:
        """Return the number of weights: of cells, of lone attributes, of steps, in this order."""
        return len(self.cells) + len(self.lone_tags) + len(self.steps)

    def loss(self, weights: Float64s, penalty: float) -> tuple[float, Float64s]:
        """Return the penalized loss of weights and its gradient."""
        cells, lone, _ = self.parts(weights)
        transitions = self.transitions(weights)
        between, slopes = np.zeros_like(transitions), np.zeros(len(lone))
        self.table.ravel()[self.cells] = cells
        self.states.fill(0.0)
        self.gradient.fill(0.0)
        add_weights(*self.many, self.table, self.states)
        add_lone_weights(*self.lone, self.lone_tags, lone, self.states)
        loss = chain_loss(self.states, self.tags, self.borders, transitions, self.size, between)
        add_slopes(*self.many, self.states, self.gradient)
        add_lone_slopes(*self.lone, self.lone_tags, self.states, slopes)
        gradient = np.concatenate([self.gradient.ravel()[self.cells], slopes, between.ravel()[self.steps]])
        return loss + penalty * float(np.square(weights).sum()), gradient + 2 * penalty * weights

    def parts(self, weights: Float64s) -> tuple[Float64s, Float64s, Float64s]:
        """Return the weights of cells, of lone attributes and of steps."""
        first = len(self.cells)
        second = first + len(self.lone_tags)
        return weights[:first], weights[first:second], weights[second:]

    def transitions(self, weights: Float64s) -> Float64s:
        """Lay out the weights of pairs of tags, zero if it is missing."""
        width = self.table.shape[1]
        table = np.zeros((width, width))
        table.ravel()[self.steps] = self.parts(weights)[2]
        return table


def maximize(
    sequences: Sequence[LabelledSequence],
    names: Sequence[str],
    *,
    penalty: float,
    iterations: int,
    least: int,
    sparsity: float = 0.0,
) -> ChainWeights:
    """Fit; attributes that fewer than ``least`` tokens have, or have with a tag, are omitted. Draws nothing.

    ``penalty`` weighs the sum of the squares of weights, ``sparsity`` that of their magnitudes.
    """
    # Here, since a model that is only read needs not one of it.
    from threadpoolctl import threadpool_limits

    given = np.concatenate([sequence.tags for sequence in sequences])
    used = np.union1d(given, [OUTSIDE])
    chains, keys = chains_of(sequences, np.searchsorted(used, given).astype(np.int32), len(used), least)
    # In one thread sums have one order, so that the model is the same on every number of cores.
    with threadpool_limits(1, user_api="blas"):
        found = _search(chains, penalty=penalty, sparsity=sparsity, iterations=iterations)
    return _weights(chains, found, keys, tuple(names[tag] for tag in used.tolist()))


def _search(chains: TrainingChains, *, penalty: float, sparsity: float, iterations: int) -> Float64s:
    """Minimize the loss by L-BFGS.

    Magnitudes have no slope at zero: with them every weight is the difference of two that are never negative, of which
    one is zero at the optimum.
    """
    from scipy.optimize import Bounds, minimize

    size = len(chains)
    options = {"maxiter": iterations, "maxcor": CORRECTIONS, "ftol": LEAST_GAIN, "gtol": 0.0}
    minimum = partial(minimize, jac=True, method="L-BFGS-B", options=options)
    if not sparsity:
        return np.asarray(minimum(partial(chains.loss, penalty=penalty), np.zeros(size)).x)
    loss = partial(_loss_of_halves, chains=chains, penalty=penalty, sparsity=sparsity)
    both: Float64s = np.asarray(
        minimum(loss, np.zeros(2 * size), bounds=Bounds(np.zeros(2 * size), np.full(2 * size, np.inf))).x
    )
    difference: Float64s = both[:size] - both[size:]
    return difference


def _loss_of_halves(
    both: Float64s, *, chains: TrainingChains, penalty: float, sparsity: float
) -> tuple[float, Float64s]:
    size = len(chains)
    loss, slopes = chains.loss(both[:size] - both[size:], penalty)
    return loss + sparsity * float(both.sum()), np.concatenate([sparsity + slopes, sparsity - slopes])


def chains_of(
    sequences: Sequence[LabelledSequence], tags: Int32s, size: int, least: int
) -> tuple[TrainingChains, UInt64s]:
    """Lay out training tokens; return the attributes too: of rows, then lone ones.

    Frequent attributes come first, so that their weights remain in the cache.
    """
    pieces = [sequence.attributes for sequence in sequences]
    index = index_attributes(pieces, least)
    matrix = attribute_matrix(pieces, index, np.zeros((len(tags), 0), np.int32), 0)
    width = pad_to_eight(size)
    counts = np.zeros((len(index.attributes), width), np.int32)
    count_pairs(matrix.indptr, matrix.indices, tags, counts)
    weighed = (counts >= least).sum(1)
    frequency = counts.sum(1)
    several, one = np.flatnonzero(weighed > 1), np.flatnonzero(weighed == 1)
    many, lone = (chosen[np.argsort(-frequency[chosen], kind="stable")] for chosen in (several, one))
    borders = np.cumsum([0, *(len(sequence.tags) for sequence in sequences)]).astype(np.int32)
    chains = TrainingChains(
        many=_attributes_of(matrix, many),
        lone=_attributes_of(matrix, lone),
        lone_tags=(counts[lone] >= least).argmax(1).astype(np.int32),
        tags=tags,
        borders=borders,
        size=size,
        cells=np.flatnonzero(counts[many] >= least),
        steps=np.flatnonzero(_pairs(tags, borders, width) >= least),
        table=np.zeros((len(many), width)),
        gradient=np.empty((len(many), width)),
        states=np.empty((len(tags), width)),
    )
    return chains, index.attributes[np.concatenate([many, lone])]


def _attributes_of(matrix: csr_matrix, chosen: Int64s) -> TokenAttributes:
    """Return what tokens have of the chosen attributes, by their place among these."""
    places = np.full(matrix.shape[1], -1, np.int32)
    places[chosen] = np.arange(len(chosen), dtype=np.int32)
    attributes = places[matrix.indices]
    before = np.concatenate([[0], np.cumsum(attributes >= 0)]).astype(np.int32)
    return TokenAttributes(before[matrix.indptr], attributes[attributes >= 0])


def _pairs(tags: Int32s, borders: Int32s, width: int) -> Int64s:
    """Count pairs of neighbouring tags within sequences."""
    follows = np.ones(len(tags), np.bool_)
    follows[borders[:-1]] = False
    pairs = np.zeros((width, width), np.int64)
    np.add.at(pairs, (tags[:-1][follows[1:]], tags[1:][follows[1:]]), 1)
    return pairs


def _weights(chains: TrainingChains, found: Float64s, keys: UInt64s, names: tuple[str, ...]) -> ChainWeights:
    cells, lone, _ = chains.parts(found)
    rows, tags = np.divmod(chains.cells, chains.table.shape[1])
    rows = np.concatenate([rows, len(chains.table) + np.arange(len(lone))])
    tags = np.concatenate([tags, chains.lone_tags])
    values = np.concatenate([cells, lone])
    kept = values != 0
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(keys)))])
    square = np.ascontiguousarray(chains.transitions(found)[: len(names), : len(names)])
    return ChainWeights(names, keys, starts, tags[kept].astype(np.uint8), values[kept], square)
