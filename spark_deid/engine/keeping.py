"""Tables that an engine keeps: computed once, without what they were made from."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

from spark_deid.engine.engines import EngineKind, engine_of, is_embedded, kept_folder
from spark_deid.engine.failures import ENGINE_ERRORS
from spark_deid.engine.tables import store_here

Keep = Callable[[DataFrame], DataFrame]
"""Lets an engine keep a table, and returns it."""
_ON_DISK = (True, False, False, False)
_KEPT: dict[int, tuple[DataFrame, Path]] = {}
"""Tables that the embedded engine keeps in files, by the identities of their frames."""


def checkpoint(rows: DataFrame) -> DataFrame:
    """Compute a table now, and return it as it is kept, without its plan.

    Spark keeps it in the memory and on the local disks of its executors, the embedded engine in a private folder.
    """
    return _in_files(rows) if is_embedded(rows.sparkSession) else rows.localCheckpoint(eager=True)


def drop_checkpoint(rows: DataFrame) -> None:
    """Remove a table that ``checkpoint`` keeps."""
    spark = rows.sparkSession
    match engine_of(spark):
        case EngineKind.CLASSIC:
            context: Any = spark.sparkContext
            kept: Any = rows
            with suppress(*ENGINE_ERRORS):  # the session removes the table when it ends
                # An RDD's own method would warn in the session's log that nothing can be computed again.
                context._jsc.sc().unpersistRDD(kept._jdf.queryExecution().analyzed().rdd().id(), False)
        case EngineKind.EMBEDDED:
            _remove_files(rows)
        case EngineKind.CONNECT:
            pass


@contextmanager
def kept_tables(*, on_disk: bool = False) -> Iterator[Keep]:
    """Give what lets an engine keep a table until the block ends: a session that continues is as it was afterwards."""
    kept: list[DataFrame] = []

    def keep(rows: DataFrame) -> DataFrame:
        kept.append(_kept(rows, on_disk=on_disk))
        return kept[-1]

    try:
        yield keep
    finally:
        for rows in reversed(kept):
            _let_go(rows)


def _kept(rows: DataFrame, *, on_disk: bool) -> DataFrame:
    match engine_of(rows.sparkSession):
        case EngineKind.CLASSIC:
            from pyspark import StorageLevel

            return rows.persist(StorageLevel(*_ON_DISK)) if on_disk else rows.cache()
        case EngineKind.CONNECT:
            return rows.cache()
        case EngineKind.EMBEDDED:
            return _in_files(rows)


def _let_go(rows: DataFrame) -> None:
    if is_embedded(rows.sparkSession):
        _remove_files(rows)
        return
    with suppress(*ENGINE_ERRORS):  # what a session keeps that has ended went with it
        rows.unpersist()


def _in_files(rows: DataFrame) -> DataFrame:
    """Write a table to files of a private folder, and return it as it is read from there."""
    folder = Path(tempfile.mkdtemp(prefix="spark-deid-", dir=kept_folder(rows.sparkSession)))
    kept = store_here(rows, folder)
    _KEPT[id(kept)] = kept, folder
    return kept


def _remove_files(rows: DataFrame) -> None:
    _, folder = _KEPT.pop(id(rows), (rows, None))
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
