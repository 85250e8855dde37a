"""What a folder of a conditional random field holds."""

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.learners.folders import ModelFormat
from spark_deid.text.features import FeatureSet

ARRAYS: dict[str, type[np.generic]] = {
    "slots": np.uint64,
    "row_tags": np.uint8,
    "row_weights": np.float64,
    "wide": np.float64,
    "public": np.uint8,
    "transitions": np.float64,
    "word_keys": np.uint64,
    "word_values": np.uint64,
    "span_keys": np.uint64,
    "span_values": np.uint64,
}
"""Weights by attribute, which of them are public, weights of transitions, and the train lexicon."""


class CrfSettings(BaseModel):
    """What a model is besides its arrays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    features: FeatureSet
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kinds: dict[str, str]
    outside_bias: float
    copy_length: int
    threshold: float | None
    auxiliary: tuple[str, ...] = ()
    slope: float = 1.0
    intercept: float = 0.0


FORMAT = ModelFormat(
    "spark-deid crf 2",
    CrfSettings,
    ARRAYS,
    library="python-crfsuite",
    older={"spark-deid crf 1": frozenset({"wide", "public"})},
    secret="crf words",
)
