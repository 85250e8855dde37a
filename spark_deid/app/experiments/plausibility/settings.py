"""What the experiment is told (Jiang et al., section 6)."""

from typing import Annotated

from pydantic import Field

from spark_deid.core.options import CommandOptions, option

Size = Annotated[int, Field(ge=1, le=1000)]
Threshold = Annotated[int, Field(ge=2)]
Share = Annotated[float, Field(ge=0, le=1)]
Delta = Annotated[int, Field(ge=0, le=4)]


class PlausibilityExperimentSettings(CommandOptions):
    """What to try: numbers of terms, values of t, of alpha and of delta, and how many texts are drawn of each size."""

    ontology: str = option("wordnet", "Where terms are drawn from: a name, or a file of `ontology build`.")
    size: tuple[Size, ...] = option((10, 20, 30, 40, 50), "Numbers of terms, with commas between.", min_length=1)
    t: tuple[Threshold, ...] = option((1024, 4096, 16384), "Values of t, with commas between.", min_length=1)
    alpha: tuple[Share, ...] = option((0.5, 0.25, 0.75), "Values of alpha; the first one is drawn.", min_length=1)
    delta: tuple[Delta, ...] = option((0, 1, 2, 3), "Numbers of deviations, with commas between.", min_length=1)
    frequencies: str | None = option(
        None, "A table of term and count: what an attacker gains who knows it (CSV or Parquet)."
    )
    height: int = option(8, "Steps from a term to the root, one more or less.", ge=1)
    draws: int = option(10, "Texts of each size.", ge=1)
    most_nodes: int = option(20_000_000, "Partial texts after which a pruned search is cut off.", ge=1)
    seed: int = option(0, "Seed of the draws.")
