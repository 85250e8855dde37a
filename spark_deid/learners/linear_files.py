"""What a folder of a linear model holds."""

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.learners.folders import ModelFormat
from spark_deid.text.features import FeatureSet

ARRAYS: dict[str, type[np.generic]] = {
    "slots": np.uint64,
    "row_tags": np.uint8,
    "row_weights": np.float64,
    "wide": np.float64,
    "history": np.float64,
    "biases": np.float64,
    "word_keys": np.uint64,
    "word_values": np.uint64,
    "span_keys": np.uint64,
    "span_values": np.uint64,
    "public": np.uint8,
}
"""Weights by attribute and by history, the train lexicon, and which weights are public."""


class LinearSettings(BaseModel):
    """What a model is besides its arrays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learner: str
    features: FeatureSet
    labels: tuple[str, ...]
    kinds: dict[str, str]
    slope: float
    intercept: float
    outside_bias: float
    copy_length: int
    threshold: float
    by_cost: bool = False


OLDER = "spark-deid linear 1"
FORMAT = ModelFormat("spark-deid linear 2", LinearSettings, ARRAYS, older={OLDER: frozenset({"public"})}, secret=OLDER)
