"""The algorithms of this package that recode tables; what they need is imported when they are called."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.column_type import ColumnTypes
from spark_deid.anonymity.recoding_kind import InputTables, RecodedRows, RecodingFolders, RecodingKind, RecodingRequest
from spark_deid.anonymity.recoding_modes import check_mondrian
from spark_deid.core.lazy_names import LazyModule

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.anonymity import fitted, fitted_levels
    from spark_deid.anonymity.fitted import FittedRecoding
    from spark_deid.anonymity.fitted_levels import FittedLevels
    from spark_deid.anonymity.spark import algorithms
else:
    fitted = LazyModule("spark_deid.anonymity.fitted")
    fitted_levels = LazyModule("spark_deid.anonymity.fitted_levels")
    algorithms = LazyModule("spark_deid.anonymity.spark.algorithms")


def _by_mondrian(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    return algorithms.by_mondrian(tables, request, folders)


def _by_incognito(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    return algorithms.by_incognito(tables, request, folders)


def _by_invariance(tables: InputTables, request: RecodingRequest, folders: RecodingFolders) -> RecodedRows:
    return algorithms.by_invariance(tables, request, folders)


def _cuts_of(folder: Path, quasi: Sequence[str], types: ColumnTypes) -> "FittedRecoding":
    return fitted.read_fitted(folder, quasi, types)


def _levels_of(folder: Path, quasi: Sequence[str], types: ColumnTypes) -> "FittedLevels":
    return fitted_levels.read_levels(folder, quasi, types)


def _view_by_mondrian(view: "DataFrame", request: RecodingRequest, folders: RecodingFolders) -> "DataFrame":
    return algorithms.view_by_mondrian(view, request, folders)


def _view_by_incognito(view: "DataFrame", request: RecodingRequest, folders: RecodingFolders) -> "DataFrame":
    return algorithms.view_by_incognito(view, request, folders)


def _keeps_all(_: PrivacyClaim) -> None:
    """Object to nothing: what does not fit is refused with the table's columns at hand."""


MONDRIAN = RecodingKind(
    describe="splits the rows by their values",
    recode=_by_mondrian,
    check=check_mondrian,
    heeds=frozenset({"recoding", "relaxed", "fitted"}),
    read_fitted=_cuts_of,
    recode_view=_view_by_mondrian,
)
INCOGNITO = RecodingKind(
    describe="selects one level per column",
    recode=_by_incognito,
    check=_keeps_all,
    heeds=frozenset({"suppression", "loss", "fitted"}),
    read_fitted=_levels_of,
    recode_view=_view_by_incognito,
)
M_INVARIANCE = RecodingKind(
    describe="keeps people in classes of the values that they had in each release",
    recode=_by_invariance,
    check=_keeps_all,
    heeds=frozenset({"recoding"}),
)
