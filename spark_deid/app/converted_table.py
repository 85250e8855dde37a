"""A recoded table of people, which has no texts, in another format."""

import json
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType

from spark_deid.app.figures import TableConversionFigures
from spark_deid.app.inputs import Progress, silent
from spark_deid.core.errors import UsageError
from spark_deid.release.commit import MANIFEST, TABLE
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import LocalFolder

_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
_CSV = {"header": "true", "escape": '"', "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}
FORMATS = {"csv": _CSV | _TIMES, "jsonl": {"ignoreNullFields": "false"} | _TIMES, "parquet": {}, "delta": {}}
"""Formats that hold a table without texts, with Spark's options for each."""
_FORMULA = r"^[\s\p{Cf}]*[=+\-@]"


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


def check_table_format(name: str) -> None:
    """Raise UsageError where a format can't hold a table without texts."""
    if name not in FORMATS:
        raise UsageError(f"--to: a table of people has no texts: expected one of {', '.join(FORMATS)}, got {name!r}")


def convert_table(
    spark: SparkSession, table: Path, target: str, format: str, progress: Progress = silent
) -> TableConversionFigures:
    """Write a recoded table, every column and row of it, into a new or an empty folder; its types where there are any.

    Of CSV and JSON lines times have microseconds, and cells their white space.
    """
    rows = spark.read.format("delta").load(str(table.absolute()))
    progress("write")
    folder = Path(target).absolute()
    if format == "delta":
        _write_delta(rows, LocalFolder(folder))
    else:
        kind = "json" if format == "jsonl" else format
        rows.write.format(kind).mode("append").options(**FORMATS[format]).save(str(folder))
    found = rows.select(F.count("*").alias("rows"), _formulas(rows).alias("formulas")).collect()[0]
    if format == "csv" and found["formulas"]:
        progress(
            f"warning: {found['formulas']} cells begin with =, +, - or @ and may be carried out by spreadsheets: they "
            "are written as they are"
        )
    return TableConversionFigures(target, found["rows"])


def _write_delta(rows: DataFrame, folder: LocalFolder) -> None:
    """Write rows as ``anonymize`` does: Delta itself refuses names with spaces."""
    schema = schema_of(rows)
    commit_table(folder, schema, store_rows(rows, schema, folder))


def _formulas(rows: DataFrame) -> Column:
    """Count the cells of strings that spreadsheets take for formulas."""
    texts = [field.name for field in rows.schema.fields if isinstance(field.dataType, StringType)]
    counts = [F.count_if(F.col(f"`{name.replace('`', '``')}`").rlike(_FORMULA)) for name in texts]
    return reduce(Column.__add__, counts, F.lit(0))
