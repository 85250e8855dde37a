"""Linear classifiers over hashed attributes and the tags of preceding tokens: ``svm`` and ``adaboost``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from spark_deid.learners.background import chosen_features
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.boosting import BoostingMethod
from spark_deid.learners.linear_model import LinearModel
from spark_deid.learners.model_cache import open_model
from spark_deid.learners.preparation import prepare
from spark_deid.learners.registry import LearnerKind, LearnerSettings
from spark_deid.learners.svm import SupportVectorMachine
from spark_deid.learners.two_step import FittingMethod, fit_steps
from spark_deid.text.features import FeatureSet


@dataclass(frozen=True)
class LinearLearner:
    """Fit a classifier that tags from left to right; ``method`` fits its weights.

    ``features`` is a feature set or the name of a bundled one; ``key`` hashes the words in it. An attribute needs
    ``min_frequency`` tokens. ``calibrate`` fits a sigmoid to the margins of all documents, each by a fit to
    others, so that thresholds are probabilities and costs of misses and false alarms can be stated; without it the
    margin itself is the log odds (with boosting too sure of itself). ``copy_length`` is as in ``CrfLearner``.
    """

    method: FittingMethod
    features: FeatureSet | str
    key: bytes = field(repr=False)
    min_frequency: int = 2
    calibrate: bool = True
    copy_length: int = 4

    def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> LinearModel:
        """Fit a model; raises ModelError without any token."""
        return fit_steps(
            prepare(examples, self.features, self.key),
            self.method,
            seed=seed,
            min_frequency=self.min_frequency,
            copy_length=self.copy_length,
            calibrate=self.calibrate,
        )


def make(settings: LearnerSettings, *, method: FittingMethod) -> LinearLearner:
    """Make the learner of a method as the registry wants it."""
    return LinearLearner(method, chosen_features(settings), settings.key)


SVM, ADABOOST = (
    LearnerKind(partial(make, method=method), partial(open_model, LinearModel))
    for method in (SupportVectorMachine(), BoostingMethod())
)
