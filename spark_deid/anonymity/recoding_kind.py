"""An algorithm that recodes tables: its words for users, the claims that it can satisfy, and its operator."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.column_type import NO_TYPES, ColumnTypes
from spark_deid.anonymity.recoding_modes import Modes
from spark_deid.core.column_names import columns_text
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import random_key

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from spark_deid.anonymity.fitted import FittedRecoding
    from spark_deid.anonymity.fitted_levels import FittedLevels
    from spark_deid.storage.parts import PartFile


# Measures of a generalization's loss, by the names of options.


class LossMetric(Enum):
    """A measure of a generalization's loss."""

    NCP = "ncp"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class-size"
    PRECISION = "precision"


@dataclass(frozen=True)
class RecodingRequest:
    """The demands on a table: its claim, its recoding, and its kept columns.

    ``keep_identifying`` columns may name people or reveal recoded values. ``is_day_first`` is the order of
    dates whose cells do not show it, ``types`` are those of columns that an earlier run read.
    ``suppression`` limits the fraction of omitted rows; None means no limit for a fitted recoding, and 0 for
    others. ``fail_on`` is the best verdict that is refused.
    ``release_key``, a new one per release, makes the published ids of people and the order of rows;
    ``key`` what else is drawn, such as ties. ``fitted`` is an earlier recoding to apply; in ``private`` a new one is
    kept where the algorithm has one that can be, and rows before and after.
    """

    claim: PrivacyClaim
    key: bytes = field(repr=False)
    recoding: Modes = field(default_factory=dict)
    is_relaxed: bool = False
    suppression: float | None = None
    metric: LossMetric = LossMetric.NCP
    keep: tuple[str, ...] = ()
    keep_identifying: tuple[str, ...] = ()
    is_day_first: bool = False
    types: ColumnTypes = field(default_factory=lambda: NO_TYPES)
    fitted: "FittedRecoding | FittedLevels | None" = None
    fail_on: str | None = None
    private: Path | None = None
    release_key: bytes = field(default_factory=random_key, repr=False)

    def published(self, columns: list[str]) -> tuple[str, ...]:
        """Return the columns of the result.

        Args:
            columns: The columns of the table.

        Returns:
            The columns to publish, in the table's order.

        Raises:
            UsageError: Columns are absent.
        """
        check_columns(self.claim, columns)
        absent = [name for name in self.keep if name not in columns]
        if absent:
            raise UsageError(f"--keep: {', '.join(absent)}: expected columns of the table; {columns_text(columns)}")
        named = {*self.claim.columns, *self.keep}
        return tuple(name for name in columns if name in named)


@dataclass(frozen=True)
class InputTables:
    """The tables of a recoding.

    Attributes:
        table: The table to recode.
        population: A table of the population, for models that need one.
        previous: The person of each id of the release before.
    """

    table: "DataFrame"
    population: "DataFrame | None" = None
    previous: "DataFrame | None" = None


class RecodingFolders(NamedTuple):
    """New folders that every worker sees.

    Attributes:
        scratch: A private temporary folder.
        output: The folder of the result's files.
    """

    scratch: Path
    output: Path


class WrittenRows(NamedTuple):
    """Rows in files.

    Attributes:
        files: Files of the result's folder.
        schema: The schema of their rows.
    """

    files: "tuple[PartFile, ...]"
    schema: "pa.Schema"


@dataclass(frozen=True)
class RecodedRows:
    """Rows to publish, their claim, and figures without values of originals.

    Attributes:
        claim: The claim of the rows.
        rows: A DataFrame of the columns to publish and no others, or the files of an algorithm that writes its own.
        before: The classes of original values, by number of people. Classes of the result are counted on the written
            rows, and equal ones are one class.
        summary: Figures for the manifest and the report.
        compared: Pairs of quasi-identifiers before and after, if the request names a private folder and the algorithm
            does not write there itself.
        pairs: Originals next to published values, if columns are kept: see ``spark.kept_columns.disclosing_columns``.
    """

    claim: PrivacyClaim
    rows: "DataFrame | WrittenRows"
    before: Counter[int]
    summary: Mapping[str, Any]
    compared: "DataFrame | None" = None
    pairs: "DataFrame | tuple[tuple[PartFile, PartFile], ...] | None" = None


@dataclass(frozen=True, kw_only=True)
class RecodingKind:
    """An algorithm that recodes tables of people. Its own results are not a proof: the written rows are recounted.

    Attributes:
        describe: The name in a sentence.
        recode: Makes the rows. Raises GateRefused if no recoding satisfies the models.
        check: Raises UsageError for claims that the algorithm cannot satisfy.
        heeds: The options that it uses, of ``recoding``, ``relaxed``, ``fitted``, ``suppression`` and ``loss``.
        read_fitted: Reads an earlier recoding from a folder, for columns and their types.
        recode_view: Generalizes identifier views of texts: one row per person, sensitive columns with lists. Returns
            the columns of the request with quasi-identifiers as text, null if nothing may be shown. Raises GateRefused
            if no value may be shown of any person. The texts are recounted.

    Example:
        A package names its kind in an entry point of ``spark_deid.recodings``::

            KIND = RecodingKind(describe="omits rows that few share", recode=_recode, check=_check)
    """

    describe: str
    recode: Callable[[InputTables, RecodingRequest, RecodingFolders], RecodedRows]
    check: Callable[[PrivacyClaim], None]
    heeds: frozenset[str] = frozenset()
    read_fitted: "Callable[[Path, Sequence[str], ColumnTypes], FittedRecoding | FittedLevels] | None" = None
    recode_view: "Callable[[DataFrame, RecodingRequest, RecodingFolders], DataFrame] | None" = None
