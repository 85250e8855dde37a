"""Settings of the surrogates experiment."""

import re
from typing import Annotated

from pydantic import Field, field_validator

from spark_deid.core.errors import UsageError
from spark_deid.core.options import CommandOptions, one_of, option
from spark_deid.greedy.training_settings import LOSS_RATIO, Features, LossRatio
from spark_deid.learners.registry import LEARNERS
from spark_deid.values.date_words import locale_named


class SurrogatesExperimentSettings(CommandOptions):
    """Labels to replace, locale of the surrogates, learner and seeds."""

    labels: tuple[str, ...] | None = option(
        None, "Labels that surrogates replace, separated by commas. The default is every label.", min_length=1
    )
    locale: str = option("en_US", "Locale of the surrogates, such as es_ES.")
    persons: str | None = option(
        None, "Regular expression whose first match in a document's id is the person, if the input has no subject_id."
    )
    documents: int | None = option(None, "Number of documents in a random sample per seed. The default is all.", ge=6)
    seeds: tuple[int, ...] = option((0, 1, 2), "Seeds of samples, parts and keys, separated by commas.", min_length=1)
    learner: Annotated[str, one_of(LEARNERS.names)] = option("crf", "Learner of the publisher and of the attackers.")
    features: Features = option("rich", "Its feature set.")
    loss_ratio: LossRatio = Field(default=LOSS_RATIO, description="L/C of attackers with cost decoding.")

    @field_validator("locale")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            locale_named(name)
        except UsageError as error:
            raise ValueError(str(error)) from None
        return name

    @field_validator("persons")
    @classmethod
    def _compiles(cls, expression: str | None) -> str | None:
        try:
            re.compile(expression or "")
        except re.error as error:
            raise ValueError(f"expected a regular expression: {error}") from None
        return expression
