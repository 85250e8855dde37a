"""Fit the de-identifier's network to sentences."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import Bools
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import Weights, represent
from spark_deid.private_training.network.sentence_set import NOTHING, SentenceBatch, SentenceSet, batches
from spark_deid.private_training.network.tagging import row_losses, tag_scores, tagging_shapes
from spark_deid.private_training.neural.framework import Tensor, Tensors, jax
from spark_deid.private_training.neural.layers import initial_arrays
from spark_deid.private_training.neural.nadam import OptimizerState, begin_nadam, nadam_step
from spark_deid.private_training.neural.tagging import TaggerMasks, draw_masks, tag_loss

HELD_OUT = 0.1
LEAST_HELD = 200
"""Held-out sentences that losses are counted of where time is short."""
VectorReader = Callable[[Float32s, Bools], Float32s]
"""What a de-identifier is shown of vectors and of which tokens are there."""


class TaggerSettings(NamedTuple):
    """How the de-identifier is fitted: as in Table 1, unless time is short.

    ``most_sentences`` are those of an epoch, drawn again for each; all by default.
    """

    units: int = 128
    epochs: int = 20
    batch: int = 32
    patience: int = 10
    most_sentences: int | None = None


class TaggerFit(NamedTuple):
    """Arrays of a network, the epoch that they are of, and the loss of held-out sentences after each epoch."""

    weights: Weights
    epoch: int
    losses: tuple[float, ...]


def fit_tagger(sentences: SentenceSet, tags: int, settings: TaggerSettings, seed: int) -> TaggerFit:
    """Fit a network to sentences; the epoch is kept whose loss on a tenth of the documents is least.

    Equal sentences, settings and seed give equal networks on machines of one kind.
    """
    training, held = sentences.parted(HELD_OUT, seed)
    if settings.most_sentences is not None:
        held = held.drawn(max(LEAST_HELD, settings.most_sentences // 5), seed)
    rng = np.random.default_rng(seed)
    weights: Tensors = initial_arrays(rng, tagging_shapes(sentences.table.shape[1], settings.units, tags))
    state = begin_nadam(weights)
    kept, losses = weights, list[float]()
    for epoch in range(settings.epochs):
        for batch in batches(training.sentences, settings.batch, rng, settings.most_sentences):
            vectors = sentences.table[batch.rows]
            masks = draw_masks(rng, vectors.shape, settings.units)
            weights, state, _ = tagger_step(weights, state, vectors, batch, masks)
        losses.append(mean_loss(as_arrays(weights), held, settings.batch))
        if losses[-1] == min(losses):
            kept = weights
        elif epoch - int(np.argmin(losses)) >= settings.patience:
            break
    return TaggerFit(as_arrays(kept), int(np.argmin(losses)), tuple(losses))


@jax.jit
def tagger_step(
    weights: Tensors, state: OptimizerState, vectors: Tensor, batch: SentenceBatch, masks: TaggerMasks
) -> tuple[Tensors, OptimizerState, Tensor]:
    """Return weights and state after a step, and the loss before it."""
    loss, gradients = jax.value_and_grad(tag_loss)(weights, vectors, batch, masks)
    return *nadam_step(weights, gradients, state), loss


def as_they_are(vectors: Float32s, present: Bools) -> Float32s:
    """Show the de-identifier vectors of words themselves."""
    return vectors


def reading_by(representation: Weights, rng: np.random.Generator) -> VectorReader:
    """Show the de-identifier noisy representations."""
    return lambda vectors, present: represent(representation, vectors, present, rng)


def mean_loss(weights: Weights, sentences: SentenceSet, size: int, reader: VectorReader = as_they_are) -> float:
    """Return the mean loss of sentences without dropout; 0 if they are missing."""
    total = 0.0
    for batch in batches(sentences.sentences, size):
        vectors = reader(sentences.table[batch.rows], batch.present)
        scores = tag_scores(weights, vectors, batch.casings, batch.present)
        losses = row_losses(weights, scores.astype(np.float64), batch.tags, batch.present)
        total += float((losses * batch.weights).sum())
    return total / max(len(sentences.sentences), 1)


def as_arrays(weights: Mapping[str, Tensor]) -> dict[str, Float32s]:
    """Return arrays of NumPy."""
    return {name: np.asarray(each, np.float32) for name, each in weights.items()}


# Fit a de-identifier to vectors that institutions have shared.


BATCH = 64


def fit_pooled(
    representation: Weights, sentences: SentenceSet, tags: int, settings: TaggerSettings, seed: int
) -> Weights:
    """Transform each sentence once, as an institution does, and fit a de-identifier to what that gives."""
    shown = transform_sentences(representation, sentences, np.random.default_rng([seed, 1]))
    return fit_tagger(shown, tags, settings, seed).weights


def transform_sentences(representation: Weights, sentences: SentenceSet, rng: np.random.Generator) -> SentenceSet:
    """Return the sentences with separate vectors: each token's noisy representation is a row."""
    outputs = representation["output_bias"].shape[0]
    rows: list[Float32s] = [np.zeros((NOTHING + 1, outputs), np.float32)]
    moved = list(sentences.sentences)
    begin = NOTHING + 1
    for batch in batches(sentences.sentences, BATCH):
        shown = represent(representation, sentences.table[batch.rows], batch.present, rng)
        for place, number in enumerate(batch.numbers.tolist()):
            if number < 0:
                continue
            size = len(sentences.sentences[number].rows)
            rows.append(shown[place, :size])
            moved[number] = moved[number]._replace(rows=np.arange(begin, begin + size))
            begin += size
    return SentenceSet(tuple(moved), np.concatenate(rows))
