"""What the experiment of private representations is told."""

from typing import Literal

from pydantic import Field

from spark_deid.core.options import CommandOptions, option
from spark_deid.private_training.training_method import (
    DIVERGENCE,
    INVARIANCE,
    METHOD,
    Divergence,
    Invariance,
    TrainingMethod,
)


class RepresentationExperimentSettings(CommandOptions):
    """Which numbers of neighbours, sizes and seeds are tried, and how large networks are; by default as the paper's."""

    embeddings: str = Field(description="A store of vectors, built by `representation embeddings`.")
    pseudonyms: tuple[int, ...] = option(
        (1, 10, 100, 500, 1000), "N of pseudonyms in training text; 1 is the original."
    )
    private: tuple[int, ...] = option((10, 100, 500, 1000), "N of the pairs that adversaries must not tell apart.")
    outputs: tuple[int, ...] = option((50,), "d: numbers of a token's representation, each at every N of --private.")
    seeds: tuple[int, ...] = option((0, 1, 2), "Seeds of the networks.")
    method: TrainingMethod = option("divergence", METHOD)
    units: int = option(128, "Units of each LSTM and direction.", ge=1)
    epochs: int = option(20, "Maximum epochs of a de-identifier, and of each pre-training of a representation.", ge=1)
    alternations: int | None = option(
        None, "Maximum alternations of a representation's training; twice the epochs if not given.", ge=1
    )
    attack_epochs: int = option(50, "Epochs of the adversary on the frozen representation.", ge=1)
    attack_pairs: int = option(10_000, "Pairs of each of these epochs.", ge=100)
    adversaries: int = option(3, "Seeds of the adversary on the frozen representation.", ge=1)
    longest: int = option(128, "Leave out sentences of more tokens.", ge=1)
    invariance: Invariance = option(None, INVARIANCE, ge=0)
    divergence: Divergence = option(None, DIVERGENCE, gt=0)
    labels: tuple[str, ...] = option((), "Labels whose tokens are scored, with commas between; all by default.")
    casing: Literal["on", "off"] = option("on", "Whether de-identifiers read the casing of words.")
    templates: int = option(1000, "Sentences that are attacked by templates.", ge=200)
    transforms: int = option(100, "Transforms that a template of the second kind is the mean of.", ge=1)
