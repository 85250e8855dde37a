"""Write a corpus in another format, and make one."""

import json
import time
from functools import partial, reduce
from operator import add
from pathlib import Path

import pandas as pd
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import BooleanType, StringType

from spark_deid.app.figures import ConversionFigures, SynthesisFigures, TableConversionFigures
from spark_deid.app.inputs import (
    Progress,
    check_all,
    check_new,
    check_output,
    no_progress,
)
from spark_deid.app.losses import tell_formulas, tell_skipped
from spark_deid.app.options.corpora import ConvertOptions, SynthesizeOptions
from spark_deid.app.sessions import open_session, read_once, tell_rejects, tell_written
from spark_deid.core import tables
from spark_deid.core.errors import UsageError
from spark_deid.core.plurals import is_or_are, plural
from spark_deid.corpus.csv import begins_as_formula
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.peek import known_columns
from spark_deid.corpus.spark.read import write_corpus
from spark_deid.engine import functions as F
from spark_deid.engine.functions import pandas_udf
from spark_deid.engine.keeping import kept_tables
from spark_deid.engine.session import SessionPace
from spark_deid.engine.tables import read_delta
from spark_deid.release.commit import MANIFEST, TABLE
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.files import is_remote, make_private
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.path_checks import check_outside

MANY_DOCUMENTS = 5_000


def convert(options: ConvertOptions, progress: Progress = no_progress) -> ConversionFigures | TableConversionFigures:
    """Write a corpus with its annotations, or a table without texts, in another format.

    Tables without texts are those of ``anonymize`` and the rejects of a workspace.

    Args:
        options: The options of the command.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the conversion.
    """
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    if options.source_format == "delta":
        table = released_table(options.source) or rejects_table(options.source)
        if table is not None:
            return _convert_table(options, table, progress)
    return _convert_corpus(options, progress)


def _convert_table(options: ConvertOptions, table: Path, progress: Progress) -> TableConversionFigures:
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    check_table_format(options.target_format)
    check_outside(table.parent, options.target)  # release or workspace, even if only its table is named
    check_new(options.target)
    with open_session("convert", options.master, str(table), progress=progress, engine=options.engine) as spark:
        return convert_table(spark, table, options.target, options.target_format, progress)


def _convert_corpus(options: ConvertOptions, progress: Progress) -> ConversionFigures:
    check_output(options.source, options.target, options.source_format, options.options)
    with (
        open_session("convert", options.master, options.source, progress=progress, engine=options.engine) as spark,
        kept_tables() as keep,
    ):
        reading = read_once(spark, options.source, options.source_format, options.options, keep, progress)
        tell_skipped(reading.inventory, progress)
        tell_rejects(reading, progress)
        spans, target = reading.spans, options.target_format
        if not find_format(target).holds_spans:
            if left_out := spans.count():
                message = f"{plural(left_out, 'annotation')} {is_or_are(left_out)} left out"
                progress(f"warning: {message}: format {target} cannot store them")
            spans = spans.limit(0)
        progress("write")
        tell_formulas(write_corpus(reading.documents, spans, options.target, target), progress)
        return tell_written(reading.inventory, spans, options.target)


def synthesize(options: SynthesizeOptions, progress: Progress = no_progress) -> SynthesisFigures:
    """Make a corpus of invented documents with gold spans, and the table of its people if requested."""
    # Start-up: ``explain`` and ``redact`` neither convert nor synthesize.
    from spark_deid.corpus.synthesis.spark import synthesize as make

    places = (options.output, *((options.persons,) if options.persons is not None else ()))
    check_all(*(partial(check_new, place) for place in places))
    began = time.monotonic()
    pace = SessionPace.LONG if options.documents > MANY_DOCUMENTS else SessionPace.SHORT
    with open_session("synthesize", options.master, None, pace=pace, progress=progress, engine=options.engine) as spark:
        progress(f"synthesize {plural(options.documents, 'document')}")
        made, spans, people = make(
            spark, options.documents, options.seed, None, labels="attributes" if options.attributes else "text"
        )
        write_corpus(made, spans, options.output, options.format)
        if options.persons is not None:
            progress("write persons")
            people.write.format("delta").save(options.persons)
    return SynthesisFigures(options.output, options.documents, round(time.monotonic() - began, 3))


# A table that has no texts, a recoded one of people or the rejects of a run, in another format.


_TIMES = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}
_CSV = {"header": "true", "escape": '"', "ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false"}
FORMATS = {"csv": _CSV | _TIMES, "jsonl": {"ignoreNullFields": "false"} | _TIMES, "parquet": {}, "delta": {}}
"""Formats that hold a table without texts, with Spark's options for each."""
REJECTS = "rejects"
"""The table of a workspace with the inputs that could not be read, and the reasons."""


_OLDEST = 3  # columns, of rejects before 2026-11


def released_table(source: str) -> Path | None:
    """Return the folder of the Delta table of a release that ``anonymize`` made; None for other places.

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
    """Return the folder of a workspace's Delta table of rejects; None for other places."""
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

    Only the owner can read the folder. In CSV and JSON lines, times have microseconds, and cells keep their whitespace.
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
