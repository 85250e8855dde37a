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
from spark_deid.storage.files import is_remote

FORMATS = {"csv": {"header": "true", "escape": '"'}, "jsonl": {"ignoreNullFields": "false"}, "parquet": {}, "delta": {}}
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
    """Write a recoded table, every column and row of it, into a new folder; its types where the format has any."""
    rows = spark.read.format("delta").load(str(table.absolute()))
    progress("write")
    kind = "json" if format == "jsonl" else format
    rows.write.format(kind).options(**FORMATS[format]).save(str(Path(target).absolute()))
    found = rows.select(F.count("*").alias("rows"), _formulas(rows).alias("formulas")).collect()[0]
    if format == "csv" and found["formulas"]:
        progress(
            f"warning: {found['formulas']} cells begin with =, +, - or @ and may be carried out by spreadsheets: they "
            "are written as they are"
        )
    return TableConversionFigures(target, found["rows"])


def _formulas(rows: DataFrame) -> Column:
    """Count the cells of strings that spreadsheets take for formulas."""
    texts = [field.name for field in rows.schema.fields if isinstance(field.dataType, StringType)]
    counts = [F.count_if(F.col(f"`{name.replace('`', '``')}`").rlike(_FORMULA)) for name in texts]
    return reduce(Column.__add__, counts, F.lit(0))
