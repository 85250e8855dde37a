"""Steps of the representation's training with JAX: with the de-identifier alone, and against adversaries."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.adversary import SequencePairs
from spark_deid.private_training.network.sentence_set import SentenceBatch
from spark_deid.private_training.neural.adversaries import averaged_loss, task_losses
from spark_deid.private_training.neural.framework import Tensor, Tensors, jax, jnp
from spark_deid.private_training.neural.layers import bilstm, dense
from spark_deid.private_training.neural.nadam import OptimizerState, nadam_step
from spark_deid.private_training.neural.tagging import TaggerMasks, tag_loss

RANDOM_LOSS = float(-np.log(0.5))
"""The loss of a guess."""


class PairVectors(NamedTuple):
    """A batch of pairs as vectors of embeddings, which tokens are there, and 1 for pairs of one sentence, else 0."""

    first: Float32s
    second: Float32s
    present: Bools
    same: Float32s


class NoiseDraws(NamedTuple):
    """Normal numbers for inputs and outputs of one pass."""

    inputs: Float32s
    outputs: Float32s


class LossWeights(NamedTuple):
    """What stands before the adversaries' term (lambda), and before the divergence of sentences and their others."""

    adversaries: float
    invariance: float


def draw_noise(rng: np.random.Generator, shape: tuple[int, int, int], outputs: int) -> NoiseDraws:
    """Draw noise for vectors of a shape ``[sentence, token, number]``."""
    return NoiseDraws(rng.standard_normal(shape, np.float32), rng.standard_normal((*shape[:2], outputs), np.float32))


def pass_vectors(weights: Mapping[str, Tensor], vectors: Tensor, present: Tensor, noise: Tensor) -> Tensor:
    """Return what the network makes of vectors with noise on them, before noise is added to its output."""
    given = vectors + jax.nn.softplus(weights["noise_in"]) * noise
    return jnp.where(present[:, :, None], dense(weights, "output", bilstm(weights, "lstm", given, present)), 0.0)


def add_noise(weights: Mapping[str, Tensor], clean: Tensor, present: Tensor, noise: Tensor) -> Tensor:
    """Return outputs with noise on them."""
    return jnp.where(present[:, :, None], clean + jax.nn.softplus(weights["noise_out"]) * noise, 0.0)


@jax.jit
def together_step(
    weights: dict[str, Tensors],
    state: OptimizerState,
    vectors: Tensor,
    batch: SentenceBatch,
    masks: TaggerMasks,
    noise: NoiseDraws,
) -> tuple[dict[str, Tensors], OptimizerState, Tensor]:
    """Train representation and de-identifier together (the paper's P1)."""

    def loss(given: dict[str, Tensors]) -> Tensor:
        clean = pass_vectors(given["representation"], vectors, batch.present, noise.inputs)
        shown = add_noise(given["representation"], clean, batch.present, noise.outputs)
        return tag_loss(given["tagger"], shown, batch, masks)

    value, gradients = jax.value_and_grad(loss)(weights)
    moved, state = nadam_step(_flat(weights), _flat(gradients), state)
    return _nested(moved), state, value


@partial(jax.jit, static_argnames="is_averaged")
def private_step(
    weights: Tensors,
    state: OptimizerState,
    frozen: dict[str, Tensors],
    vectors: Tensor,
    batch: SentenceBatch,
    masks: TaggerMasks,
    pairs: PairVectors,
    noises: tuple[NoiseDraws, NoiseDraws, NoiseDraws],
    strengths: LossWeights,
    is_averaged: bool = False,
) -> tuple[Tensors, OptimizerState, Tensor]:
    """Train the representation with both others frozen (P3b): the de-identifier's loss + lambda |adversary's - random|.

    If the adversaries are averaged, their one loss is the paper's (equation 2), and there is no other term. Otherwise
    each adversary's distance from a guess counts separately, and the last term is the divergence of the distributions
    of a sentence and its other (Kullback and Leibler's, given the noise on inputs), which bounds what any adversary
    can read.
    """

    def loss(given: Tensors) -> Tensor:
        shown, shared = _private_passes(given, vectors, batch, pairs, noises, not is_averaged)
        whole = tag_loss(frozen["tagger"], shown, batch, masks) + strengths.adversaries * distance_from_guess(
            frozen["adversary"], shared.sequences, pairs.same, is_averaged
        )
        return whole if is_averaged else whole + strengths.invariance * shared.divergence

    value, gradients = jax.value_and_grad(loss)(weights)
    return *nadam_step(weights, gradients, state), value


def distance_from_guess(
    adversary: Mapping[str, Tensor], sequences: SequencePairs, same: Tensor, is_averaged: bool
) -> Tensor:
    """Return |adversary's loss - a guess's|: of averaged outputs, or the mean of both tasks' distances."""
    if is_averaged:
        return jnp.abs(averaged_loss(adversary, sequences, same) - RANDOM_LOSS)
    return jnp.abs(task_losses(adversary, sequences, same) - RANDOM_LOSS).mean()


@jax.jit
def reversed_step(
    weights: dict[str, Tensors],
    state: OptimizerState,
    vectors: Tensor,
    batch: SentenceBatch,
    masks: TaggerMasks,
    pairs: PairVectors,
    noises: tuple[NoiseDraws, NoiseDraws, NoiseDraws],
    strength: Tensor,
) -> tuple[dict[str, Tensors], OptimizerState, Tensor]:
    """Train all three at once, the adversaries' gradient reversed where it enters the representation (DANN)."""

    def loss(given: dict[str, Tensors]) -> Tensor:
        shown, shared = _private_passes(given["representation"], vectors, batch, pairs, noises, False)
        turned = SequencePairs(
            _turned(shared.sequences.representation, strength),
            shared.sequences.embedding,
            _turned(shared.sequences.other, strength),
            shared.sequences.present,
        )
        return tag_loss(given["tagger"], shown, batch, masks) + averaged_loss(given["adversary"], turned, pairs.same)

    value, gradients = jax.value_and_grad(loss)(weights)
    moved, state = nadam_step(_flat(weights), _flat(gradients), state)
    return _nested(moved), state, value


class _SharedPasses(NamedTuple):
    sequences: SequencePairs
    divergence: Tensor


def _private_passes(
    weights: Mapping[str, Tensor],
    vectors: Tensor,
    batch: SentenceBatch,
    pairs: PairVectors,
    noises: tuple[NoiseDraws, NoiseDraws, NoiseDraws],
    with_divergence: bool,
) -> tuple[Tensor, _SharedPasses]:
    """Pass sentences and both sides of pairs at once, for the divergence also second sides with the first ones' noise.

    Without the divergence it is 0.
    """
    own, first, second = noises
    parts = [vectors, pairs.first, pairs.second]
    here = [batch.present, pairs.present, pairs.present]
    given = [own.inputs, first.inputs, second.inputs]
    if with_divergence:
        parts.append(pairs.second)
        here.append(pairs.present)
        given.append(first.inputs)
    clean = pass_vectors(weights, jnp.concatenate(parts), jnp.concatenate(here), jnp.concatenate(given))
    size, count = vectors.shape[0], pairs.first.shape[0]
    shown, clean_first, clean_second, *moved = jnp.split(clean, [size + count * each for each in range(len(parts) - 1)])
    divergence: Tensor = 0.0
    if moved:
        distance = ((clean_first - moved[0]) / jax.nn.softplus(weights["noise_out"])) ** 2
        others = 1 - pairs.same
        divergence = 0.5 * (distance.sum((1, 2)) * others).sum() / jnp.maximum(others.sum(), 1.0)
    sequences = SequencePairs(
        add_noise(weights, clean_first, pairs.present, first.outputs),
        pairs.second,
        add_noise(weights, clean_second, pairs.present, second.outputs),
        pairs.present,
    )
    return add_noise(weights, shown, batch.present, own.outputs), _SharedPasses(sequences, divergence)


@jax.custom_vjp
def _turned(values: Tensor, strength: Tensor) -> Tensor:
    return values


def _turn_forward(values: Tensor, strength: Tensor) -> tuple[Tensor, Tensor]:
    return values, strength


def _turn_backward(strength: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor]:
    return -strength * gradient, jnp.zeros_like(strength)


_turned.defvjp(_turn_forward, _turn_backward)


def _flat(weights: Mapping[str, Mapping[str, Tensor]]) -> Tensors:
    return {f"{part}/{name}": each for part, own in weights.items() for name, each in own.items()}


def _nested(weights: Mapping[str, Tensor]) -> dict[str, Tensors]:
    found: dict[str, Tensors] = {}
    for name, each in weights.items():
        part, _, own = name.partition("/")
        found.setdefault(part, {})[own] = each
    return found
