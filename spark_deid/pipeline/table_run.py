"""The state of one run that recodes a table of people, and the sink that it goes to."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.recoding_kind import InputTables, RecodingFolders, RecodingRequest
from spark_deid.anonymity.recodings import recoding_for
from spark_deid.core.kinds import AssessmentResult
from spark_deid.plan.clock import StageClock
from spark_deid.release.spark.leaks import RemovedText, ResidualCounts
from spark_deid.storage.parts import PartFile


@dataclass(frozen=True)
class TableReleaseContents:
    """The files of a recoded table, what it claims, and figures without values of originals.

    ``before`` and ``after`` count classes by their people; ``after`` is of the recount, in which classes that show the
    same are one.
    """

    files: tuple[PartFile, ...]
    schema: pa.Schema
    claim: PrivacyClaim
    before: Counter[int]
    summary: Mapping[str, Any]
    after: Counter[int] = field(default_factory=Counter)

    @property
    def unit(self) -> str:
        """Return what classes have members of."""
        return "rows" if self.claim.person is None else "persons"


class TableSink(Protocol):
    """Where a recoded table goes: a release folder, or a DataFrame."""

    @property
    def folders(self) -> RecodingFolders:
        """Return the folders for what is temporary, and for the files of the result."""

    def read(self, run: "TableRun") -> InputTables:
        """Read the table, and those that models look at beside it."""

    def keep_manifest(self, run: "TableRun") -> None:
        """Keep the manifest, before a check may refuse the run."""

    def release(self, run: "TableRun") -> None:
        """Publish what was checked; raises GateRefused where removed text is next to it."""


@dataclass
class TableRun:
    """One run: what it is given, then what each step adds, in the order of the steps."""

    request: RecodingRequest
    algorithm: str
    """The algorithm that was named; a model may bring one of its own."""
    spark: SparkSession
    sink: TableSink
    clock: StageClock
    private: Path | None = None
    """A folder that keeps who is who; what was drawn for the release is lost without one."""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    tables: InputTables = field(init=False)
    """By ``read``: ids of people that look the same are equal."""
    cells: DataFrame = field(init=False)
    """By ``read``: the table before text was read as numbers and dates."""
    warnings: list[str] = field(default_factory=list)
    """What users should know, in sentences; each step adds its own."""
    respelled: int = field(init=False)
    """By ``read``: further spellings of ids that look the same."""
    contents: TableReleaseContents = field(init=False)
    """By ``recode``; what its classes come to, by ``recount``."""
    known: DataFrame | None = None
    """By ``recode``: who is who, where a folder keeps it."""
    assessed: tuple[AssessmentResult, ...] = field(init=False)
    """By ``recount``."""
    removed: RemovedText = field(init=False)
    """By ``scan``: values of people and quasi-identifiers as they were."""
    with_kept: Counter[int] | None = None
    """By ``scan``: how many classes have that many people where columns that remain are known as well."""
    residuals: ResidualCounts = field(init=False)
    """By ``scan``: how many of them are in columns that are published as they are."""
    summary: Mapping[str, Any] = field(init=False)
    """By ``describe``: counts, levels and shares."""
    manifest: Mapping[str, Any] = field(init=False)
    """By ``describe``."""

    @property
    def recoding(self) -> str:
        """Return the algorithm that recodes."""
        return recoding_for(self.request.claim.models, self.algorithm)

    def warn(self, warning: str) -> None:
        """Add a warning to the manifest, and state it."""
        self.warnings.append(warning)
        self.clock.say(f"warning: {warning}")
