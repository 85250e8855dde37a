"""Recode a DataFrame of people so that privacy models hold."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from spark_deid.api.pandas import to_pandas
from spark_deid.api.results import Frame
from spark_deid.api.scratch import private_folder
from spark_deid.app.anonymizing import RecodingOptions, request_of
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee import Assessment
from spark_deid.failures import values_hidden
from spark_deid.plan.clock import Progress, silent
from spark_deid.running import check_running, refuse_stream
from spark_deid.session import running_session, session_scope
from spark_deid.settings import SessionPace
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.spark.tasks import read_parts

if TYPE_CHECKING:
    from spark_deid.app.anonymized_table import InputTables, RecountedTable

_GIVEN = "a DataFrame"
"""Stands in options for a table that has no place."""


@dataclass(frozen=True, repr=False)
class AnonymizedTable(Generic[Frame]):
    """A recoded table that holds: a DataFrame of the kind that was given.

    ``assessments`` are the recounted models, ``told`` counts, loss and risks, as the manifest of a command has them.
    """

    table: Frame
    assessments: tuple[Assessment, ...]
    told: Mapping[str, Any]

    def __repr__(self) -> str:
        told = self.told
        return f"AnonymizedTable({told['rows']} rows in {told['classes']} classes; {told['model']} holds)"


def anonymize(
    frame: Frame,
    *,
    quasi: Sequence[str],
    model: str,
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    population: Frame | None = None,
    previous: Frame | None = None,
    scratch: str | Path | None = None,
    progress: Progress = silent,
    **options: object,
) -> AnonymizedTable[Frame]:
    """Recode the quasi-identifiers of a DataFrame of Spark or pandas; the result is of the same kind.

    ``options`` are those of ``spark-deid anonymize``, such as ``person="patient"``, ``algorithm="incognito"`` or
    ``recoding="age=region"``. Columns that nobody names are left out; rows come class by class. Nothing is written but
    what is temporary, in a private folder that is gone at the end: below ``scratch``, which on a cluster every worker
    must see, else where Spark spills.

    Raises GateRefused where no recoding satisfies the models, UsageError for wrong options and absent columns.
    """
    columns = {name: _names(given) for name, given in (("quasi", quasi), ("sensitive", sensitive), ("keep", keep))}
    beside = {"population": population, "previous": previous}
    places = {name: _GIVEN for name, given in beside.items() if given is not None}
    asked = RecodingOptions(**{"model": model, **columns, **places, **options})  # type: ignore[arg-type]
    below = None if scratch is None else Path(scratch)
    if isinstance(frame, pd.DataFrame):
        return _anonymize_pandas((frame, population, previous), asked, below, progress)
    if not isinstance(frame, ClassicDataFrame):
        raise UsageError("anonymize: expected a DataFrame of pandas, or of a Spark session that is not Spark Connect's")
    for each in (frame, population, previous):
        if isinstance(each, ClassicDataFrame):
            refuse_stream("anonymize", each)
    from spark_deid.app.anonymized_table import InputTables

    tables = InputTables(frame, population, previous)
    with values_hidden(), private_folder(frame.sparkSession, below) as folder:
        done, made = _recounted_table(tables, asked, folder, progress)
        return _result(made.localCheckpoint(eager=True), done)


def _anonymize_pandas(
    frames: Sequence[pd.DataFrame | None], options: RecodingOptions, scratch: Path | None, progress: Progress
) -> AnonymizedTable[pd.DataFrame]:
    from spark_deid.app.anonymized_table import InputTables

    with values_hidden(), private_folder(running_session(), scratch) as folder, _session(folder) as spark:
        table, population, previous = (None if each is None else _to_spark(spark, each) for each in frames)
        assert table is not None
        done, made = _recounted_table(InputTables(table, population, previous), options, folder, progress)
        return _result(to_pandas(made), done)


def _recounted_table(
    tables: "InputTables", options: RecodingOptions, folder: Path, progress: Progress
) -> tuple["RecountedTable", DataFrame]:
    from spark_deid.app.anonymized_table import make

    done = make(tables, request_of(options), folder / "scratch", LocalFolder(folder / "table"), progress)
    return done, read_parts(tables.table.sparkSession, done.contents.files, done.contents.schema)


def _result(table: Frame, done: "RecountedTable") -> AnonymizedTable[Frame]:
    return AnonymizedTable(table, tuple(each.assessment for each in done.assessed), done.summary)


def _names(given: Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _to_spark(spark: SparkSession, frame: pd.DataFrame) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))


@contextmanager
def _session(scratch: Path) -> Iterator[SparkSession]:
    """Give the session that runs, else one of our own, which is stopped at the end."""
    running = running_session()
    if running is not None:
        check_running(running, needs_delta=False)
        yield running
        return
    settings = {"spark.sql.warehouse.dir": (scratch / "warehouse").as_uri()}
    with session_scope(app_name="spark-deid anonymize", settings=settings, pace=SessionPace.SHORT) as spark:
        yield spark
