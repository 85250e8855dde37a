"""A conditional random field over hashed attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial

from spark_deid.learners.background import chosen_features
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.calibration import UNCALIBRATED, SigmoidCalibration
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.crf_model import CrfModel, calibrate_model
from spark_deid.learners.crf_training import maximize
from spark_deid.learners.crfsuite import train
from spark_deid.learners.model_cache import open_model
from spark_deid.learners.preparation import prepare
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.learners.scoring import build_weight_table, public_keys, public_slots
from spark_deid.text.bio import tag_names
from spark_deid.text.features import FeatureSet

HELD_OUT = 4
"""Every fourth example is held out to calibrate: a model of fewer is less sure than the one that is calibrated."""
PENALTIES = 0.1, 0.5
"""The weights of the penalties where features read gazetteers: that many that state the same make a model too sure."""


class CrfSolver(Enum):
    """Who fits: compiled code of this package, or CRFsuite (``sklearn_crfsuite.CRF``), which takes longer."""

    COMPILED = "compiled"
    CRFSUITE = "crfsuite"


@dataclass(frozen=True)
class CrfLearner:
    """Fit a CRF with L-BFGS.

    ``features`` is a feature set or the name of a bundled one; ``key`` hashes the words in it. ``c1`` and ``c2`` weigh
    the penalties; an attribute needs ``min_frequency`` tokens, and that many with one tag. ``outside_bias`` is added to
    the score of O when decoding. Texts of ``copy_length`` characters and more that are found somewhere are marked
    everywhere they are in the document (0: nowhere). Merged tokens of a kind that always carries one label get it.
    Auxiliary spans train separate classes, which the model never marks. ``calibrate`` fits a sigmoid on every
    fourth example with a model of the others, so that thresholds are probabilities: a CRF of many features is too sure.
    It costs three quarters of a fit. ``solver`` is who fits: both maximize the same likelihood.
    """

    features: FeatureSet | str
    key: bytes = field(repr=False)
    c1: float = 0.0
    c2: float = 0.3
    min_frequency: int = 2
    max_iterations: int = 100
    outside_bias: float = 0.0
    copy_length: int = 4
    calibrate: bool = False
    solver: CrfSolver = CrfSolver.COMPILED

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> CrfModel:
        """Fit a model; L-BFGS draws nothing, so the seed changes nothing. Raises ModelError without any token."""
        model = self._fit(examples)
        return replace(model, sigmoid=self._sigmoid(examples)) if self.calibrate else model

    def _sigmoid(self, examples: Sequence[TrainingExample]) -> SigmoidCalibration:
        held = examples[HELD_OUT - 1 :: HELD_OUT]
        training = [each for place, each in enumerate(examples) if place % HELD_OUT != HELD_OUT - 1]
        if not held or not any(each.spans for each in training):
            return UNCALIBRATED
        return calibrate_model(self._fit(training), held)

    def _fit(self, examples: Sequence[TrainingExample]) -> CrfModel:
        wanted = {span.label for example in examples for span in example.spans}
        others = {span.label for example in examples for span in example.auxiliary} - wanted
        ready = prepare(examples, self.features, self.key, auxiliary=others)
        sequences = [sequence for each in ready.examples for sequence in ready.sequences(each)]
        weights = self._weights(sequences, tag_names(ready.labels))
        table = build_weight_table(weights)
        return CrfModel(
            extractor=ready.extractor,
            labels=ready.labels,
            names=weights.names,
            table=table,
            transitions=weights.transitions,
            lexicon=ready.lexicon,
            kinds=ready.kinds(),
            outside_bias=self.outside_bias,
            copy_length=self.copy_length,
            auxiliary=tuple(sorted(others)),
            public=public_slots(table, public_keys(sequences, ready.extractor.templates.secret)),
        )

    def _weights(self, sequences: Sequence[LabelledSequence], names: Sequence[str]) -> ChainWeights:
        if self.solver is CrfSolver.COMPILED:
            return maximize(
                sequences,
                names,
                penalty=self.c2,
                sparsity=self.c1,
                iterations=self.max_iterations,
                least=self.min_frequency,
            )
        options = {"c1": self.c1, "c2": self.c2, "max_iterations": self.max_iterations}
        return train(sequences, names, options, self.min_frequency)


def make(settings: LearnerSettings) -> CrfLearner:
    """Make the learner as the registry wants it."""
    features = chosen_features(settings)
    learner = CrfLearner(features, settings.key, max_iterations=settings.iterations)
    if not features.gazetteer:
        return learner
    c1, c2 = PENALTIES
    return replace(learner, c1=c1, c2=c2, calibrate=settings.by_cost)


def make_with_crfsuite(settings: LearnerSettings) -> CrfLearner:
    """Make the same learner with CRFsuite as its solver: models are equal, and are read and applied in the same way."""
    return replace(make(settings), solver=CrfSolver.CRFSUITE)


KIND = LearnerKind(make, partial(open_model, CrfModel))
CRFSUITE = LearnerKind(make_with_crfsuite, partial(open_model, CrfModel))
