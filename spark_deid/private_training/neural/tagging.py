"""The de-identifier's loss with JAX, and its dropouts as in Table 1 of Friedrich et al. (2019)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import CASINGS
from spark_deid.private_training.network.sentence_set import SentenceBatch
from spark_deid.private_training.network.tagging import LAYERS
from spark_deid.private_training.neural.framework import Tensor, jax, jnp, lax
from spark_deid.private_training.neural.layers import bilstm, dense, kept_mask

INPUTS, VARIATIONAL, AFTER = 0.1, 0.25, 0.5
"""Shares that are dropped: of inputs; of a layer's inputs and states, the same at each token; after each layer."""


class LayerMasks(NamedTuple):
    """What is kept before a layer ``[sentence, 1, number]``, between its tokens, and after it."""

    before: Float32s
    recurrent: Float32s
    after: Float32s


class TaggerMasks(NamedTuple):
    """What dropout keeps in a step: of the vectors, and around each layer."""

    vectors: Float32s
    layers: tuple[LayerMasks, ...]


def draw_masks(rng: np.random.Generator, shape: tuple[int, int, int], units: int) -> TaggerMasks:
    """Draw what dropout keeps of vectors of a shape ``[sentence, token, number]``."""
    count, length, width = shape
    layers = []
    for inputs in (width + len(CASINGS), 2 * units):
        layers.append(
            LayerMasks(
                kept_mask(rng, VARIATIONAL, (count, 1, inputs)),
                kept_mask(rng, VARIATIONAL, (2, count, units)),
                kept_mask(rng, AFTER, (count, length, 2 * units)),
            )
        )
    return TaggerMasks(kept_mask(rng, INPUTS, shape), tuple(layers))


def tag_loss(weights: Mapping[str, Tensor], vectors: Tensor, batch: SentenceBatch, masks: TaggerMasks) -> Tensor:
    """Return the mean loss of a batch's sentences; ``vectors`` are ``[sentence, token, number]``."""
    states = jnp.concatenate([vectors * masks.vectors, jax.nn.one_hot(batch.casings, len(CASINGS))], 2)
    for name, kept in zip(LAYERS, masks.layers, strict=True):
        states = bilstm(weights, name, states * kept.before, batch.present, kept.recurrent) * kept.after
    scores = dense(weights, "scores", states)
    losses = negative_log_likelihood(weights, scores, batch.tags, batch.present)
    return (losses * batch.weights).sum() / jnp.maximum(batch.weights.sum(), 1.0)


# The likelihood of rows of tags in a chain (CRF), with JAX.


def negative_log_likelihood(weights: Mapping[str, Tensor], scores: Tensor, tags: Tensor, present: Tensor) -> Tensor:
    """Return each sentence's loss.

    ``scores`` are ``[sentence, token, tag]``, ``tags`` and ``present`` ``[sentence, token]``; absent tokens come last.
    """
    return log_partition(weights, scores, present) - row_score(weights, scores, tags, present)


def log_partition(weights: Mapping[str, Tensor], scores: Tensor, present: Tensor) -> Tensor:
    """Return the logarithm of the sum over all rows of tags, of each sentence."""

    def step(before: Tensor, at: tuple[Tensor, Tensor]) -> tuple[Tensor, None]:
        here, is_here = at
        after = jax.nn.logsumexp(before[:, :, None] + weights["transitions"], axis=1) + here
        return jnp.where(is_here[:, None], after, before), None

    first = weights["begins"] + scores[:, 0]
    last, _ = lax.scan(step, first, (scores[:, 1:].transpose(1, 0, 2), present[:, 1:].T))
    return jax.nn.logsumexp(last + weights["ends"], axis=1)


def row_score(weights: Mapping[str, Tensor], scores: Tensor, tags: Tensor, present: Tensor) -> Tensor:
    """Return the score of each sentence's row of tags."""
    own = jnp.take_along_axis(scores, tags[:, :, None], 2)[:, :, 0]
    moves = weights["transitions"][tags[:, :-1], tags[:, 1:]]
    last = jnp.take_along_axis(tags, present.sum(1)[:, None] - 1, 1)[:, 0]
    return (
        (own * present).sum(1) + (moves * present[:, 1:]).sum(1) + weights["begins"][tags[:, 0]] + weights["ends"][last]
    )
