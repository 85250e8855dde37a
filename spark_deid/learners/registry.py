"""Learners by name: those of this package, and those of installed packages.

A package provides a learner by an entry point of the group ``spark_deid.learners`` whose value is a ``LearnerKind``::

    [project.entry-points."spark_deid.learners"]
    presidio = "my_package.learner:KIND"

A learner need not learn: a trained recognizer returns the same model for all examples.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.registry import MethodRegistry

if TYPE_CHECKING:
    from spark_deid.learners.base import FittedModel, ModelLearner


@dataclass(frozen=True)
class LearnerSettings:
    """The settings of every learner.

    Attributes:
        features: The name of a feature set.
        key: The key that hashes words.
        iterations: The maximum number of iterations.
        background: Models whose probabilities are features: names of shipped ones, or model folders.
        by_cost: Whether models will compute probabilities, so that these are worth calibrating.
        tagger: The tagger of parts of speech (``text.tagging``), if any.
        embeddings: The folder of a store of word vectors, for networks.
        minutes: The minutes of one core for each fit of a network.
    """

    features: str
    key: bytes = field(repr=False)
    iterations: int = 100
    background: tuple[str, ...] = ()
    by_cost: bool = False
    tagger: str = ""
    embeddings: str = ""
    minutes: float = 15


@dataclass(frozen=True)
class LearnerKind:
    """A learner, and how its models are read back.

    Attributes:
        make: Makes the learner from its settings.
        load: Reads a model from the folder that it saved. The files were checked against their hashes before.

    Example:
        A package names its kind in an entry point of ``spark_deid.learners``::

            KIND = LearnerKind(make=make_learner, load=load_model)
    """

    make: "Callable[[LearnerSettings], ModelLearner]"
    load: "Callable[[Path, bytes], FittedModel]"


# Imports of learners are slow, so each is loaded at its first use.
LEARNERS = MethodRegistry(
    noun="learner",
    group="spark_deid.learners",
    built_in=MappingProxyType(
        {
            "crf": "spark_deid.learners.crf:KIND",
            "svm": "spark_deid.learners.linear:SVM",
            "adaboost": "spark_deid.learners.linear:ADABOOST",
            "ensemble": "spark_deid.learners.ensemble:KIND",
            "crfsuite": "spark_deid.learners.crf:CRFSUITE",
            "bilstm": "spark_deid.private_training.neural.learner:KIND",
        }
    ),
    kind=LearnerKind,
)
COMPARED = ("crf", "svm", "adaboost", "ensemble")
"""The learners of this package that learn different things: ``crfsuite`` finds what ``crf`` does, and takes longer."""


def make_learner(name: str, settings: LearnerSettings) -> "ModelLearner":
    """Make a learner by its name; raises UsageError if it does not exist or its package can't be loaded."""
    return LEARNERS.find(name).make(settings)


def load_learned(name: str, folder: Path, key: bytes) -> "FittedModel":
    """Read a model that the learner of this name fitted, from its own folder."""
    return LEARNERS.find(name).load(folder, key)
