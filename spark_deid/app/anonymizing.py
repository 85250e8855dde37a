"""Recode tables of people so that models hold."""

import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.anonymity.column_type import NO_TYPES, TYPES, read_types
from spark_deid.anonymity.fitted import FITTED
from spark_deid.anonymity.recoding_kind import RecodingRequest
from spark_deid.anonymity.recoding_modes import read_recoding
from spark_deid.anonymity.recodings import (
    OPTIONS,
    RECODINGS,
    recoding_for,
)
from spark_deid.anonymity.spark.known_persons import check_known_persons
from spark_deid.app.figures import TableReleaseFigures
from spark_deid.app.inputs import Progress, check_all, no_progress, table_checks
from spark_deid.app.options.tables import AnonymizeOptions, RecodingOptions
from spark_deid.app.sessions import open_session
from spark_deid.app.tables import claim_of
from spark_deid.core.errors import UsageError, VerdictRefused
from spark_deid.core.hashing import fingerprint
from spark_deid.core.options import option_name
from spark_deid.pipeline.table_folder import TableFolderSink, TablePlaces, require_local
from spark_deid.pipeline.table_run import TableRun
from spark_deid.pipeline.table_steps import run_table_steps
from spark_deid.plan.clock import StageClock
from spark_deid.plan.secret import find_secret
from spark_deid.release.commit import TABLE
from spark_deid.release.record import RECORD
from spark_deid.release.workspace import MARKER, drop_private, open_places
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at
from spark_deid.storage.path_checks import check_creatable
from spark_deid.storage.records import check_held
from spark_deid.storage.table_files import missing_columns
from spark_deid.values.locale import is_day_first

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_deid.anonymity.model_demand import ModelDemands
    from spark_deid.release.workspace import RunFolders


def anonymize(options: AnonymizeOptions, progress: Progress = no_progress) -> TableReleaseFigures:
    """Recode a table, and write it if a recount confirms the models.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the table.

    Raises:
        GateRefused: No recoding satisfies the models, or a recount refuses. No table is written.
        VerdictRefused: The verdict is one that ``fail_on`` refuses. Nothing is written.
    """
    began = time.monotonic()
    given = table_checks(options.input, options.population, dialect=options.dialect)
    writable = (partial(check_creatable, place) for place in (options.output, options.workspace) if place is not None)
    check_all(*given, partial(request_of, options), partial(missing_columns, options.options), *writable)
    request = request_of(options)
    missing, named = missing_columns(options.options), (*request.claim.columns, *request.keep)
    check_held(options.input, named, dialect=options.dialect, missing=missing)
    # Unfinished files of an earlier run of the same input are replaced, with any options.
    plan = fingerprint({"command": "anonymize", "input": options.input})
    if options.workspace is None and not is_remote(options.output):
        drop_private(options.output, options.private)
    with ExitStack() as stack:
        stack.push(partial(_drop_refused, options.private))
        if options.workspace is None:
            stack.callback(_remove, options.private)
        places = stack.enter_context(open_places(options.input, options.private, options.output, plan))
        progress("start Spark")
        with open_session(
            "anonymize", options.master, options.input, places, progress=progress, engine=options.engine
        ) as spark:
            run = _carried_out(spark, options, request, places, progress)
    return _figures_of(run, options, began)


def _figures_of(run: "TableRun", options: AnonymizeOptions, began: float) -> TableReleaseFigures:
    return TableReleaseFigures(
        output=options.output,
        summary={**run.summary, "warnings": list(run.warnings)},
        assessments=tuple(each.assessment._asdict() for each in run.assessed),
        seconds=round(time.monotonic() - began, 3),
    )


def _carried_out(
    spark: "SparkSession",
    options: AnonymizeOptions,
    request: "RecodingRequest",
    places: "RunFolders",
    progress: Progress,
) -> "TableRun":
    """Recode the table of a command, and publish it or remove it if it is refused."""
    keeps = options.workspace is not None
    private = require_local(places.workspace.folder).path if keeps else None
    if request.fitted is None:
        request = replace(request, private=private)
    given = TablePlaces(
        options.input,
        options.population,
        options.previous,
        options.dialect,
        (*request.claim.columns, *request.keep),
        request.claim.quasi,
        missing_columns(options.options),
    )
    run = TableRun(
        request, options.algorithm, spark, TableFolderSink(given, places, keeps), StageClock(progress), private
    )
    try:
        run_table_steps(run)
    except BaseException:
        places.release.remove(TABLE)
        raise
    return run


def _drop_refused(private: str, kind: type[BaseException] | None, *_: object) -> None:
    """Remove what is private of a run whose verdict was refused."""
    if kind is not None and issubclass(kind, VerdictRefused):
        folder_at(private).remove("")


def _remove(private: str) -> None:
    """Remove private files of a table's making, except those of another run."""
    folder = folder_at(private)
    if {MARKER} <= {*folder.names()} <= {MARKER, RECORD}:
        folder.remove("")


def _refuse_idle(options: RecodingOptions, models: "ModelDemands", recoding: str) -> None:
    """Raise UsageError for options that this way of recoding would take and not heed."""
    heeded = RECODINGS.find(recoding).heeds
    implied = next((each.name for each in models.demands if each.kind.recoding == recoding), None)
    way = f"--algorithm {recoding}" if implied is None else f"the model {implied}"
    if options.fitted is not None and "fitted" in heeded:
        way, heeded = "--fitted", (heeded | {"suppression"}) - {"recoding", "loss"}
    fields = type(options).model_fields
    idle = [name for name in sorted(OPTIONS - heeded) if getattr(options, name) != fields[name].default]
    if options.fitted is not None and options.population is not None:
        raise UsageError("--population: not allowed with --fitted, which counts only the new table")
    if idle:
        raise UsageError("\n".join(f"{option_name(name, fields[name])}: not allowed with {way}" for name in idle))


def request_of(options: RecodingOptions) -> "RecodingRequest":
    """Return what is asked, checked before any table is read; raises UsageError with all that is wrong."""
    claim = claim_of(options)
    recoding = recoding_for(claim.models, options.algorithm)
    _refuse_idle(options, claim.models, recoding)
    RECODINGS.find(recoding).check(claim)
    if strangers := [name for name in options.keep_identifying if name not in options.keep]:
        raise UsageError(f"--keep-identifying: {', '.join(strangers)}: expected columns of --keep")
    if options.previous is not None and options.previous == options.workspace:
        raise UsageError("--previous: expected the workspace of the previous release, got the workspace of this one")
    if options.previous is not None:
        check_known_persons(options.previous, "--previous")
    earlier = options.fitted or options.previous
    types = NO_TYPES if earlier is None else read_types(Path(earlier, TYPES))
    read = RECODINGS.find(recoding).read_fitted
    return RecodingRequest(
        claim=claim,
        key=find_secret(options.key_file).key,
        recoding=read_recoding(options.recoding, options.quasi),
        is_relaxed=options.relaxed,
        suppression=options.suppression,
        fail_on=options.fail_on,
        metric=options.loss,
        fitted=None
        if options.fitted is None or read is None
        else read(Path(options.fitted, FITTED), options.quasi, types),
        keep=tuple(name for name in options.keep if name not in claim.columns),
        keep_identifying=options.keep_identifying,
        is_day_first=is_day_first(options.locale),
        types=types,
    )
