"""A run from a DataFrame of people to a recoded one: nothing is written but what is temporary."""

from dataclasses import dataclass
from pathlib import Path

from spark_deid.anonymity.recoding_kind import InputTables, RecodingFolders
from spark_deid.pipeline.table_describing import words_of_table
from spark_deid.pipeline.table_run import TableRun
from spark_deid.release.manifest import write_json
from spark_deid.release.publish import require_no_leak_of_table
from spark_deid.release.spark.table_leaks import NAMES_OF_COLUMNS, names_in


@dataclass(frozen=True)
class TableFrameSink:
    """The tables as they were given, and a private folder."""

    tables: InputTables
    folder: Path

    @property
    def folders(self) -> RecodingFolders:
        """Return folders within the private one."""
        return RecodingFolders(self.folder / "scratch", self.folder / "table")

    def read(self, run: TableRun) -> InputTables:
        """Return the tables that were given."""
        return self.tables

    def keep_manifest(self, run: TableRun) -> None:
        """Keep nothing: where a check refuses there is no result at all."""

    def release(self, run: TableRun) -> None:
        """Search what belongs to the rows for what was removed, as a release's is searched."""
        stated = {"manifest": write_json(run.manifest), NAMES_OF_COLUMNS: names_in(run.contents.schema)}
        require_no_leak_of_table(run.removed.residuals_in(stated, words_of_table(run.manifest)))
