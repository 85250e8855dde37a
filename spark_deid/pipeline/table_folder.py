"""A run from files to a table's release: a private workspace beside it, and one commit at the end."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from spark_deid.anonymity.plots import plots_of
from spark_deid.anonymity.recoding_kind import InputTables, RecodingFolders
from spark_deid.anonymity.spark.known_persons import read_known_persons
from spark_deid.anonymity.spark.usable import read_table
from spark_deid.core.csv_dialect import RFC_4180, CsvDialect
from spark_deid.core.errors import UsageError
from spark_deid.pipeline.table_describing import words_of_table
from spark_deid.pipeline.table_run import TableRun
from spark_deid.release.commit import MANIFEST, TABLE
from spark_deid.release.manifest import write_json
from spark_deid.release.publish import publish_table
from spark_deid.release.workspace import RunFolders
from spark_deid.report.render import anonymization_report
from spark_deid.storage.folder import LocalFolder, StorageFolder
from spark_deid.storage.table_files import MissingColumns


class TablePlaces(NamedTuple):
    """The places of a table and of others that models need, and how their files are read.

    ``previous`` is the workspace of the release before. Each file of the table must have the ``columns``, and each file
    of the population the columns ``quasi``, unless ``missing`` columns are null.
    """

    table: str
    population: str | None = None
    previous: str | None = None
    dialect: CsvDialect = RFC_4180
    columns: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    missing: MissingColumns = MissingColumns.REFUSE

    def read(self, spark: SparkSession) -> InputTables:
        """Read the tables; raises UsageError and CorpusError."""
        read = partial(read_table, spark, dialect=self.dialect, missing=self.missing)
        previous = None if self.previous is None else read_known_persons(spark, self.previous, "--previous")
        population = None if self.population is None else read(self.population, columns=self.quasi)
        return InputTables(read(self.table, columns=self.columns), population, previous)


@dataclass(frozen=True)
class TableFolderSink:
    """The release folder of a recoded table, and its workspace; ``keeps`` states whether that remains."""

    places: TablePlaces
    run_folders: RunFolders
    keeps: bool

    @property
    def folders(self) -> RecodingFolders:
        """Return the workspace's scratch folder, and the folder of the table; raises UsageError for remote ones."""
        return RecodingFolders(
            require_local(self.run_folders.workspace.scratch).path,
            require_local(self.run_folders.release.child(TABLE)).path,
        )

    def read(self, run: TableRun) -> InputTables:
        """Read the tables of files."""
        return self.places.read(run.spark)

    def keep_manifest(self, run: TableRun) -> None:
        """Write the manifest into a workspace that remains, with whose it is, should this run be killed at its end."""
        if self.keeps:
            plan = {"command": "anonymize", "input": self.places.table, "release": _placed(self.run_folders.release)}
            content: Mapping[str, Any] = {**run.manifest, "plan": plan}
            self.run_folders.workspace.folder.write(MANIFEST, write_json(content).encode())

    def release(self, run: TableRun) -> None:
        """Publish the table that was checked, with the manifest and the report."""
        run.clock.start("publish")
        contents = run.contents
        publish_table(
            contents.files,
            contents.schema,
            self.run_folders.release,
            run.manifest,
            anonymization_report(run.manifest, plots_of(contents.before, contents.after, contents.unit)),
            removed=run.removed,
            apart=words_of_table(run.manifest),
            keep=self.run_folders.workspace.keep_record,
        )


def require_local(folder: StorageFolder) -> LocalFolder:
    """Return a folder that workers see; raises UsageError for one on another storage."""
    if not isinstance(folder, LocalFolder):
        raise UsageError(f"{folder.uri}: expected a folder that workers see as a local path")
    return folder


def _placed(folder: StorageFolder) -> str:
    return str(folder.path) if isinstance(folder, LocalFolder) else folder.uri
