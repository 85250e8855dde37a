"""A run from a DataFrame to DataFrames: nothing is written but what is temporary."""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import Materialize
from spark_deid.corpus.frame import FrameColumns
from spark_deid.corpus.spark.read import CorpusReading
from spark_deid.corpus.spark.store import store_frame
from spark_deid.engine.keeping import checkpoint, drop_checkpoint
from spark_deid.engine.resources import has_local_workers, spill_folders
from spark_deid.engine.tables import read_parts
from spark_deid.pipeline.describing import DATA_FRAME
from spark_deid.pipeline.run import InputContents, PipelineRun
from spark_deid.release.manifest import release_view, words_apart, write_json
from spark_deid.release.publish import require_no_leak
from spark_deid.storage.folder import StorageFolder


@dataclass
class FrameSink:
    """What is temporary of a run, and the manifest that goes with its documents once they may be let out.

    ``rows`` reads the frame, and keeps its parsed rows with the function that it is given; ``folder`` is private.
    """

    rows: Callable[[Materialize], CorpusReading]
    columns: FrameColumns
    kept: Materialize
    folder: Path
    manifest: Mapping[str, object] = field(default_factory=dict)

    @property
    def scratch(self) -> str:
        """Return the path of the private folder."""
        return str(self.folder)

    def place(self, name: str) -> str:
        """Make the folder of a table, and return its path."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return str(folder)

    def folder_of_table(self) -> StorageFolder:
        """Refuse a table: there is no release."""
        raise UsageError("anonymity.release_table: there is no release that could have a table")

    def materialize(self, name: str, rows: DataFrame) -> DataFrame:
        """Let Spark keep a table."""
        return self.kept(name, rows)

    def read(self, run: PipelineRun) -> InputContents:
        """Read the frame's rows into files of the private folder."""
        run.clock.start("read", "read the DataFrame")
        reading = self.rows(self.kept)
        stored = store_frame(reading.annotated, {name: self.place(name) for name in ("documents", "imported")})
        documents = read_parts(run.spark, (parts["documents"] for parts in stored), tables.DOCUMENTS)
        corpus = replace(Corpus.empty(run.spark), read=stored, documents=documents, rejects=reading.rejects)
        return InputContents(corpus, reading.inventory, path="", format=DATA_FRAME, names_files=False)

    def keep_decisions(self, run: PipelineRun) -> None:
        """Keep nothing: results are made of decisions once they hold."""

    def keep_assessments(self, run: PipelineRun) -> None:
        """Keep nothing: the run has them."""

    def keep_manifest(self, run: PipelineRun) -> None:
        """Keep nothing: where a check refuses there is no result at all."""

    def release(self, run: PipelineRun) -> None:
        """Look through what goes with the documents for what was removed, as a release's is looked through."""
        written = write_json(release_view(replace(run.manifest, times=run.times()), run.key))
        stated = {"manifest": written, "names of columns": "\n".join(self.columns.metadata)}
        require_no_leak(run.removed.residuals_in(stated, (*words_apart(run.manifest), *run.doubts)))
        self.manifest = json.loads(written)


# Temporary things while a DataFrame is sanitized: a private folder, and tables that Spark keeps.


_PREFIX = "spark-deid-"


class TableCheckpoints:
    """Tables that Spark keeps, by name, without their sources: the checked rows are the returned rows.

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
    """Keep tables while the block runs; if it ends without an error, the named ones remain."""
    kept = TableCheckpoints()
    remaining: tuple[str, ...] = ()
    try:
        yield kept
        remaining = keep
    finally:
        kept.drop(but=remaining)


@contextmanager
def private_folder(spark: SparkSession | None, below: Path | None = None) -> Iterator[Path]:
    """Make a folder that only its owner may read (mode 0700), and remove it at the end.

    It is below the named one, else where Spark spills. Raises UsageError if the session's workers are on other
    machines and no folder is named that they see too, or if that one is missing.
    """
    if below is None and spark is not None and not has_local_workers(spark):
        raise UsageError("scratch: on a cluster, name a folder that every worker sees and may write to")
    if below is not None and not below.is_dir():
        raise UsageError(f"scratch: expected a folder, but {below} is not a folder")
    place = _spill_folder(spark) if below is None else str(below.absolute())
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place) as folder:
        yield Path(folder)


def _spill_folder(spark: SparkSession | None) -> str | None:
    """Return the first of Spark's local folders that can be written to, None without one."""
    places = () if spark is None else spill_folders(spark)
    return next((place for place in places if os.path.isdir(place) and os.access(place, os.W_OK)), None)
