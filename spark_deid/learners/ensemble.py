"""A CRF set to find much, and a support vector machine that prunes its false positives.

After "best of breed" de-identification (Ferrández and others, 2013): one model for recall, another for precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf import make as make_crf
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.model_cache import open_model
from spark_deid.learners.preparation import PreparedExample, prepare
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.learners.span_pruning import (
    JudgedCandidates,
    SpanCandidates,
    SpanPruner,
    candidates,
    fit_pruner,
    open_pruner,
    secret_rows,
)
from spark_deid.text.bio import OUTSIDE, Offsets
from spark_deid.text.features import FeatureSet
from spark_deid.text.token_columns.table import TrainingKnowledge
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView

CRF = "crf"
SURE = 20.0
"""Log odds beyond which a token is as sure as can be."""


@dataclass(frozen=True, repr=False)
class EnsembleModel:
    """Predict what the CRF finds and the pruner keeps."""

    crf: CrfModel
    pruner: SpanPruner

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that the model can predict, sorted."""
        return self.crf.labels

    def with_bias(self, delta: float) -> "EnsembleModel":
        """Return the model whose CRF has ``delta`` more on the score of O; below 0 it finds more."""
        return replace(self, crf=self.crf.with_bias(delta))

    def with_threshold(self, threshold: float) -> "EnsembleModel":
        """Return the model whose CRF marks, and whose pruner keeps, what is likelier than the threshold."""
        return replace(self, crf=self.crf.with_threshold(threshold), pruner=replace(self.pruner, threshold=threshold))

    def without_words(self) -> "EnsembleModel":
        """Return the model with neither key nor features that carry words; raises ModelError as its parts do."""
        return EnsembleModel(self.crf.without_words(), self.pruner.without_words())

    def tokens(self, view: TextView) -> tuple[Offsets, Offsets]:
        """Return the starts and ends of tokens in original offsets, without placeholders."""
        return self.crf.tokens(view)

    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        spans = self.crf.predict(view)
        if not spans:
            return ()
        tokens = self.crf.extractor.tokenizer(view)
        found = _describe(self.crf, view, tokens, self.crf.lexicon.known(), spans)
        return tuple(span for span, is_kept in zip(spans, self.pruner.keeps(found), strict=True) if is_kept)

    def check(self) -> None:
        """Check every array, code and offset that compiled code relies on; raises ModelError."""
        self.crf.check()
        self.pruner.check()

    def save(self, folder: Path) -> None:
        """Write the model into a new or empty folder, the CRF in a separate folder inside."""
        self.pruner.save(folder, self.crf.extractor.key)
        self.crf.save(folder / CRF)


@dataclass(frozen=True)
class EnsembleLearner:
    """Fit a CRF, and a pruner to what CRFs of ``folds`` parts of the examples found out of fold.

    ``c1``, ``c2`` and ``outside_bias`` are the CRF's, the last below 0 for recall. On its own training data a CRF makes
    next to no false positive, so the pruner learns from examples that the CRF before it did not see. Costs about twice
    a CRF.
    """

    features: FeatureSet | str
    key: bytes = field(repr=False)
    c1: float = 0.0
    c2: float = 0.3
    outside_bias: float = -0.5
    folds: int = 2
    min_frequency: int = 2
    max_iterations: int = 100

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> EnsembleModel:
        """Fit a model; raises ModelError without any token."""
        learner = CrfLearner(
            self.features,
            self.key,
            c1=self.c1,
            c2=self.c2,
            max_iterations=self.max_iterations,
            outside_bias=self.outside_bias,
        )
        ready = prepare(examples, self.features, self.key)
        judged: list[JudgedCandidates] = []
        for fold in range(self.folds):
            training = [each for place, each in enumerate(examples) if place % self.folds != fold]
            if not any(each.spans for each in training):
                continue
            crf = learner.fit(training, seed=seed)
            judged.extend(_judge(each, crf) for each in ready.examples[fold :: self.folds])
        pruner = fit_pruner(judged, secret_rows(ready.extractor), min_frequency=self.min_frequency, seed=seed)
        return EnsembleModel(learner.fit(examples, seed=seed), pruner)


def open_ensemble(folder: Path, key: bytes) -> EnsembleModel:
    """Read a model whose files were checked before, once a process; ``key`` is the one it was fitted with.

    Raises ModelError on a folder that is missing, of another version or of another key.
    """
    return EnsembleModel(open_model(CrfModel, folder / CRF, key), open_pruner(folder, key))


def _judge(example: PreparedExample, crf: CrfModel) -> JudgedCandidates:
    """Describe what a CRF finds in an example it did not see; a span is right where a token of it is sensitive."""
    spans = crf.predict(example.view)
    found = _describe(crf, example.view, example.tokens, example.known, spans)
    sensitive = np.concatenate([[0], np.cumsum(example.tags != OUTSIDE)])
    return JudgedCandidates(found, sensitive[found.ends] > sensitive[found.firsts])


def _describe(
    crf: CrfModel, view: TextView, tokens: ViewTokens, known: TrainingKnowledge, spans: Sequence[Span]
) -> SpanCandidates:
    chance = np.clip(crf.chances(view, tokens), np.exp(-SURE), 1 - np.exp(-SURE))
    return candidates(crf.extractor, view, tokens, known, spans, np.log(chance / (1 - chance)))


def make(settings: LearnerSettings) -> EnsembleLearner:
    """Make the learner as the registry wants it, with the penalties of the CRF."""
    crf = make_crf(settings)
    return EnsembleLearner(crf.features, crf.key, c1=crf.c1, c2=crf.c2, max_iterations=crf.max_iterations)


KIND = LearnerKind(make, open_ensemble)
