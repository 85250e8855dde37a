"""What an algorithm that recodes tables brings: what users are told, what it can keep to, and the operator."""

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


# What tells how much a generalization loses, by the names that options have.


class LossMetric(Enum):
    """What tells how much a generalization loses."""

    NCP = "ncp"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class-size"
    PRECISION = "precision"


@dataclass(frozen=True)
class RecodingRequest:
    """What is asked of a table: its claim, how it is recoded, and which further columns stay.

    Of these ``keep_identifying`` may name persons or tell what is recoded. ``is_day_first`` is the order of
    dates whose cells do not show it, ``types`` are those of columns that an earlier run read.
    ``suppression`` limits the fraction of rows that are omitted; None is no limit for a fitted recoding, and 0 for
    others. ``fail_on`` is the best verdict that is refused.
    ``release_key``, drawn anew for each release, makes the ids of persons that are published and the order of rows;
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
        """Return the columns of the result, in the table's order; raises UsageError for absent ones."""
        check_columns(self.claim, columns)
        absent = [name for name in self.keep if name not in columns]
        if absent:
            raise UsageError(f"--keep: {', '.join(absent)}: expected columns of the table; {columns_text(columns)}")
        named = {*self.claim.columns, *self.keep}
        return tuple(name for name in columns if name in named)


@dataclass(frozen=True)
class InputTables:
    """The table, and others that models ask for; ``previous`` is who is who of the release before."""

    table: "DataFrame"
    population: "DataFrame | None" = None
    previous: "DataFrame | None" = None


class RecodingFolders(NamedTuple):
    """New folders that every worker sees: a private one for what is temporary, and that of the result's files."""

    scratch: Path
    output: Path


class WrittenRows(NamedTuple):
    """Files of the result's folder, and the schema of their rows."""

    files: "tuple[PartFile, ...]"
    schema: "pa.Schema"


@dataclass(frozen=True)
class RecodedRows:
    """Rows as they may be published, what they claim, and figures without values of originals.

    ``rows`` is a DataFrame of what is to be published and nothing else, or the files of an algorithm that writes its
    own. ``before`` counts classes of untouched values by their persons; those of the result are counted on what was
    written, where classes that show the same are one. ``summary`` goes into manifest and report. ``compared`` has the
    quasi-identifiers before and after, in pairs, where the request names a private folder and the algorithm does not
    write there itself. ``pairs`` has originals beside what is published, where columns are kept: see
    ``spark.kept_columns.disclosing_columns``.
    """

    claim: PrivacyClaim
    rows: "DataFrame | WrittenRows"
    before: Counter[int]
    summary: Mapping[str, Any]
    compared: "DataFrame | None" = None
    pairs: "DataFrame | tuple[tuple[PartFile, PartFile], ...] | None" = None


@dataclass(frozen=True, kw_only=True)
class RecodingKind:
    """An algorithm that recodes tables of people.

    ``describe`` follows its name in a sentence. ``heeds`` are the options that mean something to it, of ``recoding``,
    ``relaxed``, ``fitted``, ``suppression`` and ``loss``. ``check`` raises UsageError for claims that it can't keep.
    ``read_fitted`` reads an earlier recoding from a folder, for columns and their types.
    ``recode`` makes the rows; raises GateRefused where no recoding satisfies the models. What it says of itself is no
    proof: the rows that were written are recounted.

    ``recode_view`` generalizes identifier views of texts, where the algorithm can: tables of a person a row, of whose
    sensitive columns each has lists. It returns the columns that the request publishes, a row for every person, with
    quasi-identifiers as text, null where nothing may be shown; raises GateRefused where nothing may be shown of
    anybody. What it shows is recounted in the texts.
    """

    describe: str
    recode: Callable[[InputTables, RecodingRequest, RecodingFolders], RecodedRows]
    check: Callable[[PrivacyClaim], None]
    heeds: frozenset[str] = frozenset()
    read_fitted: "Callable[[Path, Sequence[str], ColumnTypes], FittedRecoding | FittedLevels] | None" = None
    recode_view: "Callable[[DataFrame, RecodingRequest, RecodingFolders], DataFrame] | None" = None
