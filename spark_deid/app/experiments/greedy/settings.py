"""What the experiment is told, and the methods that it compares."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, field_validator

from spark_deid.core.hashing import KEY_BYTES
from spark_deid.core.options import CommandOptions, one_of, option, option_of
from spark_deid.greedy.training_settings import (
    SELECTION,
    Background,
    Features,
    LossRatio,
    TaggerName,
    TrainingSettings,
    default_background,
    others_stay,
)
from spark_deid.learners.base import ModelLearner
from spark_deid.learners.registry import COMPARED, LearnerSettings, make_learner

if TYPE_CHECKING:
    from spark_deid.greedy.config import TrainConfig
    from spark_deid.greedy.report import Json

PLAIN_CRF = "plain-crf"
PLAIN_FEATURES = "hide"
"""The features of the CRF that stands for the paper's own."""
KINDS = ("greedy", "once", "cost")
HYPOTHESES = (*COMPARED, SELECTION, PLAIN_CRF)
"""What a method learns with: a learner, the most accurate of all in each round, or the paper's CRF."""
MAX_ROUNDS = 20


class ExperimentMethod(NamedTuple):
    """The whole loop, one classifier, or one that weighs costs; and what it learns with."""

    kind: str
    hypothesis: str

    @property
    def name(self) -> str:
        """Return the name that tables and options have."""
        return f"{self.kind}-{self.hypothesis}"

    @property
    def learners(self) -> tuple[str, ...]:
        """Return which learners play for each round."""
        return COMPARED if self.hypothesis == SELECTION else (self.hypothesis,)


ALL_METHODS = tuple(ExperimentMethod(kind, hypothesis) for kind in KINDS for hypothesis in HYPOTHESES)


def parse_methods(names: Sequence[str]) -> tuple[ExperimentMethod, ...]:
    """Read names of methods; the name of a hypothesis alone stands for its three.

    >>> [method.name for method in parse_methods(["once-svm", "crf"])]
    ['greedy-crf', 'once-crf', 'once-svm', 'cost-crf']
    """
    known = {method.name for method in ALL_METHODS} | set(HYPOTHESES)
    unknown = sorted(set(names) - known)
    if unknown or not names:
        raise ValueError(
            f"expected some of {', '.join(HYPOTHESES)}, each as it is or after "
            f"{', '.join(f'{kind}-' for kind in KINDS)}; got {', '.join(unknown) or 'none'}"
        )
    return tuple(method for method in ALL_METHODS if {method.name, method.hypothesis} & set(names))


def _known_methods(names: tuple[str, ...]) -> tuple[str, ...]:
    parse_methods(names)
    return names


class GreedyExperimentSettings(CommandOptions):
    """Settings of the experiment.

    ``auxiliary`` labels and ``background`` models help all learners but ``plain-crf``, as in training. ``decoding`` is
    that of every greedy method but ``greedy-plain-crf``, the paper's, which decodes by Viterbi. A method's own learner
    attacks it besides ``attackers``.
    """

    labels: tuple[str, ...] = Field(min_length=1, description="Labels to remove, separated by commas.")
    methods: Annotated[tuple[str, ...], AfterValidator(_known_methods)] = option(
        tuple(method.name for method in ALL_METHODS),
        "Learners of the publisher: crf, svm, adaboost, ensemble, selection, plain-crf. Each can have the "
        "prefix greedy-, once- or cost-. The default is all.",
    )
    attackers: tuple[Annotated[str, one_of(lambda: (*COMPARED, PLAIN_CRF))], ...] = option(
        COMPARED, "Learners of the attacker: crf, svm, adaboost, ensemble, plain-crf.", min_length=1
    )
    folds: int = option(4, "Number of parts. All documents of a person are in the same part.", ge=3)
    loss_ratios: tuple[LossRatio, ...] = option((1, 2, 5, 10, 20, 50, 100), "Values of L/C.", min_length=1)
    attack_ratios: tuple[LossRatio, ...] = option(
        (), "Values of L/C of the cost- methods that are attacked. The default is all."
    )
    decoding: Literal["viterbi", "cost"] = option(
        "cost", "Decoding of greedy methods. greedy-plain-crf always uses viterbi."
    )
    features: Features = option("full", "A feature set or a file of templates. plain-crf always has hide.")
    auxiliary: tuple[str, ...] = option((), "Labels to learn as classes that are not removed.")
    background: Background = Field(
        default_factory=lambda told: default_background(told["features"]),
        description="Models whose probabilities are features: shipped models or folders, or none."
        " With full, the default is the shipped models.",
    )
    tagger: TaggerName = option_of(TrainingSettings, "tagger")
    counts: Literal["oof", "train"] = option(
        "oof",
        "Counts and removal: oof (out of fold), or train (on the training documents, as in the paper).",
    )
    iterations: int = option(100, "Maximum number of iterations of a CRF.", ge=1)
    documents: int = option(0, "Number of documents in a random sample. 0 uses all.", ge=0)
    seed: int = option(0, "Seed of folds, learners and samples.")

    @field_validator("loss_ratios")
    @classmethod
    def _each_once(cls, ratios: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(sorted(set(ratios)))

    _stay = field_validator("auxiliary")(others_stay)

    def parsed(self) -> tuple[ExperimentMethod, ...]:
        """Return the methods as values, in the order of all methods."""
        return parse_methods(self.methods)

    def weighs_costs(self, method: ExperimentMethod) -> bool:
        """Tell whether a method's classifiers decide by the loss ratio."""
        if method.kind == "greedy":
            return self.decoding == "cost" and method.hypothesis != PLAIN_CRF
        return method.kind == "cost"

    def is_attacked(self, method: ExperimentMethod, loss_ratio: float) -> bool:
        """Tell whether somebody attacks what a method publishes at a loss ratio."""
        return method.kind != "cost" or not self.attack_ratios or loss_ratio in self.attack_ratios

    def attackers_of(self, method: ExperimentMethod) -> tuple[str, ...]:
        """Return who attacks what a method publishes."""
        return tuple(dict.fromkeys((*self.attackers, *method.learners)))

    def learner(self, name: str) -> ModelLearner:
        """Make a learner; no model is kept, so the key of its features is no secret."""
        key = bytes(KEY_BYTES)
        if name == PLAIN_CRF:
            return make_learner("crf", LearnerSettings(PLAIN_FEATURES, key, self.iterations, tagger=self.tagger))
        by_cost = self.decoding == "cost"
        settings = LearnerSettings(
            self.features, key, self.iterations, self.background, by_cost=by_cost, tagger=self.tagger
        )
        return make_learner(name, settings)

    def training(self) -> "TrainConfig":
        """Return the settings that documents are read by, as training reads them."""
        # Start-up: help needs neither compiled code nor arrays.
        from spark_deid.greedy.config import TrainConfig

        return TrainConfig(
            key=bytes(KEY_BYTES), labels=self.labels, auxiliary=self.auxiliary, folds=self.folds, seed=self.seed
        )

    def to_json(self) -> "dict[str, Json]":
        """Return the settings as plain values."""
        return self.model_dump(mode="json", include=set(GreedyExperimentSettings.model_fields))
