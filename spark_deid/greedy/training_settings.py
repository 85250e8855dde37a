"""Settings of a training of GreedySanitize that users choose."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.options import CommandOptions, one_of, option
from spark_deid.learners.registry import LEARNERS

SELECTION = "selection"
"""The name that stands for all learners of this package, the most accurate of them in each round."""


def learner_choices() -> tuple[str, ...]:
    """Return what ``learner`` may name."""
    return (*LEARNERS.names(), SELECTION)


def check_tagger(tagger: str) -> str:
    """Return a tagger's name, with its folder as an absolute path. Raises ValueError if there is no such tagger."""
    if not tagger:
        return tagger
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.text.tagging import tagger_use  # takes its time to import

    try:
        use = tagger_use(tagger)
    except SparkDeidError as error:
        raise ValueError(str(error).removeprefix("tagger: ")) from error
    return f"{use.name}:{use.place}" if use is not None and use.place else tagger


def check_features(features: str) -> str:
    """Return the name of a feature set, or the definition that a file has. Raises ValueError with each mistake."""
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.text.features import resolve_features  # takes its time to import

    try:
        return resolve_features(features)
    except UsageError as error:
        raise ValueError(str(error)) from error


def default_background(features: str) -> tuple[str, ...]:
    """Return the background models that a feature set has unless others are named: the newest shipped, for ``full``."""
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.learners.background import NEW_MODELS  # takes its time to import
    from spark_deid.text.features import base_sets

    return NEW_MODELS if "full" in base_sets(features) else ()


def others_stay(auxiliary: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
    """Return auxiliary labels; raises ValueError where some are removed as well, or where all are."""
    if "labels" in info.data and auxiliary:
        if info.data["labels"] is None:
            raise ValueError("also list the labels to remove")
        if set(auxiliary) & set(info.data["labels"]):
            raise ValueError("expected labels that are not removed")
    return auxiliary


Features = Annotated[str, AfterValidator(check_features)]
"""A feature set: the name of a bundled one, or a file of templates, read when options are made."""

TaggerName = Annotated[str, AfterValidator(check_tagger)]

LOSS_RATIO = 10

LossRatio = Annotated[float, Field(gt=0)]

Background = Annotated[tuple[str, ...], BeforeValidator(lambda names: () if names in (("none",), ["none"]) else names)]
"""Background models; ``none`` alone names none."""


class TrainingSettings(CommandOptions):
    """What a user tells the greedy loop.

    ``loss_ratio`` is the paper's L/C. ``decoding`` is Viterbi with a bias chosen out of fold, or by cost with the
    document rule; ``publish_budget`` sets the threshold of the latter in another way, counted out of fold.
    """

    labels: tuple[str, ...] | None = option(
        None, "Labels to remove, separated by commas. The default is every label.", min_length=1
    )
    auxiliary: tuple[str, ...] = option((), "Labels to learn as classes that are not removed.")
    learner: Annotated[str, one_of(learner_choices)] = option(
        "crf",
        "crf, svm, adaboost, ensemble, crfsuite, bilstm, an installed one, or selection (most accurate per round).",
    )
    loss_ratio: LossRatio = option(LOSS_RATIO, "L/C: cost of a leaked identifier relative to a false positive.")
    max_rounds: int = option(5, "Maximum number of models to keep.", ge=1)
    decoding: Literal["viterbi", "cost"] = option("viterbi", "viterbi, or cost (remove where p > C/(L+C)).")
    publish_budget: float | None = option(
        None, "Fraction of words to publish. Removes as many words as this allows. Needs cost decoding.", gt=0, lt=1
    )
    counts: Literal["oof", "train"] = option(
        "oof", "Documents that the stop test counts: oof (out of fold), or train, as in the paper."
    )
    features: Features = option("rich", "A feature set (rich, hide, gazetteer, clusters, full) or a file of templates.")
    background: Background = Field(
        default_factory=lambda told: default_background(told["features"]),
        description="Models of other text whose probabilities are features: shipped models or folders, or none.",
    )
    tagger: TaggerName = option(
        "", "Tagger for part-of-speech features: english-pos, nltk:FOLDER of a perceptron tagger, or an installed one."
    )
    iterations: int = option(
        100, "Maximum iterations of L-BFGS. 30 need a third of the time and cost half a point of F1.", ge=1
    )
    embeddings: str = option("", "Store of word vectors for bilstm, built by `representation embeddings`.")
    minutes: float = option(15, "Minutes on one core per fit of bilstm.", gt=0)
    seed: int = option(0, "Seed of the folds.", ge=0)
    folds: int = option(3, "Number of folds of the out-of-fold counts.", ge=2)

    _stay = field_validator("auxiliary")(others_stay)

    @field_validator("publish_budget")
    @classmethod
    def _weighed(cls, budget: float | None, info: ValidationInfo) -> float | None:
        if budget is not None and info.data.get("decoding") == "viterbi":
            raise ValueError("needs decoding cost, not viterbi")
        return budget
