"""What a plan may say: configuration models, checked once, at the border."""

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from spark_deid.repeats.settings import LONGEST_CAP, MOST_K, Counted, Covering, Rarity, Unit, UnitChoice

Detector = Literal["model", "patterns", "gold", "repeats"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class InputSettings(_Settings):
    """Where the corpus lies and how it is written."""

    path: str = Field(min_length=1)
    format: str
    options: dict[str, str] = {}

    @field_validator("format")
    @classmethod
    def _known(cls, name: str) -> str:
        from spark_deid.corpus.formats import FORMATS

        if name not in FORMATS:
            raise ValueError(f"expected one of {', '.join(FORMATS)}, got {name!r}")
        return name


class CustomPatternSettings(_Settings):
    """A pattern of the user's own; where ``context`` names words, one must stand within ``window`` characters."""

    label: str = Field(pattern=r"^[A-Za-z][\w-]*$")
    pattern: str = Field(min_length=1)
    context: tuple[str, ...] = ()
    window: int = Field(default=60, ge=1)


class PatternsSettings(_Settings):
    """Which pattern detectors run; ``kinds: all`` means every one."""

    kinds: tuple[str, ...] | Literal["all"] = "all"
    custom: tuple[CustomPatternSettings, ...] = ()


class RepeatsSettings(_Settings):
    """What is rare: substrings of fewer than ``k`` persons, documents or places, after all other edits.

    Without ``shards`` one task looks for them where the text fits, else as many as needed; the result is the same.
    """

    k: int = Field(default=4, ge=2, le=MOST_K)
    min_length: int = Field(default=6, ge=1)
    unit: UnitChoice = "auto"
    covering: Covering = Covering.OPTIMAL
    cap: int = Field(default=255, ge=1, le=LONGEST_CAP)
    strict: Literal["original", "published"] = "original"
    whole_tokens: float = Field(default=1.0, ge=0, le=1)
    shards: int = Field(default=0, ge=0, le=10_000)

    @model_validator(mode="after")
    def _fits(self) -> "RepeatsSettings":
        if self.min_length > self.cap:
            raise ValueError(f"min_length {self.min_length} is above cap {self.cap}: every text would be hidden")
        if self.shards and self.strict == "published":
            raise ValueError("strict: published counts again and again, and works in one task alone: leave shards out")
        return self

    def rarity(self, unit: Unit) -> Rarity:
        """Return these settings with what k counts in the corpus at hand."""
        counted = Counted(self.strict)
        return Rarity(self.k, self.min_length, unit, self.covering, self.cap, counted, self.whole_tokens)


class ReportSettings(_Settings):
    """What the workspace's report shows beyond counts."""

    excerpts: int = Field(default=0, ge=0, le=1000)


class PlanSettings(_Settings):
    """A whole plan: input, detectors, sources to edit, release."""

    input: InputSettings
    workspace: str = Field(min_length=1)
    release: str = Field(min_length=1)
    release_ids: Literal["keep", "keyed"] = "keep"
    metadata: tuple[str, ...] = ()
    model: Path | None = None
    decoding: Literal["viterbi", "cost"] | None = None
    patterns: PatternsSettings | None = None
    repeats: RepeatsSettings | None = None
    sources: tuple[Detector, ...] = Field(min_length=1)
    placeholders: tuple[str, ...] = ()
    report: ReportSettings = ReportSettings()
    key_file: Path | None = None
    partitions: int | None = Field(default=None, ge=1)

    @field_validator("placeholders")
    @classmethod
    def _not_empty(cls, placeholders: tuple[str, ...]) -> tuple[str, ...]:
        if any(not placeholder.strip() for placeholder in placeholders):
            raise ValueError("expected words such as '[NAME]', got an empty one")
        return placeholders

    @model_validator(mode="after")
    def _sources_exist(self) -> "PlanSettings":
        if "model" in self.sources and self.model is None:
            raise ValueError("sources names 'model', but the plan has no model: add model: FOLDER")
        if "patterns" in self.sources and self.patterns is None:
            raise ValueError("sources names 'patterns', but the plan has none: add patterns: {kinds: all}")
        if "repeats" in self.sources and self.repeats is None:
            raise ValueError("sources names 'repeats', but the plan has none: add repeats: {k: 4}")
        return self
