"""Settings of the recoding of a DataFrame, compared: what ``sd.compare`` does with a table."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.anonymity.recoding_kind import InputTables
from spark_deid.api.anonymize import GIVEN, names_of, session_of, to_spark
from spark_deid.api.option_keywords import RecodingKeywords
from spark_deid.app.comparing import compare_requests, requests_of, write_page
from spark_deid.app.figures import ComparisonFigures, SettingFigures
from spark_deid.app.options.tables import RecodingOptions, TableCommandOptions
from spark_deid.core.errors import UsageError
from spark_deid.engine.engines import frame_in_use
from spark_deid.engine.failures import values_hidden
from spark_deid.engine.running import refuse_other_frames
from spark_deid.pipeline.frame_sink import private_folder
from spark_deid.plan.clock import Progress, say_nothing


def compare_frame(
    frame: DataFrame | pd.DataFrame,
    *,
    models: str = "",
    quasi: Sequence[str] = (),
    model: str = "",
    sensitive: Sequence[str] = (),
    keep: Sequence[str] = (),
    population: DataFrame | pd.DataFrame | None = None,
    page: str | Path | None = None,
    scratch: str | Path | None = None,
    progress: Progress = say_nothing,
    **options: Unpack[RecodingKeywords],
) -> tuple[SettingFigures, ...]:
    """Recode a DataFrame by each setting, and return the figures. Raises UsageError."""
    columns = {name: names_of(each) for name, each in (("quasi", quasi), ("sensitive", sensitive), ("keep", keep))}
    others = {} if population is None else {"population": GIVEN}
    own = {"compare": models, "model": model, "page": None if page is None else str(page), "input": GIVEN}
    asked = TableCommandOptions(**{**own, **columns, **others, **options})  # type: ignore[arg-type]
    requests, below = requests_of(asked), None if scratch is None else Path(scratch)
    if isinstance(frame, pd.DataFrame):
        frames: tuple[Any, Any] = (frame, population)
        with session_of(frames, asked.engine, below) as (spark, folder):
            table, people = (None if each is None else to_spark(spark, each) for each in frames)
            assert table is not None
            found = compare_requests(InputTables(table, people), requests, folder, progress)
    elif isinstance(frame, DataFrame):
        for each in (frame,) if population is None else (frame, population):
            refuse_other_frames("compare", each)
        tables = InputTables(frame, population)  # type: ignore[arg-type]
        with frame_in_use(frame), values_hidden(), private_folder(frame.sparkSession, below) as folder:
            found = compare_requests(tables, requests, folder, progress)
    else:
        raise UsageError(f"compare: expected a text or a DataFrame, got {type(frame).__name__}")
    rows = tuple(replace(row, command=call_of(each.options)) for row, each in zip(found, requests, strict=True))
    write_page(ComparisonFigures(GIVEN, rows, asked.page, 0.0))
    return rows


def call_of(options: RecodingOptions) -> str:
    """Return the call that returns the table of a setting.

    >>> call_of(RecodingOptions(quasi=("age", "zip"), model="k=5"))
    "sd.anonymize(frame, quasi=['age', 'zip'], model='k=5')"
    """
    words = (f"{name}={_literal(name, value)}" for name, value in options.given.items())
    return f"sd.anonymize(frame, {', '.join(words)})"


def _literal(name: str, value: Any) -> str:
    if name == "population":
        return name
    plain = str(value) if isinstance(value, Path) else getattr(value, "value", value)
    return repr(list(plain) if isinstance(plain, tuple) else plain)
