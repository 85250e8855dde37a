"""The steps of a run that recodes a table, in their order: what each adds to it is said in ``TableRun``."""

from dataclasses import replace

from pyspark.sql import DataFrame
from pyspark.sql.types import NumericType

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.recoding_kind import InputTables, RecodedRows, WrittenRows
from spark_deid.anonymity.recodings import RECODINGS
from spark_deid.anonymity.spark.assessment import TableRecount, assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.finishing import compared_schema
from spark_deid.anonymity.spark.mondrian import COMPARED
from spark_deid.anonymity.spark.persons import alike, sizes_of, spelling_warning
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.step import PipelineStep, carry_out_steps
from spark_deid.pipeline.table_describing import manifest_of, summary_of
from spark_deid.pipeline.table_run import TableReleaseContents, TableRun
from spark_deid.pipeline.warnings import warnings_of_residuals, warnings_of_sampling
from spark_deid.release.spark.table_leaks import count_residuals_in_columns, store_removed_values
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.spark.tasks import read_parts


def run_table_steps(run: TableRun) -> None:
    """Carry out every step.

    Raises GateRefused where no recoding satisfies the models or a check does not hold; then nothing is let out.
    """
    carry_out_steps(run, STEPS)


def _read(run: TableRun) -> None:
    person = run.request.claim.person
    run.tables, run.respelled = with_persons_alike(run.sink.read(run), person)
    if run.respelled:
        run.warn(spelling_warning(run.respelled, person))


def with_persons_alike(tables: InputTables, person: str | None) -> tuple[InputTables, int]:
    """Make ids of persons equal that look alike, in the table and the one before; count the further spellings."""
    seen = alike(tables.table, person)
    previous = None if tables.previous is None else alike(tables.previous, person).table
    return replace(tables, table=seen.table, previous=previous), seen.respelled


def _recode(run: TableRun) -> None:
    run.clock.start(f"recode by {run.recoding}")
    recoded = RECODINGS.find(run.recoding).recode(run.tables, run.request, run.sink.folders)
    run.contents = _contents(run, recoded)


def _contents(run: TableRun, recoded: RecodedRows) -> TableReleaseContents:
    """Write the rows, unless the algorithm wrote them; count their classes as they were written."""
    claim, private = recoded.claim, run.request.private
    if recoded.compared is not None and private is not None:
        folder, schema = LocalFolder(private / COMPARED), compared_schema(run.request.claim.quasi)
        folder.path.mkdir(mode=0o700)
        rows = recoded.compared.toDF(*schema.names)
        commit_table(folder, schema, store_rows(rows, schema, folder))
    if isinstance(recoded.rows, WrittenRows):
        files, schema = recoded.rows
    else:
        schema = schema_of(recoded.rows)
        files = store_rows(recoded.rows, schema, LocalFolder(run.sink.folders.output))
    after = recoded.after if recoded.after is not None else sizes_of(read_parts(run.spark, files, schema), claim)
    summary = {"rows": sum(file.rows for file in files), **recoded.summary}
    return TableReleaseContents(files, schema, claim, recoded.before, after, summary)


def _recount(run: TableRun) -> None:
    run.clock.start("recount")
    rows = read_parts(run.spark, run.contents.files, run.contents.schema)
    run.assessed = recount(rows, run.contents.claim, run.tables).assessed


def recount(rows: DataFrame, claim: PrivacyClaim, tables: InputTables) -> TableRecount:
    """Recount a claim on rows as they are published, by the tables beside them that its models look at."""
    return assess_table(rows, claim, ReferenceTables(population=tables.population, previous=tables.previous))


def _scan(run: TableRun) -> None:
    run.clock.start("look for leaks", "look for what was removed")
    claim, table = run.request.claim, run.tables.table
    # Numbers stand anywhere by chance; those that name persons are looked for all the same.
    hidden = [name for name in claim.quasi if not isinstance(table.schema[name].dataType, NumericType)]
    hidden += [claim.person] if claim.person is not None else []
    run.removed = store_removed_values(table, hidden, str(run.sink.folders.scratch / "removed"))
    as_they_are = (*claim.sensitive, *run.request.keep)
    run.residuals = count_residuals_in_columns(run.removed, run.contents.files, as_they_are)
    for warning in (*warnings_of_sampling(run.removed), *warnings_of_residuals(run.residuals)):
        run.warn(warning)


def _describe(run: TableRun) -> None:
    run.summary = summary_of(run)
    run.manifest = manifest_of(run)
    run.sink.keep_manifest(run)


def _release(run: TableRun) -> None:
    require(run.assessed, expected=run.contents.claim.models.guarantees)
    run.sink.release(run)


STEPS: tuple[PipelineStep[TableRun], ...] = (
    PipelineStep(("read",), _read),
    PipelineStep(("recode",), _recode),
    PipelineStep(("recount",), _recount),
    PipelineStep(("scan",), _scan),
    PipelineStep(("describe",), _describe),
    PipelineStep(("release",), _release),
)
