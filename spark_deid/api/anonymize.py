"""Recode a DataFrame of people so that privacy models hold."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Generic, Unpack

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.recoding_kind import InputTables
from spark_deid.anonymity.spark.known_persons import read_known_persons
from spark_deid.api.option_keywords import RecodingKeywords
from spark_deid.api.results import Frame, to_pandas
from spark_deid.app.anonymizing import request_of
from spark_deid.app.options.tables import RecodingOptions
from spark_deid.core.engine_names import EngineName
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.engine.choice import EngineRequest, choose_engine, frame_session
from spark_deid.engine.engines import EngineKind, frame_in_use
from spark_deid.engine.failures import values_hidden
from spark_deid.engine.keeping import checkpoint
from spark_deid.engine.running import refuse_other_frames
from spark_deid.engine.session import running_session
from spark_deid.engine.tables import frame_of_arrow, read_parts, sent_tables
from spark_deid.pipeline.frame_sink import private_folder
from spark_deid.pipeline.table_run import TableRun
from spark_deid.pipeline.table_sink import TableFrameSink
from spark_deid.pipeline.table_steps import run_table_steps
from spark_deid.plan.clock import Progress, StageClock, say_nothing
from spark_deid.report.render import notebook_table

GIVEN = "a DataFrame"
"""The place in options of a table without a file."""


@dataclass(frozen=True, repr=False)
class AnonymizedTable(Generic[Frame]):
    """A recoded table that satisfies its models.

    Attributes:
        table: The published rows: a DataFrame of the same kind as the input.
        assessments: The recounted models.
        ``told``: Counts, loss and risks, as in the manifest of the command.
        warnings: Results that users should know.
        manifest: All of these, as the manifest of a release has them.
    """

    table: Frame
    assessments: tuple[Assessment, ...]
    told: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """Show the models, risks and warnings, and no row of the table."""
        entry = self.told
        rows = {
            "rows": entry["rows"],
            "equivalence classes": entry["classes"],
            "model": entry["model"],
            "checks": ", ".join(each.guarantee for each in self.assessments),
        }
        return notebook_table("Anonymized table", rows.items(), self.warnings)

    def __repr__(self) -> str:
        entry = self.told
        return f"AnonymizedTable({entry['rows']} rows in {entry['classes']} classes; {entry['model']} holds)"


def anonymize(
    frame: Frame,
    *,
    quasi: Sequence[str],
    model: str,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    population: Frame | None = None,
    workspace: str | Path | None = None,
    previous: str | Path | None = None,
    scratch: str | Path | None = None,
    progress: Progress = say_nothing,
    **options: Unpack[RecodingKeywords],
) -> AnonymizedTable[Frame]:
    """Recode the quasi-identifiers of a DataFrame of Spark or pandas.

    Rows come class by class. The call writes only temporary files, in a private folder that is removed at the end.

    Args:
        frame: The table of people.
        quasi: Columns that identify people in combination.
        model: Privacy models, such as ``k=5,l=2``.
        sensitive: Columns with values that must not be linked to people.
        keep: Further columns to publish. All columns that no argument names are omitted.
        population: A table of the population, for models that need one.
        workspace: A new private folder that is kept, with the person of each published id. The model m needs it.
        previous: The workspace of the release before, for the model m.
        scratch: The place of the temporary folder, by default where Spark spills. On a cluster, every worker must see
            it.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid anonymize``, such as ``person="patient"``, ``algorithm="incognito"``,
            ``recoding="age=region"``, or ``engine="embedded"`` for a frame of pandas.

    Returns:
        The recoded table, a DataFrame of the same kind.

    Raises:
        GateRefused: No recoding satisfies the models, or a check refuses.
        UsageError: An option is wrong, or a column is absent.
        VerdictRefused: The verdict is one that ``fail_on`` names.
    """
    columns = {name: names_of(given) for name, given in (("quasi", quasi), ("sensitive", sensitive), ("keep", keep))}
    places = {name: str(given) for name, given in (("workspace", workspace), ("previous", previous)) if given}
    others = {} if population is None else {"population": GIVEN}
    asked = RecodingOptions(**{"model": model, **columns, **places, **others, **options})  # type: ignore[arg-type]
    below = None if scratch is None else Path(scratch)
    if isinstance(frame, pd.DataFrame):
        return _anonymize_pandas((frame, population), asked, below, progress)
    for each in (frame,) if population is None else (frame, population):
        refuse_other_frames("anonymize", each)
    tables = InputTables(frame, population)
    with frame_in_use(frame), values_hidden(), private_folder(frame.sparkSession, below) as folder:
        run, made = _carried_out(tables, asked, folder, progress)
        return _result(checkpoint(made), run)


def _anonymize_pandas(
    frames: Sequence[pd.DataFrame | None], options: RecodingOptions, scratch: Path | None, progress: Progress
) -> AnonymizedTable[pd.DataFrame]:
    with session_of(frames, options.engine, scratch) as (spark, folder):
        table, population = (None if each is None else to_spark(spark, each) for each in frames)
        assert table is not None
        run, made = _carried_out(InputTables(table, population), options, folder, progress)
        return _result(to_pandas(made), run)


def _carried_out(
    tables: "InputTables", options: RecodingOptions, folder: Path, progress: Progress
) -> tuple["TableRun", DataFrame]:
    """Carry out every step, as the command does. Raises GateRefused."""
    spark, request = tables.table.sparkSession, request_of(options)
    if options.previous is not None:
        tables = replace(tables, previous=read_known_persons(spark, options.previous, "--previous"))
    with _workspace(options.workspace) as private:
        request = request if request.fitted is not None else replace(request, private=private)
        sink = TableFrameSink(tables, folder)
        run = TableRun(request, options.algorithm, spark, sink, StageClock(progress), private)
        run_table_steps(run)
    return run, read_parts(spark, run.contents.files, run.contents.schema)


@contextmanager
def _workspace(place: str | None) -> Iterator[Path | None]:
    """Make a private folder to keep, and remove it if the run ends early."""
    if place is None:
        yield None
        return
    folder = Path(place)
    try:
        folder.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise UsageError(f"workspace: {place}: expected a new folder ({error.strerror})") from None
    try:
        yield folder
    except BaseException:
        rmtree(folder, ignore_errors=True)
        raise


def _result(table: Frame, run: "TableRun") -> AnonymizedTable[Frame]:
    assessments = tuple(each.assessment for each in run.assessed)
    return AnonymizedTable(table, assessments, run.summary, tuple(run.warnings), run.manifest)


def names_of(given: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns; a text is one name."""
    return (given,) if isinstance(given, str) else tuple(given)


def to_spark(spark: SparkSession, frame: pd.DataFrame) -> DataFrame:
    """Return a DataFrame of pandas as one of a session."""
    return frame_of_arrow(spark, pa.Table.from_pandas(frame, preserve_index=False))


@contextmanager
def session_of(
    frames: Sequence[pd.DataFrame | None], engine: EngineName, scratch: Path | None
) -> Iterator[tuple[SparkSession, Path]]:
    """Yield a session for frames of pandas, and a private folder."""
    size = sum(int(each.memory_usage(deep=True).sum()) for each in frames if each is not None)
    choice = choose_engine(EngineRequest("anonymize", engine, size=size))
    running = running_session() if choice.kind is EngineKind.CLASSIC else None
    with (
        values_hidden(),
        private_folder(running, scratch) as folder,
        sent_tables(),
        frame_session(choice, "anonymize", folder, scratch) as spark,
    ):
        yield spark, folder
