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
        (1, 10, 100, 500, 1000), "Values of N for pseudonyms in training text. 1 is the original."
    )
    private: tuple[int, ...] = option(
        (10, 100, 500, 1000), "Values of N for pairs that adversaries must not distinguish."
    )
    outputs: tuple[int, ...] = option(
        (50,), "Numbers per token of the representation (d), each tried with every N of --private."
    )
    seeds: tuple[int, ...] = option((0, 1, 2), "Seeds of the networks.")
    method: TrainingMethod = option("divergence", METHOD)
    units: int = option(128, "Units of each LSTM and direction.", ge=1)
    epochs: int = option(20, "Maximum epochs of a de-identifier, and of each pre-training of a representation.", ge=1)
    alternations: int | None = option(
        None, "Maximum alternations of a representation's training. The default is twice the epochs.", ge=1
    )
    attack_epochs: int = option(50, "Epochs of the adversary on the frozen representation.", ge=1)
    attack_pairs: int = option(10_000, "Pairs of each of these epochs.", ge=100)
    adversaries: int = option(3, "Seeds of the adversary on the frozen representation.", ge=1)
    longest: int = option(128, "Skip sentences with more tokens.", ge=1)
    invariance: Invariance = option(None, INVARIANCE, ge=0)
    divergence: Divergence = option(None, DIVERGENCE, gt=0)
    labels: tuple[str, ...] = option((), "Labels whose tokens are scored, separated by commas. The default is all.")
    casing: Literal["on", "off"] = option("on", "Read the casing of words in de-identifiers.")
    templates: int = option(1000, "Number of sentences that templates attack.", ge=200)
    transforms: int = option(100, "Number of transforms whose mean is a template of the second kind.", ge=1)
