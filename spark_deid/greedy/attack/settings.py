"""Settings of the attackers."""

from typing import Annotated

from pydantic import Field

from spark_deid.core.options import CommandOptions, one_of, option, option_of
from spark_deid.greedy.training_settings import Background, Features, TaggerName, TrainingSettings, default_background
from spark_deid.learners.registry import COMPARED, LEARNERS


class AttackerSettings(CommandOptions):
    """Settings of the attackers.

    Every one of ``learners`` attacks with the publisher's features (``features``, where there is no publisher), and
    again with ``stronger`` ones, which ``background`` models and the ``tagger`` belong to. Without a publisher the
    tagger also belongs to ``features``.
    """

    learners: tuple[Annotated[str, one_of(LEARNERS.names)], ...] = option(
        COMPARED, "Learners of the attackers, separated by commas. The default is all of this package.", min_length=1
    )
    features: Features = option("rich", "Feature set of the attackers. If a model wrote the release, they use its set.")
    stronger: Features = option("full", "Feature set of strong attackers.")
    background: Background = Field(
        default_factory=lambda told: default_background(told["stronger"]),
        description="Models of other text for strong attackers: shipped models or folders, or none.",
    )
    tagger: TaggerName = option_of(TrainingSettings, "tagger")
    folds: int = option(3, "Number of folds. Attackers train on the other folds than they inspect.", ge=2)
    seed: int = option(0, "Seed of folds, intervals and simulation.")
