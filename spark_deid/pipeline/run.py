"""The state of one run, and the sink that it goes to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import MethodContext
from spark_deid.core.missed_names import MissedEstimate, NoEstimate
from spark_deid.core.span import Finder
from spark_deid.corpus.inventory import FileInventory
from spark_deid.pipeline.recounting import CheckedDecisions
from spark_deid.pipeline.release_table import CheckedTable
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import MethodSettings
from spark_deid.release.manifest import Manifest, RunTimes
from spark_deid.release.remaining_names import RemainingNames
from spark_deid.release.spark.leaks import RemovedText, ResidualCounts
from spark_deid.release.spark.residual_documents import FoundPassages, ResidualDocuments
from spark_deid.rewriting.spark.metadata import FoundInColumns
from spark_deid.storage.folder import StorageFolder


@dataclass(frozen=True)
class RunInfo:
    """When and as what a plan is carried out: the resolved plan, its fingerprint, when the run began, its file."""

    plan: Mapping[str, Any]
    fingerprint: str
    started: datetime
    name: str = ""


@dataclass(frozen=True)
class InputContents:
    """What was read: documents and rejects as a corpus, how much there was, and where it came from.

    ``path`` is empty for an input without one; ``names_files`` states whether ids of documents are names of files.
    """

    corpus: Corpus
    inventory: FileInventory
    path: str
    format: str
    names_files: bool
    delta_version: int | None = None


class RunSink(Protocol):
    """Where a run keeps its tables, and what becomes of its results: a release folder, or DataFrames."""

    @property
    def scratch(self) -> str:
        """Return the path of the folder for what is temporary."""

    def place(self, name: str) -> str:
        """Make the folder of a table, and return its path."""

    def folder_of_table(self) -> StorageFolder:
        """Return the folder of a table beside the texts; raises UsageError where there can be none."""

    def materialize(self, name: str, rows: DataFrame) -> DataFrame:
        """Compute a table now, and return it as it is kept."""

    def read(self, run: "PipelineRun") -> InputContents:
        """Read the input; raises CorpusError where nothing is readable."""

    def keep_decisions(self, run: "PipelineRun") -> None:
        """Keep the spans and edits that were decided, before they are checked."""

    def keep_assessments(self, run: "PipelineRun") -> None:
        """Keep what the recount states, whether it holds or not."""

    def keep_manifest(self, run: "PipelineRun") -> None:
        """Keep the manifest, before a check may refuse the run."""

    def release(self, run: "PipelineRun") -> None:
        """Publish what was checked; raises GateRefused where removed text is next to it."""


class TargetOutcome(NamedTuple):
    """The fraction of names that may be missed, the loss ratio that was chosen for it, and whether it is reached."""

    target: float
    loss_ratio: float
    reached: bool


@dataclass
class PipelineRun:
    """One run: what it is given, then what each step adds, in the order of the steps."""

    settings: MethodSettings
    spark: SparkSession
    sink: RunSink
    key: bytes
    info: RunInfo
    clock: StageClock
    contents: InputContents = field(init=False)
    """By ``read``."""
    corpus: Corpus = field(init=False)
    """By ``read``; then with decisions."""
    methods: MethodContext = field(init=False)
    """By ``read``: what methods are lent."""
    doubts: tuple[str, ...] = field(init=False)
    """By ``read``: which detectors may not know such text."""
    is_doubted: bool = False
    """By ``read``: whether that is so of too many texts for anything to be estimated of them."""
    refusals: tuple[str, ...] = ()
    """By ``read`` of a run that is but scored: why a run would refuse the input."""
    aimed: TargetOutcome | None = None
    """By ``aim``: what became of the plan's target; with it ``settings`` and ``methods`` have its loss ratio."""
    checked: CheckedDecisions = field(init=False)
    """By ``recount``."""
    table: CheckedTable | None = None
    """By ``recount``: the table of people, if the plan asks for one next to the texts."""
    removed: RemovedText = field(init=False)
    """By ``scan``: the pieces of text that edits removed."""
    finders: tuple[Finder, ...] = field(init=False)
    """By ``scan``: those that search metadata."""
    found_in_columns: FoundInColumns = field(init=False)
    """By ``scan``: what detectors find in metadata that is kept as it is."""
    residuals: ResidualCounts = field(init=False)
    """By ``scan``: how much removed text is published elsewhere."""
    residual_documents: Mapping[str, ResidualDocuments] = field(init=False)
    """By ``scan``: the documents of which that is so, by the ids that they are released with."""
    passages: FoundPassages = field(default_factory=dict)
    """By ``scan``: removed text that texts still show, by the id of the document as it was read."""
    remaining_names: Mapping[str, RemainingNames] = field(default_factory=dict)
    """By ``scan``: words of removed names that remain in texts of the same person, by label."""
    missed: MissedEstimate | NoEstimate | None = None
    """By ``estimate``: how many words of names no edit touches, or why none is estimated; None where nothing could."""
    manifest: Manifest = field(init=False)
    """By ``describe``."""

    def times(self) -> RunTimes:
        """Return the times of the stages so far, without the one that continues."""
        return RunTimes(_iso(self.info.started), _iso(datetime.now(UTC)), tuple(self.clock.done().items()))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
