"""What is temporary while a DataFrame is sanitized: a private folder, and tables that Spark keeps."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.engine.keeping import checkpoint, drop_checkpoint
from spark_deid.engine.resources import has_local_workers, spill_folders

_PREFIX = "spark-deid-"


class TableCheckpoints:
    """Tables that Spark keeps, by name, without what they were made of: what is checked is what is given.

    They are in the memory and on the local disks of its executors, and in no file system.
    """

    def __init__(self) -> None:
        self._kept: dict[str, DataFrame] = {}

    def __call__(self, name: str, rows: DataFrame) -> DataFrame:
        """Compute a table now, and return it as it is kept."""
        self._kept[name] = checkpoint(rows)
        return self._kept[name]

    def drop(self, *, but: tuple[str, ...] = ()) -> None:
        """Let tables go, all but the named ones."""
        for name in [name for name in self._kept if name not in but]:
            drop_checkpoint(self._kept.pop(name))


@contextmanager
def checkpoints(keep: tuple[str, ...] = ()) -> Iterator[TableCheckpoints]:
    """Keep tables while the block runs; where it ends well those that are named stay."""
    kept = TableCheckpoints()
    remaining: tuple[str, ...] = ()
    try:
        yield kept
        remaining = keep
    finally:
        kept.drop(but=remaining)


@contextmanager
def private_folder(spark: SparkSession | None, below: Path | None = None) -> Iterator[Path]:
    """Make a folder for its owner alone (mode 0700), and remove it at the end.

    It lies below the named one, else where Spark spills. Raises UsageError where the session's workers are on other
    machines and nobody says which folder they see too, or where that is none.
    """
    if below is None and spark is not None and not has_local_workers(spark):
        raise UsageError("scratch: on a cluster, name a folder that every worker sees and may write to")
    if below is not None and not below.is_dir():
        raise UsageError(f"scratch: expected a folder, but {below} is not a folder")
    place = _spill_folder(spark) if below is None else str(below.absolute())
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place) as folder:
        yield Path(folder)


def _spill_folder(spark: SparkSession | None) -> str | None:
    """Return the first of Spark's local folders that can be written to, None where there is none."""
    places = () if spark is None else spill_folders(spark)
    return next((place for place in places if os.path.isdir(place) and os.access(place, os.W_OK)), None)
