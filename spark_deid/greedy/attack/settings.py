"""Whom a user lets attack."""

from typing import Annotated

from pydantic import Field

from spark_deid.core.options import CommandOptions, one_of, option, option_of
from spark_deid.greedy.training_settings import Background, Features, TaggerName, TrainingSettings, default_background
from spark_deid.learners.registry import COMPARED, LEARNERS


class AttackerSettings(CommandOptions):
    """Whom a user lets attack.

    Every one of ``learners`` attacks with the publisher's features (``features``, where there is no publisher), and
    again with ``stronger`` ones, which ``background`` models and the ``tagger`` belong to. Without a publisher the
    tagger also belongs to ``features``.
    """

    learners: tuple[Annotated[str, one_of(LEARNERS.names)], ...] = option(
        COMPARED, "The attackers' learners, with commas between; all of this package by default.", min_length=1
    )
    features: Features = option(
        "rich", "The attackers' feature set where no model made the release; else they have its own."
    )
    stronger: Features = option("full", "The feature set of strong attackers.")
    background: Background = Field(
        default_factory=lambda told: default_background(told["stronger"]),
        description="Models of other text that help strong attackers: shipped ones, or folders; or none.",
    )
    tagger: TaggerName = option_of(TrainingSettings, "tagger")
    folds: int = option(3, "Folds: attackers learn on the others than they inspect.", ge=2)
    seed: int = option(0, "Seed of folds, intervals and simulation.")
