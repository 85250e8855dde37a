"""Algorithms that recode tables, by name: those of this package, and those that installed packages bring.

A package provides an algorithm with an entry point of the group ``spark_deid.recodings`` whose value is a
``RecodingKind``::

    [project.entry-points."spark_deid.recodings"]
    datafly = "my_package.datafly:KIND"
"""

from collections.abc import Iterator
from types import MappingProxyType

from spark_deid.anonymity.model_demand import ModelDemands
from spark_deid.anonymity.models import usable_models
from spark_deid.anonymity.recoding_kind import RecodingKind
from spark_deid.core.errors import UsageError
from spark_deid.core.registry import MethodRegistry

MONDRIAN, INCOGNITO, INVARIANCE = "mondrian", "incognito", "m-invariance"
OPTIONS = frozenset({"recoding", "relaxed", "fitted", "suppression", "loss"})
"""Options that state how a table is recoded: each algorithm heeds some."""

RECODINGS = MethodRegistry(
    noun="algorithm",
    group="spark_deid.recodings",
    built_in=MappingProxyType(
        {
            MONDRIAN: "spark_deid.anonymity.built_in_recodings:MONDRIAN",
            INCOGNITO: "spark_deid.anonymity.built_in_recodings:INCOGNITO",
            INVARIANCE: "spark_deid.anonymity.built_in_recodings:M_INVARIANCE",
        }
    ),
    kind=RecodingKind,
)


def list_offered() -> Iterator[tuple[str, RecodingKind]]:
    """Yield the algorithms that a user may name: not those that a model provides itself, and none that can't load."""
    implied = {kind.recoding for _, kind in usable_models()}
    for name in RECODINGS.names():
        if name in implied:
            continue
        try:
            yield name, RECODINGS.find(name)
        except UsageError:
            continue


def offered_names() -> tuple[str, ...]:
    """Return the names of the algorithms that a user may name."""
    return tuple(name for name, _ in list_offered())


def recodings_of_views() -> tuple[str, ...]:
    """Return the names of the algorithms that generalize identifier views of texts as well."""
    return tuple(name for name, kind in list_offered() if kind.recode_view is not None)


def describe_algorithms() -> str:
    """State for each algorithm what it does, in one sentence."""
    return ", ".join(f"{name} {kind.describe}" for name, kind in list_offered()) + "."


def recoding_for(models: ModelDemands, named: str) -> str:
    """Return the algorithm that recodes: that of a model that only one can keep, else the named one."""
    return next((demand.kind.recoding for demand in models.demands if demand.kind.recoding), named)
