"""The learner ``bilstm``: needs the extra ``neural`` to fit, and nothing to apply what was fitted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.numerics.arrays import Int32s
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.network.encoding import EncodedText, TextEncoder
from spark_deid.private_training.network.model import BilstmModel, open_bilstm
from spark_deid.private_training.network.replaceable import EncodedDocuments, cut_sentences, with_vectors
from spark_deid.private_training.network.sizing import choose_size
from spark_deid.storage.files import absolute_path
from spark_deid.text.bio import OUTSIDE, encode, tag_names


@dataclass(frozen=True)
class BilstmLearner:
    """Fit a BiLSTM-CRF to vectors and casings of words (Friedrich et al. 2019, section 3).

    ``embeddings`` is the folder of a store of vectors; ``minutes`` of one core are what a fit is sized for: units and
    epochs are Table 1's where they fit.
    """

    embeddings: str
    minutes: float

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> BilstmModel:
        """Fit a model; raises ModelError without any token, UsageError where JAX is not installed."""
        # Optional: the extra ``neural`` has JAX.
        from spark_deid.private_training.neural.fitting import TaggerSettings, fit_tagger

        wanted = {span.label for example in examples for span in example.spans}
        auxiliary = {span.label for example in examples for span in example.auxiliary} - wanted
        labels = tuple(sorted(wanted | auxiliary))
        encoder = TextEncoder(open_store(self.embeddings))
        found = []
        for number, example in enumerate(examples):
            encoded = encoder(example.view)
            found.extend(cut_sentences(encoded, _tags(encoded, example, labels, auxiliary), number))
        sentences = with_vectors(EncodedDocuments(tuple(each for each in found if len(each.rows)), encoder))
        if not sentences.sentences:
            raise ModelError("training: expected documents with at least one token")
        size = choose_size(self.minutes, len(sentences.sentences), sentences.tokens, sentences.table.shape[1])
        settings = TaggerSettings(size.units, size.epochs, most_sentences=size.most_sentences)
        fit = fit_tagger(sentences, len(tag_names(labels)), settings, seed)
        return BilstmModel(encoder=encoder, labels=labels, weights=fit.weights, auxiliary=tuple(sorted(auxiliary)))


def _tags(encoded: EncodedText, example: TrainingExample, labels: Sequence[str], auxiliary: set[str]) -> Int32s:
    """Tag the tokens of an example; auxiliary spans have those that no other span has."""
    tokens = encoded.tokens
    tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, example.spans, labels)
    others = [span for span in example.auxiliary if span.label in auxiliary]
    if not others:
        return tags
    closed = tokens.is_placeholder | (tags != OUTSIDE)
    return np.where(closed, tags, encode(tokens.starts, tokens.ends, closed, others, labels)).astype(np.int32)


def make(settings: LearnerSettings) -> BilstmLearner:
    """Make the learner as the registry wants it; raises UsageError without vectors, and where JAX is not installed."""
    if not settings.embeddings:
        raise UsageError("learner bilstm: needs a store of word vectors: --embeddings STORE")
    # Optional: the extra ``neural`` has JAX.
    from spark_deid.private_training.neural import framework

    assert framework.INSTALL
    folder = absolute_path(settings.embeddings)
    open_store(folder)
    return BilstmLearner(folder, settings.minutes)


KIND = LearnerKind(make, open_bilstm)
