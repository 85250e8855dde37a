"""Carry out a plan from its input to decisions, in an open workspace."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import MethodContext
from spark_deid.corpus.columns import told_columns
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.peek import known_columns
from spark_deid.corpus.spark.store import NothingReadable, StoredCorpus, store_corpus
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.phases import carry_out
from spark_deid.plan.secret import SecretKey
from spark_deid.release.spark.tables import commit, write_scratch, write_table
from spark_deid.release.workspace import RunWorkspace
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import PartFile, read_groups
from spark_deid.storage.spark.tasks import read_parts, run_tasks

SUBJECT = "subject_id"


@dataclass(frozen=True)
class PlanOutcome:
    """What carrying out a plan gave, before anything is checked or released."""

    corpus: Corpus
    inventory: FileInventory
    delta_version: int | None
    run: MethodContext


def execute(
    settings: PlanSettings, spark: SparkSession, workspace: RunWorkspace, secret: SecretKey, clock: StageClock
) -> PlanOutcome:
    """Read, detect and decide; every table of it lies in the workspace afterwards.

    Runs one action for each table that it writes. Raises CorpusError where nothing is readable.
    """
    place = partial(_place, workspace)
    clock.start("read", f"read {settings.input.path}")
    stored = _store(settings, spark, workspace)
    documents = tuple(parts["documents"] for parts in stored.read)
    commit(workspace, "documents", documents)
    commit(workspace, "rejects", stored.rejects)
    corpus = replace(Corpus.empty(spark), read=stored.read, documents=read_parts(spark, documents, tables.DOCUMENTS))
    corpus = replace(corpus, rejects=read_parts(spark, stored.rejects, tables.REJECTS))
    _check_metadata(settings, spark, documents, stored.inventory)
    run = MethodContext(
        spark=spark,
        plan=settings,
        materialize=partial(_materialize, workspace),
        scratch=workspace.scratch.uri.removeprefix("file://"),
        place=place,
        subjects=stored.inventory.documents_with_subject,
        secret=secret.key,
    )
    corpus = carry_out(settings, corpus, run, clock)
    clock.start("write spans and edits")
    for name in ("spans", "edits"):
        commit(workspace, name, (parts[name] for parts in corpus.decided))
    return PlanOutcome(corpus, stored.inventory, stored.delta_version, run)


def _store(settings: PlanSettings, spark: SparkSession, workspace: RunWorkspace) -> StoredCorpus:
    """Read the input and write what was read; where nothing is readable, the workspace tells why."""
    given = settings.input
    folders = {name: _place(workspace, name) for name in ("documents", "imported", "rejects")}
    try:
        return store_corpus(spark, given.path, given.format, folders, options=given.options, labels=settings.labels)
    except NothingReadable as error:
        commit(workspace, "rejects", error.rejects)
        raise


def _check_metadata(
    settings: PlanSettings, spark: SparkSession, documents: Sequence[PartFile], inventory: FileInventory
) -> None:
    """Check that the release's columns are some document's, or the input's; a small action where there are any."""
    if not settings.metadata:
        return
    held = set().union(*run_tasks(spark, _columns_of, documents))
    held |= {SUBJECT} if inventory.documents_with_subject else set()
    given = settings.input
    known = held.union(known_columns(given.path, given.format, given.options) or ())
    lacking = [name for name in settings.metadata if name not in known]
    if lacking:
        wrong = " or ".join(map(repr, lacking))
        raise UsageError(f"metadata: no document has {wrong}; {told_columns(sorted(held))}")


def _columns_of(part: PartFile) -> set[str]:
    return {key for batch in read_groups(part.path, ["meta"]) for key in batch.column("meta").keys.unique().to_pylist()}


def _place(workspace: RunWorkspace, name: str) -> str:
    folder = (workspace.folder if name in tables.TABLES else workspace.scratch).child(name)
    if not isinstance(folder, LocalFolder):
        raise UsageError(f"{folder.uri}: expected a workspace that workers see as a local path")
    folder.make()
    return str(folder.path)


def _materialize(workspace: RunWorkspace, name: str, rows: DataFrame) -> DataFrame:
    return write_table(rows, workspace, name) if name in tables.TABLES else write_scratch(rows, workspace, name)
