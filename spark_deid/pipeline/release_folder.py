"""A run from files to a release: a private workspace beside it, and one commit at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.span import Finder
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.peek import known_columns
from spark_deid.corpus.reject_hints import rejects_command
from spark_deid.corpus.spark.store import NothingReadable, StoredCorpus, store_corpus
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_tasks
from spark_deid.pipeline.columns import published_documents, types_of_columns
from spark_deid.pipeline.first_rows import lacking_metadata
from spark_deid.pipeline.reporting import Figures, excerpts_of, figures_of, report_data
from spark_deid.pipeline.run import InputContents, PipelineRun
from spark_deid.plan.config import PlanSettings
from spark_deid.release.commit import TABLE
from spark_deid.release.manifest import release_view, words_apart, write_json
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import commit_parts, write_absent, write_rows, write_scratch, write_table
from spark_deid.release.workspace import RunFolders
from spark_deid.report.render import release_report
from spark_deid.rewriting.metadata import SUBJECT
from spark_deid.rewriting.spark.typed import with_types
from spark_deid.storage.folder import LocalFolder, StorageFolder
from spark_deid.storage.parts import PartFile, read_groups

_MANIFEST, _EXCERPTS = "manifest.json", "excerpts.html"


@dataclass
class ReleaseSink:
    """The workspace and the release of a plan; ``figures`` are what methods reported, once it is released."""

    settings: PlanSettings
    folders: RunFolders
    figures: Figures | None = None

    @property
    def scratch(self) -> str:
        """Return the path of the workspace's folder for what is temporary."""
        return self.folders.workspace.scratch.uri.removeprefix("file://")

    def place(self, name: str) -> str:
        """Make the folder of a table, those of the workspace in it, others in its scratch folder."""
        workspace = self.folders.workspace
        is_kept = name in tables.TABLES or name in tables.ASSIGNMENTS
        folder = (workspace.folder if is_kept else workspace.scratch).child(name)
        if not isinstance(folder, LocalFolder):
            raise UsageError(f"{folder.uri}: expected a workspace that workers see as a local path")
        folder.make()
        return str(folder.path)

    def folder_of_table(self) -> StorageFolder:
        """Return the folder of the release for a table beside the texts."""
        return self.folders.release.child(TABLE)

    def materialize(self, name: str, rows: DataFrame) -> DataFrame:
        """Write a table of the workspace, or one that is temporary."""
        write = write_table if name in tables.TABLES else write_scratch
        return write(rows, self.folders.workspace, name)

    def read(self, run: PipelineRun) -> InputContents:
        """Read the input's files into tables of the workspace."""
        given, spark, workspace = self.settings.input, run.spark, self.folders.workspace
        run.clock.start("read", f"read {given.path}")
        stored = self._store(spark)
        documents = tuple(parts["documents"] for parts in stored.read)
        commit_parts(workspace, "documents", documents)
        commit_parts(workspace, "rejects", stored.rejects)
        corpus = replace(
            Corpus.empty(spark),
            read=stored.read,
            documents=read_parts(spark, documents, tables.DOCUMENTS),
            rejects=read_parts(spark, stored.rejects, tables.REJECTS),
        )
        self._check_metadata(spark, documents, stored.inventory)
        names_files = find_format(given.format).unit is ParserUnit.DOCUMENT
        return InputContents(corpus, stored.inventory, given.path, given.format, names_files, stored.delta_version)

    def _store(self, spark: SparkSession) -> StoredCorpus:
        """Read the input and write what was read; where nothing is readable, the workspace tells why."""
        given = self.settings.input
        folders = {name: self.place(name) for name in ("documents", "imported", "rejects")}
        try:
            return store_corpus(
                spark, given.path, given.format, folders, options=given.options, labels=self.settings.labels
            )
        except NothingReadable as error:
            commit_parts(self.folders.workspace, "rejects", error.rejects)
            shown = rejects_command(f"{self.settings.workspace}/rejects")
            raise CorpusError(f"{error}; which, and why: {shown}") from None

    def _check_metadata(self, spark: SparkSession, documents: Sequence[PartFile], inventory: FileInventory) -> None:
        """Check that the release's columns are some document's, or the input's; a small action where there are any."""
        if not self.settings.metadata:
            return
        held = set().union(*run_tasks(spark, _columns_of, documents))
        held |= {SUBJECT} if inventory.documents_with_subject else set()
        given = self.settings.input
        known = held.union(known_columns(given.path, given.format, given.options) or ())
        lacking = [name for name in self.settings.metadata if name not in known]
        if lacking:
            raise lacking_metadata(lacking, held)

    def keep_decisions(self, run: PipelineRun) -> None:
        """Make the spans and edits that were written tables of the workspace."""
        run.clock.start("write spans and edits")
        for name in ("spans", "edits"):
            commit_parts(self.folders.workspace, name, (parts[name] for parts in run.corpus.decided))

    def keep_assessments(self, run: PipelineRun) -> None:
        """Write the assessments, and the tables that the plan has no use for, empty."""
        write_rows((each.assessment for each in run.checked.assessed), self.folders.workspace, "assessments")
        write_absent(self.folders.workspace)

    def keep_manifest(self, run: PipelineRun) -> None:
        """Write the full manifest into the workspace, with its times so far."""
        scores = run.checked.counted.scores
        evaluation = {"evaluation": scores.to_json()} if scores else {}
        content = run.manifest.to_json() | evaluation
        self.folders.workspace.folder.write(_MANIFEST, write_json(content).encode())

    def release(self, run: PipelineRun) -> None:
        """Publish the texts that were checked, with the manifest and the report that readers may have."""
        run.clock.start("count for the report")
        workspace = self.folders.workspace.folder
        if most := self.settings.report.excerpts:
            workspace.write(_EXCERPTS, excerpts_of(run, most))
        self.figures = figures_of(run, workspace)
        let_out, expected = self.let_out(run)
        run.manifest = replace(run.manifest, times=run.times())
        view = {**release_view(run.manifest, run.key), **self.statements(run)}
        publish(
            let_out,
            self.folders.release,
            view,
            release_report(report_data(run, view, self.figures, self.settings.release)),
            expected=expected,
            table=None if run.table is None else run.table.rows,
            removed=run.removed,
            apart=(*words_apart(run.manifest), *run.doubts, *(() if run.table is None else run.table.columns)),
            stage=run.clock.start,
            keep=self.folders.workspace.keep_record,
        )
        run.manifest = replace(run.manifest, times=run.times())
        self.keep_manifest(run)

    def let_out(self, run: PipelineRun) -> tuple[DataFrame, int]:
        """Return the rows of the release, and how many there must be; reports have been gathered in ``figures``."""
        return columns_let_out(self.settings, run.corpus, run.key, run.finders), run.manifest.documents

    def statements(self, run: PipelineRun) -> Mapping[str, object]:
        """Return what the release's manifest says besides; called after ``let_out``."""
        return {}


def columns_let_out(settings: PlanSettings, corpus: Corpus, key: bytes, finders: Sequence[Finder]) -> DataFrame:
    """Select what the release holds: ids, text, and the metadata that the plan names, as it says.

    Metadata has its name last of all: Spark takes a dot in a column's name for a field of it.
    """
    chosen, plain = published_documents(corpus.decisions, settings, finders, key=key)
    types = {plain[name]: kind for name, kind in types_of_columns(settings, corpus).items()}
    return with_types(chosen, types).toDF("doc_id", "text", *plain)


def _columns_of(part: PartFile) -> set[str]:
    return {key for batch in read_groups(part.path, ["meta"]) for key in batch.column("meta").keys.unique().to_pylist()}
