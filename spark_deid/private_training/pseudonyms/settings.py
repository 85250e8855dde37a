"""Settings of pseudonyms from nearest neighbours."""

from typing import Literal

from pydantic import Field, field_validator

from spark_deid.core.kinds import PlanSection

NEIGHBOUR = "neighbour"
APPROXIMATE = "approximate"
SUBWORD, NEARER = "subword", "nearer:"


class NeighbourSettings(PlanSection):
    """Which words may replace a word, and whether one word has the same pseudonym in a whole document."""

    embeddings: str = Field(default="", description="A store of vectors, built by `representation embeddings`.")
    neighbours: int = Field(
        default=100, ge=1, le=10_000, description="Number of nearest words from which a pseudonym is selected."
    )
    include_self: bool = Field(
        default=False, description="Count the word as one of its neighbours, as in the paper. For experiments only."
    )
    exclude: tuple[str, ...] = Field(
        default=(),
        description="Neighbours to exclude: `subword` (contains the word or is part of it), `nearer:0.1` (closer than "
        "this cosine distance).",
    )
    index: Literal["exact", "approximate"] = Field(
        default="exact",
        description="Search: exact, or approximate (an index, extra `approximate`). The release states the measured "
        "recall.",
    )
    scope: Literal["token", "document"] = Field(
        default="token", description="Select for each token, or once for all occurrences of a word in a document."
    )
    cache: str | None = Field(
        default=None, description="A private folder for neighbours that later runs with the same settings reuse."
    )

    @field_validator("exclude")
    @classmethod
    def _known(cls, exclude: tuple[str, ...]) -> tuple[str, ...]:
        for each in exclude:
            if each != SUBWORD and not _is_distance(each):
                raise ValueError(f"expected {SUBWORD} or {NEARER}0.1, a distance above 0 and below 1, got {each!r}")
        return tuple(sorted(set(exclude)))

    @property
    def passes_over_subwords(self) -> bool:
        """Return whether words that contain the word, or are part of it, are excluded."""
        return SUBWORD in self.exclude

    @property
    def least_distance(self) -> float:
        """Return the cosine distance below which neighbours are excluded."""
        return max((float(each.removeprefix(NEARER)) for each in self.exclude if each != SUBWORD), default=0.0)


def _is_distance(value: str) -> bool:
    try:
        return value.startswith(NEARER) and 0 < float(value.removeprefix(NEARER)) < 1
    except ValueError:
        return False
