"""DataFrames of pandas: to records, and from Spark's."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.corpus.frame import FrameColumns, records_of
from spark_deid.corpus.reading import CorpusRecord


def records_of_pandas(frame: pd.DataFrame, columns: FrameColumns) -> tuple[CorpusRecord, ...]:
    """Make a record of each row, in order; a row is named by its place. Raises UsageError for absent columns."""
    columns.check(list(frame.columns))
    return tuple(records_of(_rows(frame, columns), reads_any=columns.reads_any))


def to_pandas(frame: DataFrame) -> pd.DataFrame:
    """Collect a DataFrame of Spark."""
    collected: pd.DataFrame = frame.toArrow().to_pandas()
    return collected


def in_order(frame: pd.DataFrame, places: Mapping[str, int], *within: str) -> pd.DataFrame:
    """Order rows by the places of their documents, and then by columns."""
    ordered = frame.assign(**{"": frame["doc_id"].map(places)}).sort_values(["", *within], kind="stable")
    return ordered.drop(columns="").reset_index(drop=True)


def _rows(frame: pd.DataFrame, columns: FrameColumns) -> Iterator[tuple[str, int, dict[str, object]]]:
    cells = [map(_CELLS.get(role, _cell), frame[name].tolist()) for role, name in columns.roles.items()]
    meta = [map(_cell, frame[name].tolist()) for name in columns.carried]
    for number in range(len(frame)):
        row: dict[str, object] = {role: next(column) for role, column in zip(columns.roles, cells, strict=True)}
        row["meta"] = {name: next(column) for name, column in zip(columns.carried, meta, strict=True)}
        yield f"iloc[{number}]", number, row


def _cell(value: object) -> object:
    """Return a value as Python has it: what pandas takes for missing is None, and numpy's scalars are Python's."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    return None if value is pd.NA or value is pd.NaT or value != value else value


def _id(value: object) -> object:
    """Return an id; pandas makes floats of integers where one is missing."""
    cell = _cell(value)
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


_CELLS = {"doc_id": _id, "subject_id": _id}
