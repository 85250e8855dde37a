"""The identifier view as a table of the release, beside the texts and in the same classes."""

from collections.abc import Mapping
from typing import NamedTuple

from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import AssessmentResult
from spark_deid.engine.tables import read_parts
from spark_deid.identity.settings import IdentityKeys
from spark_deid.identity.spark.table_recount import assess_view_table
from spark_deid.identity.spark.view import view_table
from spark_deid.plan.config import MethodSettings
from spark_deid.release.publish import TableFiles
from spark_deid.release.spark.leaks import COLUMNS, PERSONS, RemovedText, ResidualCounts
from spark_deid.release.spark.table_leaks import count_residuals_in_columns
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.folder import StorageFolder

ASSESSMENT_OF_TABLE = "k-anonymous-table"
"""The name of the assessment that a table needs to be released."""


class CheckedTable(NamedTuple):
    """A table of people that was written to be released, its sensitive columns, and its assessment."""

    rows: TableFiles
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    assessed: AssessmentResult

    @property
    def statement(self) -> Mapping[str, object]:
        """Return what manifests state about it."""
        rows = sum(file.rows for file in self.rows.files)
        return {"rows": rows, "quasi": [*self.quasi], "sensitive": [*self.sensitive]}

    @property
    def columns(self) -> tuple[str, ...]:
        """Return its columns."""
        return (*self.quasi, *self.sensitive)


def keys_of_table(settings: MethodSettings) -> IdentityKeys | None:
    """Return what a plan states about people, where it asks for their table."""
    keys: IdentityKeys | None = settings.sections.get("identity")
    return keys if keys is not None and keys.anonymity is not None and keys.anonymity.release_table else None


def refuse_table(settings: MethodSettings) -> None:
    """Raise UsageError for a plan that asks for a table where no release is written."""
    if keys_of_table(settings) is not None:
        raise UsageError("anonymity.release_table: DataFrames have no table, as releases have: leave it out")


def checked_table(keys: IdentityKeys, corpus: Corpus, folder: StorageFolder) -> CheckedTable:
    """Write the people of a view into a folder, and count what was written; three jobs."""
    roles = keys.identity.roles
    rows = view_table(corpus.identifiers, roles)
    schema = schema_of(rows)
    files = store_rows(rows, schema, folder)
    people = corpus.identifiers.select("subject_id").distinct().count()
    assessed = assess_view_table(read_parts(rows.sparkSession, files, schema), keys, people)
    return CheckedTable(TableFiles(files, schema), roles.quasi, roles.sensitive, assessed)


def with_residuals_of_table(
    residuals: ResidualCounts, removed: RemovedText, table: CheckedTable, keys: IdentityKeys
) -> ResidualCounts:
    """Add the removed text that is in sensitive columns of a table; what was removed of these itself is meant."""
    found = count_residuals_in_columns(removed, table.rows.files, table.sensitive).get(COLUMNS, {})
    meant = {label for label, name in keys.identity.attributes.items() if name in table.sensitive}
    counts = {label: number for label, number in found.items() if label not in meant}
    return {**residuals, PERSONS: counts} if counts else residuals
