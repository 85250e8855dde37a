"""What a plan may say: configuration models, checked once, at the border."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from spark_deid.context.settings import Correlation, Route, routed
from spark_deid.core.rare import STAR
from spark_deid.detection.installed import OWN_SOURCES, detector_names
from spark_deid.repeats.settings import MAX_CAP, MAX_K, Counted, Covering, Rarity, Unit, UnitChoice

_NO_COLUMN = re.compile(r"[\s,;{}()=`]")


def _installed(name: str) -> str:
    if name not in detector_names():
        raise ValueError(f"expected an installed detector ({', '.join(detector_names()) or 'there is none'})")
    return name


def _source(name: str) -> str:
    known = (*OWN_SOURCES, *detector_names())
    if name not in known:
        raise ValueError(f"expected one of {', '.join(known)}")
    return name


def _column(name: str) -> str:
    """Check a name of a column of the release; Delta refuses some characters, when everything else is done."""
    if name.lower() in ("doc_id", "text"):
        raise ValueError(f"{name!r} is a column of every release; name others")
    if not name or _NO_COLUMN.search(name):
        raise ValueError(f"expected a name without spaces, line breaks and any of ,;{{}}()=`, got {name!r}")
    return name


Column = Annotated[str, AfterValidator(_column)]
Installed = Annotated[str, AfterValidator(_installed)]
Source = Annotated[str, AfterValidator(_source)]


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

    k: int = Field(default=4, ge=2, le=MAX_K)
    min_length: int = Field(default=6, ge=1)
    unit: UnitChoice = "auto"
    covering: Covering = Covering.OPTIMAL
    cap: int = Field(default=255, ge=1, le=MAX_CAP)
    strict: Literal["original", "published"] = "original"
    whole_tokens: float = Field(default=1.0, ge=0, le=1)
    shards: int = Field(default=0, ge=0, le=10_000)

    @model_validator(mode="after")
    def _fits(self) -> "RepeatsSettings":
        if self.min_length > self.cap:
            raise ValueError(f"min_length {self.min_length} is above cap {self.cap}: every text would be hidden")
        return self

    def rarity(self, unit: Unit) -> Rarity:
        """Return these settings with what k counts in the corpus at hand."""
        counted = Counted(self.strict)
        return Rarity(self.k, self.min_length, unit, self.covering, self.cap, counted, self.whole_tokens)


class ContextSettings(_Settings):
    """When a term gives identifiers of a category away, and what becomes of it (see ``context.settings``).

    ``remove`` takes the term out after the other detectors; ``label`` marks it before training, for ``train``.
    """

    route: Literal["remove", "label"] = "remove"
    min_support: int = Field(default=3, ge=2)
    min_confidence: float = Field(default=0.5, ge=0, le=1)
    min_lift: float = Field(default=5.0, ge=1)
    max_words: int = Field(default=1, ge=1, le=5)


class ReportSettings(_Settings):
    """What the workspace's report shows beyond counts."""

    excerpts: int = Field(default=0, ge=0, le=1000)


class ResidualRiskSettings(_Settings):
    """What a plan demands of its model's training; shares are of the identifier tokens of the labelled text.

    ``loss_ratio`` is the least L/C that training weighed, ``max_identified`` the largest share that the attacker's
    stand-in may identify, ``max_residual`` the largest share that may be left at all.
    """

    loss_ratio: float = Field(gt=0)
    max_identified: float | None = Field(default=None, ge=0, le=1)
    max_residual: float | None = Field(default=None, ge=0, le=1)


class GuaranteesSettings(_Settings):
    """What must hold, or nothing is released."""

    residual_risk: ResidualRiskSettings | None = None


class PlanSettings(_Settings):
    """A whole plan: input, detectors, sources to edit, release."""

    input: InputSettings
    workspace: str = Field(min_length=1)
    release: str = Field(min_length=1)
    release_ids: Literal["keep", "keyed"] = "keep"
    metadata: tuple[Column, ...] = ()
    model: Path | None = None
    decoding: Literal["viterbi", "cost"] = "cost"
    patterns: PatternsSettings | None = None
    repeats: RepeatsSettings | None = None
    context: dict[str, ContextSettings] = {}
    detectors: tuple[Installed, ...] = ()
    sources: tuple[Source, ...] = Field(min_length=1)
    placeholders: tuple[str, ...] = ()
    report: ReportSettings = ReportSettings()
    guarantees: GuaranteesSettings = GuaranteesSettings()
    key_file: Path | None = None

    def correlations(self, route: Route) -> tuple[Correlation, ...]:
        """Return the categories whose terms take this route, by name."""
        given = (Correlation(label, **each.model_dump()) for label, each in sorted(self.context.items()))
        return routed(tuple(given), route)

    @field_validator("metadata")
    @classmethod
    def _once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for number, name in enumerate(names):
            if name.lower() in (other.lower() for other in names[:number]):
                raise ValueError(f"{name!r} is named twice; Delta's columns don't tell upper from lower case")
        return names

    @field_validator("placeholders")
    @classmethod
    def _words(cls, placeholders: tuple[str, ...]) -> tuple[str, ...]:
        if any(not placeholder.strip() for placeholder in placeholders):
            raise ValueError("expected words such as '[NAME]', got an empty one")
        if any(STAR in placeholder for placeholder in placeholders):
            raise ValueError(f"expected words without {STAR}, which stands for rare text")
        return placeholders

    @model_validator(mode="after")
    def _sources_exist(self) -> "PlanSettings":
        if "model" in self.sources and self.model is None:
            raise ValueError("sources names 'model', but the plan has no model: add model: FOLDER")
        if "patterns" in self.sources and self.patterns is None:
            raise ValueError("sources names 'patterns', but the plan has none: add patterns: {kinds: all}")
        if "repeats" in self.sources and self.repeats is None:
            raise ValueError("sources names 'repeats', but the plan has none: add repeats: {k: 4}")
        if "context" in self.sources and not self.correlations("remove"):
            raise ValueError("sources names 'context', but no category takes that route: add context: {LABEL: {}}")
        for name in self.sources:
            if name not in (*OWN_SOURCES, *self.detectors):
                raise ValueError(f"sources names {name!r}, but the plan does not run it: add detectors: [{name}]")
        return self
