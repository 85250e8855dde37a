"""The detector ``erase``: terms that a document shares with records of an external table."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.kinds import DetectorKind, DetectorScope, MethodContext, PlanView
from spark_deid.plausibility.k_safety.catalogue import check_paths
from spark_deid.plausibility.k_safety.settings import ERASE, RECORD, EraseSettings, columns_in_metadata
from spark_deid.storage.records import check_records

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


def _search(settings: EraseSettings, corpus: "Corpus", run: MethodContext, edited: Sequence[str]) -> "Corpus":
    """Join documents and table, and mark what they share; runs the actions of ``plausibility.spark.records``."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.plausibility.k_safety.spark.records import search

    return search(settings, corpus, run)


def _check(settings: EraseSettings) -> None:
    check_records(settings.table)
    check_paths(settings)


def _describe(settings: EraseSettings) -> str:
    which = "occur in" if settings.terms == "shared" else "identify records of"
    return (
        f"find terms that {which} the external table, until the remaining terms of a document fit {settings.k} records"
    )


def _refuse(settings: EraseSettings, plan: PlanView) -> Sequence[str]:
    lacking = () if ERASE in plan.edited else ("sources: erase finds terms that must be edited: add it",)
    return (*lacking, *columns_in_metadata(settings.columns, plan.metadata))


def _public(settings: EraseSettings) -> Mapping[str, object]:
    return {ERASE: {"k": settings.k, "terms": settings.terms}}


def _seeks(_: EraseSettings) -> DetectorScope:
    return DetectorScope((RECORD,), blind_spots=("values of the table in other words",))


KIND = DetectorKind(
    settings=EraseSettings,
    describe=_describe,
    legend="shared records",
    search=_search,
    public=_public,
    check=_check,
    example="erase: {table: people.csv, hierarchies: DIR, k: 5}",
    techniques=MappingProxyType({RECORD: (ERASE, "suppress", "mask")}),
    refuse=_refuse,
    seeks=_seeks,
)
