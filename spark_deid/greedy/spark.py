"""Operator: every round of a model over a corpus, in one pass."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import gather_batches
from spark_deid.core.errors import ModelError, SparkDeidError
from spark_deid.core.missed_names import WeighedWords, WordWeigher
from spark_deid.core.span import Finder, Span
from spark_deid.engine import functions as F
from spark_deid.engine.resources import has_local_workers, parallelism
from spark_deid.engine.shared import SharedValue, WorkerFolder, send_folder, share
from spark_deid.engine.tasks import JobGroup
from spark_deid.greedy.missed_names.table import word_odds
from spark_deid.greedy.parallel import Result, Results, Task, run_guarded
from spark_deid.greedy.sanitizer import GreedySanitizer, load_sanitizer, model_hash, model_stamp, open_sanitizer
from spark_deid.greedy.training_fingerprints import fingerprint_of

Shipping = Literal["auto", "always", "never"]
DecodingName = Literal["viterbi", "cost"]


class ModelPlace(NamedTuple):
    """Where workers find a model: a folder that they see, or an archive that Spark sent them."""

    folder: WorkerFolder
    hash: str
    stamp: str = ""
    """What the folder looked like when the driver checked it; workers that see the same need not read it all."""


class ModelUse(NamedTuple):
    """A model and how it is used: what is None is as in training."""

    place: ModelPlace
    decoding: DecodingName | None
    loss_ratio: float | None
    placeholders: tuple[str, ...]


def detect(documents: DataFrame, find: Finder) -> DataFrame:
    """Find what every round of a model finds, in one scan of each partition; the spans table. Runs no action."""
    return documents.select("doc_id", "text").mapInArrow(partial(_detect_batches, find=find), tables.ddl(tables.SPANS))


def finder(
    spark: SparkSession,
    folder: str,
    expected_hash: str,
    *,
    decoding: DecodingName | None = None,
    loss_ratio: float | None = None,
    placeholders: Sequence[str] = (),
    ship: Shipping = "auto",
) -> Finder:
    """Return what finds in a text what every round of a model finds: a function to send to workers.

    Each worker process loads the model once and checks that its hash is the expected one. ``decoding`` and
    ``loss_ratio`` override the model's own; ``placeholders`` are listed besides the model's own. Where the master is
    not local the model folder is sent to the workers (``ship="auto"``); ``never`` is for a folder that every machine
    sees at the same path. Raises ModelError where the model is not the expected one.
    """
    place = _place(spark, folder, expected_hash, ship)
    use = ModelUse(place, decoding, loss_ratio, tuple(placeholders))
    return partial(_model_spans, use=use)


def weigher(
    spark: SparkSession,
    folder: str,
    expected_hash: str,
    *,
    decoding: DecodingName | None = None,
    loss_ratio: float | None = None,
    placeholders: Sequence[str] = (),
) -> WordWeigher:
    """Return what weighs the words of a text on workers, by the one round of a model.

    What it weighs does not depend on the decoding; where that is the finder's, workers have loaded the model before.
    """
    place = _place(spark, folder, expected_hash, "auto")
    return partial(_word_odds, use=ModelUse(place, decoding, loss_ratio, tuple(placeholders)))


def _place(spark: SparkSession, folder: str, expected_hash: str, ship: Shipping) -> ModelPlace:
    if ship == "never" or (ship == "auto" and has_local_workers(spark)):
        return ModelPlace(WorkerFolder(os.path.abspath(folder)), expected_hash, _checked_stamp(folder))
    _check(folder, model_stamp(Path(folder)))
    if model_hash(Path(folder)) != expected_hash:
        raise ModelError(f"{folder}: the model has changed since the plan was read: its hash is another")
    return ModelPlace(send_folder(spark, Path(folder), f"model-{expected_hash[:32]}"), expected_hash)


def _checked_stamp(folder: str) -> str:
    """Check a folder and return its stamp; none where only workers see it."""
    if not Path(folder).is_dir():
        return ""
    stamp = model_stamp(Path(folder))
    _check(folder, stamp)
    return stamp


@lru_cache(maxsize=16)
def _check(folder: str, _: str) -> None:
    """Check a folder's hashes and values, once a process while it keeps its stamp."""
    load_sanitizer(Path(folder))


def _detect_batches(incoming: Iterator[pa.RecordBatch], *, find: Finder) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        ids, texts = batch.column("doc_id").to_pylist(), batch.column("text").to_pylist()
        rows = ((doc_id, *span) for doc_id, text in zip(ids, texts, strict=True) for span in find(text))
        yield from gather_batches(rows, tables.SPANS)


def _model_spans(text: str, *, use: ModelUse) -> tuple[Span, ...]:
    return _loaded(use).detect(text)


def _word_odds(text: str, *, use: ModelUse) -> WeighedWords:
    return word_odds(_loaded(use), text)


@lru_cache(maxsize=16)
def _loaded(use: ModelUse) -> GreedySanitizer:
    """Load a model once a worker process; the hash is part of what is remembered."""
    place = use.place
    folder = place.folder.on_worker()
    sanitizer = open_sanitizer(folder, checked=place.stamp)
    if model_hash(folder, checked=place.stamp) != place.hash:
        raise ModelError(f"{folder}: the model has changed during the run: its hash is another")
    return sanitizer.listing(use.placeholders).decoding_as(use.decoding, use.loss_ratio)


# Operator: count the documents that a model was trained on.


def count_seen(documents: DataFrame, seen: frozenset[str], key: bytes) -> int:
    """Count the documents whose texts have one of these fingerprints. Runs one action."""
    counted = documents.select("text").mapInArrow(partial(_count, seen=seen, key=key), "seen long")
    return int(counted.agg(F.coalesce(F.sum("seen"), F.lit(0))).collect()[0][0])


def _count(incoming: Iterator[pa.RecordBatch], *, seen: frozenset[str], key: bytes) -> Iterator[pa.RecordBatch]:
    total = sum(fingerprint_of(text, key) in seen for batch in incoming for text in batch.column("text").to_pylist())
    yield pa.RecordBatch.from_arrays([pa.array([total], pa.int64())], names=["seen"])


# Workers that are tasks of Spark: fits of a round, spread over a cluster.


_RESULT = pa.schema([("result", pa.binary())])
_PATIENCE = 0.2
"""Seconds after which jobs that continue are cancelled again."""
Packed = bytes
"""A function and its tasks, pickled: an encrypted broadcast refuses large arrays, but takes bytes of any length."""


@dataclass(frozen=True)
class SparkTasks:
    """Do tasks as tasks of Spark, one job each, so that one that no one needs any more can be stopped.

    Tasks go to the machines in one broadcast: what they share, such as documents, is sent once. Results come back
    through the driver, as models and predictions must. The retries of a lost machine are Spark's own.
    """

    spark: SparkSession

    @property
    def size(self) -> int:
        """Return how many tasks run at a time."""
        return parallelism(self.spark)

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Results[Result]:
        """Yield the number and result of each task as it ends; one job a task.

        A generator that is closed early stops what is running. Raises TaskError, without document text, where a task
        fails.
        """
        packed = share(self.spark, pickle.dumps((function, tuple(tasks))))
        group = JobGroup(self.spark)
        job = group.in_threads(partial(_run_job, self.spark, packed))
        try:
            # More jobs than slots, so that no slot waits for the driver.
            with ThreadPoolExecutor(max_workers=max(1, min(len(tasks), 2 * self.size))) as threads:
                futures = [threads.submit(job, index) for index in range(len(tasks))]
                try:
                    for future in as_completed(futures):
                        yield future.result()
                finally:
                    for future in futures:
                        future.cancel()
                    while True:  # a job that its thread has yet to hand in cannot be cancelled so far
                        group.cancel()
                        if not wait(futures, timeout=_PATIENCE).not_done:
                            break
        finally:
            packed.destroy()


def _run_job(spark: SparkSession, packed: SharedValue[Packed], index: int) -> tuple[int, Any]:
    """Have one task done by one job."""
    rows = spark.range(index, index + 1, 1, numPartitions=1)
    [row] = rows.mapInArrow(partial(_do_batches, packed=packed), "result binary").collect()
    found = pickle.loads(row["result"])  # made by our own code on a worker of this session
    if isinstance(found, SparkDeidError):
        raise found
    return index, found


def _do_batches(incoming: Iterator[pa.RecordBatch], *, packed: SharedValue[Packed]) -> Iterator[pa.RecordBatch]:
    function, tasks = _unpacked(packed.value)
    for batch in incoming:
        results = [pickle.dumps(_done(function, index, tasks[index])) for index in batch.column("id").to_pylist()]
        yield pa.RecordBatch.from_pydict({"result": results}, _RESULT)


@lru_cache(maxsize=1)
def _unpacked(packed: Packed) -> tuple[Callable[[Any], Any], tuple[Any, ...]]:
    """Return the function and its tasks, once a worker."""
    function, tasks = pickle.loads(packed)  # made by our own code on the driver of this session
    return function, tasks


def _done(function: Callable[[Any], Any], index: int, task: object) -> object:
    """Return a task's result, or its error: as a value, lest Spark quotes what the failed code was given."""
    try:
        return run_guarded(function, index, task)[1]
    except SparkDeidError as error:
        return error
