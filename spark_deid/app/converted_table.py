"""A table that has no texts, a recoded one of people or the rejects of a run, in another format."""

import json
from functools import reduce
from operator import add
from pathlib import Path

import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import BooleanType, StringType

from spark_deid.app.figures import TableConversionFigures
from spark_deid.app.inputs import (
    Progress,
    no_progress,
)
from spark_deid.app.losses import tell_formulas
from spark_deid.core import tables
from spark_deid.core.errors import UsageError
from spark_deid.corpus.csv import begins_as_formula
from spark_deid.corpus.peek import known_columns
from spark_deid.engine import functions as F
from spark_deid.engine.functions import pandas_udf
from spark_deid.engine.tables import read_delta
from spark_deid.release.commit import MANIFEST, TABLE
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.files import is_remote, make_private
from spark_deid.storage.folder import LocalFolder

_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
_CSV = {"header": "true", "escape": '"', "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}
FORMATS = {"csv": _CSV | _TIMES, "jsonl": {"ignoreNullFields": "false"} | _TIMES, "parquet": {}, "delta": {}}
"""Formats that hold a table without texts, with Spark's options for each."""
REJECTS = "rejects"
"""The table of a workspace that says what could not be read, and why."""


_OLDEST = 3  # columns, of rejects before 2026-11


def released_table(source: str) -> Path | None:
    """Return the folder of the Delta table of a release that ``anonymize`` made; None where a place is none.

    ``source`` is the release, or its table.
    """
    if is_remote(source):
        return None
    folder = Path(source)
    for release in (folder, folder.parent) if folder.name == TABLE else (folder,):
        try:
            manifest = json.loads((release / MANIFEST).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and manifest.get("kind") == "table" and (release / TABLE).is_dir():
            return release / TABLE
    return None


def rejects_table(source: str) -> Path | None:
    """Return the folder of a workspace's Delta table of rejects; None where a place is none."""
    folder = Path(source)
    if is_remote(source) or folder.name != REJECTS:
        return None
    known = known_columns(source, "delta") or ()
    return folder if known[:_OLDEST] == tuple(tables.REJECTS.names[:_OLDEST]) else None


def check_table_format(name: str) -> None:
    """Raise UsageError where a format can't hold a table without texts."""
    if name not in FORMATS:
        raise UsageError(f"--to: this table has no texts. Expected one of {', '.join(FORMATS)}, got {name!r}")


def convert_table(
    spark: SparkSession, table: Path, target: str, format: str, progress: Progress = no_progress
) -> TableConversionFigures:
    """Write a table, every column and row of it, into a new or an empty folder; its types where there are any.

    The folder is its owner's alone. Of CSV and JSON lines times have microseconds, and cells their white space.
    """
    rows = read_delta(spark, str(table.absolute()))
    progress("write")
    folder = Path(target).absolute()
    make_private(str(folder))
    if format == "delta":
        _write_delta(rows, LocalFolder(folder))
    else:
        kind = "json" if format == "jsonl" else format
        rows.write.format(kind).mode("append").options(**FORMATS[format]).save(str(folder))
    formulas = _formulas(rows) if format == "csv" else F.lit(0)
    found = rows.select(F.count("*").alias("rows"), formulas.alias("formulas")).collect()[0]
    tell_formulas(found["formulas"], progress)
    return TableConversionFigures(target, found["rows"])


def _write_delta(rows: DataFrame, folder: LocalFolder) -> None:
    """Write rows as ``anonymize`` does: Delta itself refuses names with spaces."""
    schema = schema_of(rows)
    commit_table(folder, schema, store_rows(rows, schema, folder))


def _formulas(rows: DataFrame) -> Column:
    """Count the cells of strings that spreadsheets take for formulas."""
    texts = [field.name for field in rows.schema.fields if isinstance(field.dataType, StringType)]
    begin = pandas_udf(_begin_as_formulas, BooleanType())
    counts = [F.count_if(begin(F.col(f"`{name.replace('`', '``')}`"))) for name in texts]
    return reduce(add, counts, F.lit(0))


def _begin_as_formulas(cells: pd.Series) -> pd.Series:
    return cells.map(begins_as_formula, na_action="ignore").fillna(False).astype(bool)
