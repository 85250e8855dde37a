"""The de-identifier's loss with JAX, and its dropouts as in Table 1 of Friedrich et al. (2019)."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.casing import CASINGS
from spark_deid.private_training.network.sentence_set import SentenceBatch
from spark_deid.private_training.network.tagging import LAYERS
from spark_deid.private_training.neural.chains import negative_log_likelihood
from spark_deid.private_training.neural.framework import Tensor, jax, jnp
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
