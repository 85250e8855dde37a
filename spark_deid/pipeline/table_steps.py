"""The steps of a run that recodes a table, in order. ``TableRun`` documents the results of each."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import floor

from pyspark.sql import DataFrame
from pyspark.sql.types import NumericType

from spark_deid.anonymity.column_type import TYPES, ColumnKind, kind_of_column, save_types
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.anonymity.recoding_kind import RecodedRows, WrittenRows
from spark_deid.anonymity.recoding_modes import warning_of_ends
from spark_deid.anonymity.recodings import RECODINGS
from spark_deid.anonymity.risk import class_sizes
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.class_table import ReferenceTables
from spark_deid.anonymity.spark.finishing import compared_schema
from spark_deid.anonymity.spark.forms import ReadingRules, with_forms, without_categories
from spark_deid.anonymity.spark.kept_columns import columns_that_name, disclosing_columns
from spark_deid.anonymity.spark.known_persons import KNOWN, known_persons
from spark_deid.anonymity.spark.mondrian import COMPARED
from spark_deid.anonymity.spark.persons import equate_ids, sizes_of, spelling_warning
from spark_deid.anonymity.spark.usable import make_usable
from spark_deid.core.errors import GateRefused, VerdictRefused
from spark_deid.engine.tables import read_parts
from spark_deid.engine.tasks import ended_tasks
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.step import PipelineStep, carry_out_steps
from spark_deid.pipeline.table_describing import TableVerdict, manifest_of, reasons_of, summary_of
from spark_deid.pipeline.table_run import TableReleaseContents, TableRun
from spark_deid.pipeline.warnings import warnings_of_residual_values, warnings_of_sampling
from spark_deid.release.publish import require_no_leak_of_table
from spark_deid.release.spark.table_leaks import (
    NAMES_OF_COLUMNS,
    count_residuals_in_columns,
    names_in,
    store_removed_values,
)
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import remove_others


def run_table_steps(run: TableRun) -> None:
    """Carry out every step.

    Raises GateRefused if no recoding satisfies the models or a check fails. Then it publishes no file.
    """
    carry_out_steps(run, STEPS)


def _read(run: TableRun) -> None:
    request, claim = run.request, run.request.claim
    person = claim.person
    run.clock.start("read")
    given = run.sink.read(run)
    seen = equate_ids(make_usable(given.table, claim, request.keep), person)
    rules = ReadingRules(
        request.is_day_first, run.started.date(), request.types, is_shared=given.population is not None
    )
    read = with_forms(seen.table, claim, rules)
    people = given.population
    if people is not None:
        people = with_forms(people, claim, replace(rules, known=read.types)).table
    run.tables, run.respelled = replace(given, table=read.table, population=people), seen.respelled
    run.cells, run.request = seen.table, replace(request, claim=replace(claim, types=read.types))
    for warning in read.warnings:
        run.warn(warning)
    if run.respelled:
        run.warn(spelling_warning(run.respelled, person))


def _look_at_kept(run: TableRun) -> None:
    """Refuse kept columns that identify people, before recoding. Raises GateRefused."""
    request = run.request
    run.request.published(run.tables.table.columns)
    asked = [name for name in request.keep if name not in request.keep_identifying]
    if asked:
        run.clock.start("check kept columns", "check the columns that are published unchanged")
        refuse_kept(columns_that_name(run.tables.table, request.claim.person, asked), "identify people")


def refuse_kept(found: Mapping[str, str], what: str) -> None:
    """Raise GateRefused for kept columns, each with its reason."""
    if found:
        message = "; ".join(f"{name}: {reason}" for name, reason in found.items())
        raise GateRefused(
            f"--keep: {', '.join(found)} {what} ({message}). The table is not written. Remove these columns, "
            "add them to the quasi-identifiers, or add them to --keep-identifying"
        )


def _recode(run: TableRun) -> None:
    run.clock.start(f"recode by {run.recoding}")
    request = run.request
    if request.fitted is None and "recoding" in RECODINGS.find(run.recoding).heeds:
        warning = warning_of_ends("--recoding", {name: mode.value for name, mode in request.recoding.items()})
        if warning is not None:
            run.warn(warning)
    with ended_tasks(run.spark):
        recoded = RECODINGS.find(run.recoding).recode(run.tables, run.request, run.sink.folders)
    run.contents = _contents(run, recoded)
    if run.private is not None:
        save_types(run.private / TYPES, request.claim.types)
    _refuse_telling(run, recoded)
    if run.private is not None and run.request.claim.person is not None:
        run.known = _keep_known_persons(run, LocalFolder(run.private / KNOWN))


def _refuse_telling(run: TableRun, recoded: RecodedRows) -> None:
    """Refuse kept columns that reveal recoded values. Warn if the table has too few people to decide."""
    request = run.request
    names = [name for name in request.keep if name not in request.keep_identifying]
    if not names:
        return
    if recoded.pairs is None:
        verb = "tells" if len(names) == 1 else "tell"
        run.warn(
            f"it is unknown whether {', '.join(names)} {verb} recoded values, because {run.recoding} does not "
            "report them"
        )
        return
    run.clock.start("check whether kept columns reveal recoded values")
    found = disclosing_columns(recoded.pairs, run.spark, request.claim, names, run.contents.summary["rows"])
    refuse_kept(found.telling, "reveal recoded values")
    for name, reason in found.doubtful.items():
        run.warn(
            f"column {name} is kept and may reveal recoded values. The table has too few people to decide: {reason}"
        )


def _keep_known_persons(run: TableRun, folder: LocalFolder) -> DataFrame:
    """Write the people into the private folder before the table is published, and return them as stored."""
    claim, previous = run.contents.claim, run.tables.previous
    signed = any(ModelNeeds.PREVIOUS in demand.kind.uses for demand in claim.models.demands)
    rows = read_parts(run.spark, run.contents.files, run.contents.schema)
    known = known_persons(run.tables.table, rows, claim, run.request.release_key, previous, signed=signed)
    schema = schema_of(known)
    folder.path.mkdir(mode=0o700)
    files = store_rows(known, schema, folder)
    commit_table(folder, schema, files)
    return read_parts(run.spark, files, schema)


def _contents(run: TableRun, recoded: RecodedRows) -> TableReleaseContents:
    """Write the rows, unless the algorithm wrote them."""
    claim, private = recoded.claim, run.request.private
    if recoded.compared is not None and private is not None:
        folder, schema = LocalFolder(private / COMPARED), compared_schema(run.request.claim.quasi)
        folder.path.mkdir(mode=0o700)
        rows = recoded.compared.toDF(*schema.names)
        commit_table(folder, schema, store_rows(rows, schema, folder))
    if isinstance(recoded.rows, WrittenRows):
        files, schema = recoded.rows
        remove_others(str(run.sink.folders.output), files)
    else:
        schema = schema_of(recoded.rows)
        files = store_rows(recoded.rows, schema, LocalFolder(run.sink.folders.output))
    summary = {"rows": sum(file.rows for file in files), **recoded.summary}
    return TableReleaseContents(files, schema, claim, recoded.before, summary)


def _recount(run: TableRun) -> None:
    run.clock.start("recount")
    rows = read_parts(run.spark, run.contents.files, run.contents.schema)
    references = ReferenceTables(population=run.tables.population, known=run.known)
    recount = assess_table(rows, run.contents.claim, references)
    run.assessed = recount.assessed
    run.contents = replace(run.contents, after=Counter(class_sizes(recount.sizes)))


def _scan(run: TableRun) -> None:
    run.clock.start("look for leaks", "search the output for removed values")
    claim = run.request.claim
    # Numbers occur anywhere by chance. Numbers that identify people are still searched for.
    hidden = [name for name in claim.quasi if not _is_number(run, name)]
    hidden += [claim.person] if claim.person is not None else []
    table = without_categories(run.cells, claim.types)
    run.removed = store_removed_values(table, hidden, str(run.sink.folders.scratch / "removed"))
    as_they_are = (*claim.sensitive, *run.request.keep)
    if run.request.keep:
        known = replace(run.contents.claim, quasi=(*run.contents.claim.quasi, *run.request.keep))
        run.with_kept = sizes_of(read_parts(run.spark, run.contents.files, run.contents.schema), known)
    _refuse_ids_in_names(run)
    run.residuals = count_residuals_in_columns(run.removed, run.contents.files, as_they_are)
    for warning in (*warnings_of_sampling(run.removed), *warnings_of_residual_values(run.residuals)):
        run.warn(warning)


def _is_number(run: TableRun, name: str) -> bool:
    is_number = kind_of_column(run.request.claim.types, name) is ColumnKind.NUMBER
    return is_number or isinstance(run.tables.table.schema[name].dataType, NumericType)


def _refuse_ids_in_names(run: TableRun) -> None:
    """Refuse a name of a column, or of a field of a column, that has the id of a person in it."""
    found = run.removed.residuals_in({NAMES_OF_COLUMNS: names_in(run.contents.schema)}, ())
    ids = {
        place: {run.request.claim.person: n}
        for place, labels in found.items()
        for label, n in labels.items()
        if label == run.request.claim.person
    }
    require_no_leak_of_table(ids)


def _describe(run: TableRun) -> None:
    _warn_of_omitted(run)
    run.summary = summary_of(run)
    run.manifest = manifest_of(run)
    _refuse_verdict(run)
    run.sink.keep_manifest(run)


def _warn_of_omitted(run: TableRun) -> None:
    """Warn of the rows that a fitted recoding omits; raise GateRefused where they are more than were allowed."""
    request, summary = run.request, run.contents.summary
    omitted = summary.get("suppressed_rows", 0)
    if request.fitted is None or not omitted:
        return
    rows = summary["rows"] + omitted
    if request.suppression is not None and omitted > floor(request.suppression * rows):
        raise GateRefused(
            f"--suppression {request.suppression:g}: the fitted recoding omits {omitted} of {rows} rows, so "
            "the table is not written. Raise --suppression, or fit the recoding to similar rows"
        )
    run.warn(
        f"{omitted} of {rows} rows are omitted because they do not fit the fitted recoding, or their classes "
        "fail on this table. --suppression limits their fraction"
    )


def _refuse_verdict(run: TableRun) -> None:
    """Raise VerdictRefused for a verdict that is as bad as one that the request refuses, or worse."""
    verdict = TableVerdict(run.summary["verdict"])
    if run.request.fail_on is not None and verdict.rank >= TableVerdict(run.request.fail_on).rank:
        require(run.assessed, expected=run.contents.claim.models.guarantees)
        raise VerdictRefused(
            f"--fail-on {run.request.fail_on}: the verdict is {verdict.value}, so the table is not written: "
            f"{'; '.join(reasons_of(run.summary, run.warnings))}",
            {
                **run.summary,
                "warnings": list(run.warnings),
                "assessments": [each.assessment._asdict() for each in run.assessed],
            },
        )


def _release(run: TableRun) -> None:
    require(run.assessed, expected=run.contents.claim.models.guarantees)
    run.sink.release(run)


STEPS: tuple[PipelineStep[TableRun], ...] = (
    PipelineStep(("read",), _read),
    PipelineStep(("search the published columns for removed values",), _look_at_kept),
    PipelineStep(("recode",), _recode),
    PipelineStep(("recount",), _recount),
    PipelineStep(("scan",), _scan),
    PipelineStep(("describe",), _describe),
    PipelineStep(("release",), _release),
)
