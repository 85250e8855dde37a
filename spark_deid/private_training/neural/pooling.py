"""Fit a de-identifier to vectors that institutions have shared."""

import numpy as np

from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import Weights
from spark_deid.private_training.network.representing import represent
from spark_deid.private_training.network.sentence_set import NOTHING, SentenceSet, batches
from spark_deid.private_training.neural.fitting import TaggerSettings, fit_tagger

BATCH = 64


def fit_pooled(
    representation: Weights, sentences: SentenceSet, tags: int, settings: TaggerSettings, seed: int
) -> Weights:
    """Transform each sentence once, as an institution does, and fit a de-identifier to what that gives."""
    shown = transform_sentences(representation, sentences, np.random.default_rng([seed, 1]))
    return fit_tagger(shown, tags, settings, seed).weights


def transform_sentences(representation: Weights, sentences: SentenceSet, rng: np.random.Generator) -> SentenceSet:
    """Return the sentences with vectors of their own: each token's noisy representation is a row."""
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
