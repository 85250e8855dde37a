"""A run from files to a release: a private workspace beside it, and one commit at the end."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import LabelledEdit
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.kinds import TermLoss
from spark_deid.core.span import GOLD, Finder, Span
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.peek import known_columns
from spark_deid.corpus.reject_hints import rejects_command
from spark_deid.corpus.spark.store import NothingReadable, StoredCorpus, store_corpus
from spark_deid.engine import functions as F
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import run_tasks
from spark_deid.pipeline.columns import published_documents, types_of_columns
from spark_deid.pipeline.describing import checks_of
from spark_deid.pipeline.first_rows import lacking_metadata
from spark_deid.pipeline.run import InputContents, PipelineRun
from spark_deid.pipeline.warnings import noted_by
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.detectors import detectors_of
from spark_deid.release.commit import TABLE
from spark_deid.release.manifest import known_labels, release_view, words_apart, write_json
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import commit_parts, write_absent, write_rows, write_scratch, write_table
from spark_deid.release.workspace import RunFolders
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import excerpt
from spark_deid.report.render import excerpts_page, release_report
from spark_deid.rewriting.metadata import SUBJECT
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.spark.metadata import with_types
from spark_deid.storage.folder import LocalFolder, StorageFolder
from spark_deid.storage.parts import PartFile, read_groups

# Contents of a release folder about a run: the report, and pages for the workspace only.


Figures = Mapping[str, Mapping[str, object]]
"""Reported figures by the name of the method."""


def report_data(run: PipelineRun, view: Mapping[str, object], figures: Figures, release: str) -> ReportData:
    """Return what the report of a release shows; ``view`` is the manifest that its readers have."""
    counted = run.checked.counted
    return ReportData(
        manifest=view,
        evaluation=counted.scores.of_labels(known_labels(run.manifest)) if counted.scores else None,
        training=next((model.training for model in run.manifest.models if model.training), None),
        notes=run.doubts,
        figures=figures,
        plan=run.info.name,
        release=PurePath(release).name,
        checks=checks_of(run.settings),
        remarks=noted_by(counted),
        residual_places=tuple(run.residuals),
        found_in={name: tuple(labels) for name, labels in run.found_in_columns.items()},
    )


def figures_of(run: PipelineRun, private: StorageFolder) -> Figures:
    """Let detectors and techniques report; files for the workspace only are written there."""
    record = {name: kind.report(section, run.corpus, run.methods) for name, kind, section in detectors_of(run.settings)}
    figures = {name: reported for name, reported in record.items() if reported}
    for name, rules in settings_by_technique(run.settings).items():
        report = TECHNIQUES.find(name).report
        if report is not None:
            reported = report(rules, run.corpus, run.methods)
            figures[name] = reported.figures
            for file, content in reported.private.items():
                private.write(file, content)
    return figures


def excerpts_of(run: PipelineRun, most: int) -> bytes:
    """Return a page with originals next to the released texts: the first documents by id that have edits.

    If annotations of the input are not edited, documents with a readable annotation are also shown.
    """
    shown = run.corpus.decisions.where((F.size("edits") > 0) | (F.col("gold_unedited") > 0))
    rows = shown.orderBy("doc_id").limit(most).select("doc_id", "text", "edits", "spans").collect()
    excerpts = []
    for row in rows:
        edits = [LabelledEdit(*edit) for edit in row["edits"]]
        changes = _changes(run.settings, row["text"], edits)
        gold = [span for span in (Span(*each) for each in row["spans"]) if span.source == GOLD]
        excerpts.append(excerpt(row["doc_id"], row["text"], edits, annotations=gold, changes=changes))
    return excerpts_page(excerpts).encode()


_REMOVED_ELSEWHERE = "removed elsewhere"
"""The label of a passage that equals removed text."""
_MOST_PASSAGES = 100
"""Maximum number of documents with annotations that the page of passages shows."""


def passages_of(run: PipelineRun) -> bytes | None:
    """Return a page of the passages that warnings are about, or None for a run without such warnings.

    The page marks input annotations that no edit touches, and removed text that the same or another text still shows.
    """
    is_annotated = F.lit(False)
    if run.checked.counted.totals.gold_unedited and GOLD not in run.settings.edited:
        is_annotated = F.col("gold_unedited") > 0
    elif not run.passages:
        return None
    columns = ("doc_id", "text", "edits", "spans")
    annotated = run.corpus.decisions.where(is_annotated).orderBy("doc_id").limit(_MOST_PASSAGES).select(*columns)
    named = run.corpus.decisions.where(F.col("doc_id").isin([*run.passages])).select(*columns)
    rows = {row["doc_id"]: row for row in (*annotated.collect(), *named.collect())}
    shown = []
    for doc_id, row in sorted(rows.items()):
        edits = [LabelledEdit(*edit) for edit in row["edits"]]
        gold = [span for span in (Span(*each) for each in row["spans"]) if span.source == GOLD]
        marked = [
            *(gold if GOLD not in run.settings.edited else ()),
            *_places_of(row["text"], run.passages.get(doc_id, ())),
        ]
        shown.append(excerpt(doc_id, row["text"], edits, annotations=marked))
    return excerpts_page(shown, heading="Passages of warnings").encode()


def _places_of(text: str, pieces: Sequence[str]) -> Iterator[Span]:
    """Yield every place of some pieces in a text, between words and in any case."""
    for piece in pieces:
        for found in re.finditer(rf"(?<!\w){re.escape(piece)}(?!\w)", text, re.IGNORECASE):
            yield Span(found.start(), found.end(), _REMOVED_ELSEWHERE)


def settings_by_technique(settings: MethodSettings) -> dict[str, dict[str, Any]]:
    """Return the settings of a plan's rules by technique, then by label."""
    found: dict[str, dict[str, Any]] = {}
    for label, rule in settings.rules_by_label.items():
        found.setdefault(rule.technique, {})[label] = rule.settings
    return found


def _changes(settings: MethodSettings, text: str, edits: Sequence[LabelledEdit]) -> list[TermLoss]:
    by_technique = settings_by_technique(settings).items()
    return [
        each for name, rules in by_technique for each in TECHNIQUES.find(name).changes(rules, settings, text, edits)
    ]


_MANIFEST, _EXCERPTS, _PASSAGES = "manifest.json", "excerpts.html", "passages.html"


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
        """Read the input and write what was read; where nothing is readable, the workspace states why."""
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
            _write_private(workspace, _EXCERPTS, excerpts_of(run, most))
        if (passages := passages_of(run)) is not None:
            _write_private(workspace, _PASSAGES, passages)
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
        """Return what the release's manifest states besides; called after ``let_out``."""
        return {}


def _write_private(folder: StorageFolder, name: str, content: bytes) -> None:
    """Write a page with originals that only its owner may read."""
    folder.write(name, content)
    if isinstance(folder, LocalFolder):
        (folder.path / name).chmod(0o600)


def columns_let_out(settings: PlanSettings, corpus: Corpus, key: bytes, finders: Sequence[Finder]) -> DataFrame:
    """Select what the release holds: ids, text, and the metadata that the plan names, as it states.

    Metadata has its name last of all: Spark takes a dot in a column's name for a field of it.
    """
    chosen, plain = published_documents(corpus.decisions, settings, finders, key=key)
    types = {plain[name]: kind for name, kind in types_of_columns(settings, corpus).items()}
    return with_types(chosen, types).toDF("doc_id", "text", *plain)


def _columns_of(part: PartFile) -> set[str]:
    return {key for batch in read_groups(part.path, ["meta"]) for key in batch.column("meta").keys.unique().to_pylist()}
