"""Settings of a training run of GreedySanitize."""

import os

from pydantic import Field, InstanceOf, field_validator

from spark_deid.greedy.training_settings import (
    TrainingSettings,
)
from spark_deid.text.patterns import PatternDetector

NO_PATTERNS = PatternDetector(kinds=())


class TrainConfig(TrainingSettings):
    """Settings of the greedy loop, with what was read for it.

    ``patterns`` are removed before the first round. ``placeholders`` are the words that represent what was removed
    from the input before. ``key`` hashes the words inside features. The loop ends where fewer than
    ``min_train_remaining`` tokens remain to learn from.
    """

    key: bytes = Field(repr=False)
    min_train_remaining: int = Field(default=1000, ge=0)
    placeholders: tuple[str, ...] = ()
    patterns: InstanceOf[PatternDetector] = NO_PATTERNS
    workers: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1)

    @field_validator("placeholders")
    @classmethod
    def _words(cls, placeholders: tuple[str, ...]) -> tuple[str, ...]:
        if not all(word.strip() for word in placeholders):
            raise ValueError("expected words such as '[NAME]'")
        return placeholders
