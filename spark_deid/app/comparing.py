"""Compare settings of a table's recoding: loss, risk and omitted rows. No table is written."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import partial
from pathlib import Path
from shlex import join
from shutil import rmtree
from typing import TYPE_CHECKING, Any, NamedTuple

from spark_deid.anonymity.plots import trade_off_of
from spark_deid.anonymity.recoding_kind import InputTables, RecodingRequest
from spark_deid.anonymity.recodings import OPTIONS, RECODINGS, recoding_for
from spark_deid.anonymity.setting_grid import TableSetting, list_settings
from spark_deid.anonymity.spark.columns import column
from spark_deid.anonymity.spark.usable import make_usable
from spark_deid.app import anonymizing
from spark_deid.app.figures import ComparisonFigures, SettingFigures, TableReleaseFigures
from spark_deid.app.inputs import Progress, check_all, no_progress, table_checks
from spark_deid.app.options.tables import AnonymizeOptions, RecodingOptions, TableCommandOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.app.sessions import open_session
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.options import option_name
from spark_deid.pipeline.frame_sink import checkpoints, private_folder
from spark_deid.pipeline.table_folder import TablePlaces
from spark_deid.pipeline.table_run import TableRun
from spark_deid.pipeline.table_sink import TableFrameSink
from spark_deid.pipeline.table_steps import run_table_steps
from spark_deid.plan.clock import StageClock
from spark_deid.report.render import comparison_page
from spark_deid.storage.records import check_held
from spark_deid.storage.table_files import missing_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_UNUSED = ("output", "workspace", "previous", "fitted", "fail_on")
"""Options of a run that writes a table, or continues one."""
_NOT_ALLOWED = "not allowed with --compare, which writes no table"
_OWN = ("input", "model", "algorithm", "compare", "page", "scratch")
PLACE = "OUTPUT"
"""The folder in the command of a setting, which the user chooses."""


class SettingRequest(NamedTuple):
    """A setting, the options of ``anonymize`` that carry it out, and what these request."""

    setting: TableSetting
    options: RecodingOptions
    request: RecodingRequest


def recode_table(
    options: TableCommandOptions, progress: Progress = no_progress
) -> TableReleaseFigures | ComparisonFigures:
    """Recode a table, or compare settings without writing a table.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the table, or of each setting.

    Raises:
        GateRefused: No recoding satisfies the models, or a recount refuses. A comparison reports this by setting.
        UsageError: An option is wrong.
        VerdictRefused: The verdict is one that ``fail_on`` refuses.
    """
    if options.compare is not None:
        return compare_settings(options, progress)
    if refused := [name for name in ("page", "scratch") if getattr(options, name) is not None]:
        raise UsageError("\n".join(f"--{name}: only allowed with --compare" for name in refused))
    return anonymizing.anonymize(AnonymizeOptions(**options.given), progress)


def compare_settings(options: TableCommandOptions, progress: Progress = no_progress) -> ComparisonFigures:
    """Recode a table by each setting in a temporary folder, and return loss, risk and omitted rows.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of each setting. A setting that cannot be satisfied has the reason.

    Raises:
        UsageError: An option is wrong for every setting, or a column is absent.
    """
    began = time.monotonic()
    given = table_checks(options.input, options.population, dialect=options.dialect)
    check_all(*given, partial(requests_of, options), partial(missing_columns, options.options))
    requests, missing = requests_of(options), missing_columns(options.options)
    claim, keep = requests[0].request.claim, requests[0].request.keep
    named = (*claim.columns, *keep)
    check_held(options.input, named, dialect=options.dialect, missing=missing)
    places = TablePlaces(options.input, options.population, None, options.dialect, named, claim.quasi, missing)
    progress("start Spark")
    with (
        open_session("anonymize", options.master, options.input, progress=progress, engine=options.engine) as spark,
        private_folder(spark, options.scratch) as folder,
    ):
        results = compare_requests(places.read(spark), requests, folder, progress)
    commands = [command_of(each.options, options.input) for each in requests]
    rows = (replace(row, command=command) for row, command in zip(results, commands, strict=True))
    figures = ComparisonFigures(options.input, tuple(rows), options.page, round(time.monotonic() - began, 3))
    write_page(figures)
    return figures


def requests_of(options: TableCommandOptions) -> tuple[SettingRequest, ...]:
    """Return what each setting requests, checked before any table is read. Raises UsageError with all errors."""
    if unused := [name for name in _UNUSED if getattr(options, name) is not None]:
        raise UsageError("\n".join(f"{_option(options, name)}: {_NOT_ALLOWED}" for name in unused))
    algorithms = [name.strip() for name in options.algorithm.split(",") if name.strip()]
    settings = list_settings(options.compare or "", algorithms, options.model)
    heeded = frozenset[str]().union(*(RECODINGS.find(name).heeds for name in algorithms))
    found: list[SettingRequest] = []
    wrong: dict[str, None] = {}
    for setting in settings:
        chosen = _options_of(options, setting, heeded)
        try:
            found.append(SettingRequest(setting, chosen, anonymizing.request_of(chosen)))
        except UsageError as error:
            wrong |= dict.fromkeys(str(error).splitlines())
    if wrong:
        raise UsageError("\n".join(wrong))
    return tuple(found)


def _options_of(options: TableCommandOptions, setting: TableSetting, heeded: frozenset[str]) -> RecodingOptions:
    """Return the options of a setting: without those that only another compared algorithm uses."""
    own = RECODINGS.find(setting.algorithm).heeds
    others = (heeded - own) & OPTIONS
    kept = {name: value for name, value in options.given.items() if name not in (*_OWN, *others)}
    return RecodingOptions(**{**kept, "model": setting.model, "algorithm": setting.algorithm})


def compare_requests(
    tables: InputTables, requests: Sequence[SettingRequest], folder: Path, progress: Progress = no_progress
) -> tuple[SettingFigures, ...]:
    """Recode tables by each request. The tables are read once, and a recoded table is removed after its figures."""
    results = []
    with checkpoints() as keep:
        population = tables.population
        held = InputTables(
            keep("table", _named_columns(tables.table, requests[0].request)),
            None if population is None else keep("population", _shared_columns(population, requests[0].request)),
        )
        for number, each in enumerate(requests, 1):
            progress(f"setting {number} of {len(requests)}: {each.setting.model} by {each.setting.algorithm}")
            place = folder / f"setting-{number}"
            place.mkdir(mode=0o700)
            try:
                results.append(_figures_of(held, each, place, progress))
            finally:
                rmtree(place, ignore_errors=True)
    return tuple(results)


def _named_columns(table: "DataFrame", request: RecodingRequest) -> "DataFrame":
    """Return the columns of a table that a request names. Raises UsageError if one is absent or cannot be recoded."""
    usable = make_usable(table, request.claim, request.keep)
    return usable.select(*(column(name) for name in request.published(usable.columns)))


def _shared_columns(population: "DataFrame", request: RecodingRequest) -> "DataFrame":
    """Return the columns of a population that the claim names; a setting reports absent ones."""
    shared = [name for name in population.columns if name in request.claim.columns]
    return population.select(*map(column, shared)) if shared else population


def _figures_of(tables: InputTables, each: SettingRequest, folder: Path, progress: Progress) -> SettingFigures:
    algorithm = recoding_for(each.request.claim.models, each.setting.algorithm)
    sink = TableFrameSink(tables, folder)
    run = TableRun(each.request, each.options.algorithm, tables.table.sparkSession, sink, StageClock(progress))
    try:
        run_table_steps(run)
    except GateRefused as error:
        return SettingFigures(each.setting.model, algorithm, refused=str(error))
    return SettingFigures.of_summary(each.setting.model, algorithm, run.summary, tuple(run.warnings))


def command_of(options: RecodingOptions, place: str) -> str:
    """Return the command that writes the table of a setting.

    >>> command_of(RecodingOptions(quasi=("age", "zip code"), model="k=5"), "people.csv")
    "spark-deid anonymize --input people.csv --quasi 'age,zip code' --model k=5 --output OUTPUT"
    """
    words = ["spark-deid", "anonymize", "--input", place]
    for name, value in options.given.items():
        words += _words_of(_option(options, name), value)
    return join([*words, "--output", PLACE])


def _words_of(option: str, value: Any) -> list[str]:
    if value is True:
        return [option]
    if isinstance(value, Mapping):
        return [word for name, each in value.items() for word in (option, f"{name}={each}")]
    if isinstance(value, tuple):
        return [option, ",".join(map(str, value))]
    return [option, str(value.value if isinstance(value, Enum) else value)]


def _option(options: RecodingOptions, name: str) -> str:
    return option_name(name, type(options).model_fields[name])


def write_page(figures: ComparisonFigures) -> None:
    """Write the page of a comparison, mode 0600, if one is asked for. Raises UsageError."""
    if figures.page is not None:
        rows = [(each.algorithm, each.model, each.highest_risk, each.loss) for each in figures.settings]
        write_private_file(figures.page, comparison_page(figures.to_json(), trade_off_of(rows)))
