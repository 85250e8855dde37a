"""Settings of the plausibility experiment (Jiang et al., section 6)."""

from typing import Annotated

from pydantic import Field

from spark_deid.core.options import CommandOptions, option

Size = Annotated[int, Field(ge=1, le=1000)]
Threshold = Annotated[int, Field(ge=2)]
Share = Annotated[float, Field(ge=0, le=1)]
Delta = Annotated[int, Field(ge=0, le=4)]


class PlausibilityExperimentSettings(CommandOptions):
    """Numbers of terms, values of t, alpha and delta, and numbers of texts to try."""

    ontology: str = option("wordnet", "Source of the terms: the name of an ontology, or a file of `ontology build`.")
    size: tuple[Size, ...] = option((10, 20, 30, 40, 50), "Numbers of terms, separated by commas.", min_length=1)
    t: tuple[Threshold, ...] = option((1024, 4096, 16384), "Values of t, separated by commas.", min_length=1)
    alpha: tuple[Share, ...] = option((0.5, 0.25, 0.75), "Values of alpha. The chart shows the first.", min_length=1)
    delta: tuple[Delta, ...] = option((0, 1, 2, 3), "Numbers of deviations, separated by commas.", min_length=1)
    frequencies: str | None = option(
        None, "Table of term and count (CSV or Parquet), to measure the gain of an attacker who knows it."
    )
    height: int = option(8, "Number of steps from a term to the root, plus or minus one.", ge=1)
    draws: int = option(10, "Number of texts of each size.", ge=1)
    most_nodes: int = option(20_000_000, "Maximum number of partial texts of a pruned search.", ge=1)
    seed: int = option(0, "Seed of the random texts.")
