"""A detector of rare text. It searches the text after the edits of the other detectors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import model_validator

from spark_deid.core.edit import MASK, RARE
from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanSection
from spark_deid.core.options import option
from spark_deid.repeats.settings import (
    MAX_CAP,
    MAX_K,
    CountedText,
    CountingUnit,
    CoveringMethod,
    RaritySettings,
    UnitChoice,
    choose_unit,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.core.corpus import Corpus

NAME = "repeats"
_PLURALS = MappingProxyType({"auto": "people (documents if the input names no people)", "occurrence": "places"})


class RepeatsSettings(PlanSection):
    """Rare text: substrings of fewer than ``k`` people, documents or places, after all other edits.

    Without ``shards`` one task searches if the text fits, otherwise several do. The result is the same.
    With ``sweep`` the report compares other k and lengths.
    """

    k: int = option(4, f"Hide text that occurs for fewer than k (2 to {MAX_K}) people or documents.", ge=2, le=MAX_K)
    min_length: int = option(6, "Minimum number of characters of a kept run.", ge=1)
    unit: UnitChoice = option("auto", "Unit that k counts. auto: people if the input names them, otherwise documents.")
    covering: CoveringMethod = option(
        CoveringMethod.OPTIMAL, "Method: optimal, or greedy (the longest repeat first, as in the paper)."
    )
    cap: int = option(
        255,
        "Bytes of the longest kept run. A longer repeat is cut.",
        ge=1,
        le=MAX_CAP,
    )
    strict: CountedText = option(
        CountedText.ORIGINAL, "published: every kept run also occurs in k of the released texts."
    )
    whole_tokens: float = option(
        1.0, "Hide a whole word if more than this fraction of its characters is hidden.", ge=0, le=1
    )
    whole_fields: bool = option(
        False, "Hide all answers of a field (`Result: negative`) if one of its few answers is rare."
    )
    shards: int = option(0, "Number of shards. 0 uses one task if the text fits.", ge=0, le=10_000)
    sweep: bool = option(False, "Compare other k and lengths in the report.")

    @model_validator(mode="after")
    def _fits(self) -> "RepeatsSettings":
        if self.min_length > self.cap:
            raise ValueError(f"min_length {self.min_length} is above cap {self.cap}: every text would be hidden")
        return self

    def rarity(self, subjects: int) -> RaritySettings:
        """Return these settings with the unit of k for this number of people; raises UsageError."""
        unit = choose_unit(self.unit, subjects=subjects)
        return RaritySettings(self.k, self.min_length, unit, self.covering, self.cap, self.strict, self.whole_tokens)


def plural(unit: str) -> str:
    """Return the plural of a unit.

    >>> plural("document"), plural("occurrence")
    ('documents', 'places')
    """
    return "people" if unit == CountingUnit.SUBJECT else _PLURALS.get(unit, f"{unit}s")


def _search(settings: RepeatsSettings, corpus: "Corpus", run: MethodContext, edited: Sequence[str]) -> "Corpus":
    """Add what is rare; runs an action to find it, more where text needs shards."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.repeats.spark import fields, search, shards

    rarity, searched = settings.rarity(run.subjects), corpus.annotated
    placeholders, numbers = run.plan.placeholders, count()

    def find(documents: "DataFrame") -> "DataFrame":
        name = f"found-{next(numbers)}"
        folder = f"{run.scratch}/shards-{name}"
        rows = shards.find_rare_text(
            documents, rarity, shards=settings.shards, folder=folder, placeholders=placeholders
        )
        return run.materialize(name, rows)

    found = find(searched)
    if settings.whole_fields:
        found = run.materialize("found", fields.find_with_fields(searched, found, find))
    kept = {**corpus.kept, "found": found, "searched": searched}
    return replace(corpus, annotated=search.with_rare_spans(searched, found), kept=kept)


def _report(settings: RepeatsSettings, corpus: "Corpus", run: MethodContext) -> Mapping[str, object]:
    """Count the hidden passages by length and shape. Runs two or three small actions, and those of a sweep."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.repeats.spark.figures import shapes_of, sweep_of, totals_of

    rarity = settings.rarity(run.subjects)
    totals = totals_of(corpus.kept["found"])
    figures = {"settings": asdict(rarity), **totals, **shapes_of(corpus.decisions, documents=totals["documents"])}
    if not settings.sweep:
        return figures | {"sweep": None}
    folder, words = f"{run.scratch}/shards-sweep", run.plan.placeholders
    return figures | {"sweep": sweep_of(corpus.kept["searched"], rarity, settings.shards, folder, words)}


def _describe(settings: RepeatsSettings) -> str:
    kept = f"keep runs of at least {settings.min_length} characters ({settings.covering})"
    return f"find text that occurs for fewer than {settings.k} {plural(settings.unit)}, and {kept}"


def _public(settings: RepeatsSettings) -> Mapping[str, object]:
    values = settings.model_dump(mode="json", exclude={"sweep"})
    return {NAME: ", ".join(f"{name} {value}" for name, value in values.items())}


def _seeks(settings: RepeatsSettings) -> DetectorScope:
    also = (f"text that fewer than {settings.k} {plural(settings.unit)} share",)
    return DetectorScope(
        also=also, blind_spots=("private text that is not rare, such as a common name or a date that many people have",)
    )


KIND = DetectorKind(
    settings=RepeatsSettings,
    describe=_describe,
    legend="rare text",
    search=_search,
    sees="edited",
    public=_public,
    example="repeats: {k: 4}",
    techniques=MappingProxyType({RARE: (MASK,)}),
    reserved=(MASK,),
    report=_report,
    template="spark_deid.repeats/rare.html",
    seeks=_seeks,
)
