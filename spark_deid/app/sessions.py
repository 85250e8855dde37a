"""The Spark session of a use case, tuned for its input, and corpora read in it."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from spark_deid.app.figures import ConversionFigures
from spark_deid.app.inputs import (
    Progress,
    no_progress,
)
from spark_deid.app.losses import SHOWN_REJECTS, tell_first_rejects
from spark_deid.core.engine_names import EngineName
from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.compilation import kept_since
from spark_deid.core.numerics.notices import COMPILING
from spark_deid.corpus.spark.read import CorpusReading, read_corpus
from spark_deid.engine.choice import MOST_BYTES, EngineChoice, EngineRequest, choose_engine
from spark_deid.engine.engines import EngineKind
from spark_deid.engine.failures import ENGINE_ERRORS, values_hidden
from spark_deid.engine.hadoop import held_by_jvm
from spark_deid.engine.keeping import Keep
from spark_deid.engine.session import (
    SessionPace,
    embedded_scope,
    is_submitted,
    running_session,
    session_notice,
    session_scope,
)
from spark_deid.engine.settings import check_answers, check_master
from spark_deid.engine.tables import read_delta
from spark_deid.engine.tasks import TaskCounts, TaskTracker
from spark_deid.greedy.parallel import LocalProcesses, TaskWorkers
from spark_deid.storage.files import is_remote, yield_sizes
from spark_deid.storage.folder import folder_at
from spark_deid.storage.lock import jvm_lock_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_deid.corpus.inventory import FileInventory
    from spark_deid.release.workspace import RunFolders


PACKED = 5
"""Bytes of text for a byte of a packed file, about."""
SMALL_INPUT = 20_000_000
"""Bytes of input up to which a local session is tuned to start soon."""


@contextmanager
def open_session(
    name: str,
    master: str | None,
    input_path: str | None,
    places: "RunFolders | None" = None,
    *,
    pace: SessionPace | None = None,
    needs_delta: bool = True,
    engine: EngineName = "auto",
    choice: EngineChoice | None = None,
    progress: Progress = no_progress,
) -> Iterator["SparkSession"]:
    """Yield a session in which failures show no values. It contains the folders of its work, and spills there.

    Any session that runs is used, unless it lacks a part that is needed, such as Delta. Long jobs are reported.
    ``choice`` is the engine if it is chosen already.
    """
    choice = choice or choose_engine(request_of(name, engine, master, input_path))
    if choice.kind is EngineKind.EMBEDDED:
        with (
            embedded_scope(_scratch(places) if places else None, choice.reason) as spark,
            values_hidden(),
            report_tasks(spark, progress),
        ):
            yield spark
        return
    if master is not None:
        check_master(master)
        if running_session() is None and not is_submitted():
            check_answers(master)
    scratch = _scratch(places) if places else None
    pace = pace or pace_of(input_path)
    with (
        session_scope(
            app_name=f"spark-deid {name}",
            master=master,
            local_dir=scratch,
            pace=pace,
            needs_delta=needs_delta,
            reason=choice.reason,
        ) as spark,
        held_by_jvm(spark, *map(jvm_lock_path, places.local if places else ())),
        values_hidden(),
        report_tasks(spark, progress),
    ):
        yield spark


EMBEDDED_COMMANDS = frozenset({"anonymize", "convert", "repeats", "run"})
"""Commands that the embedded engine carries out."""


def request_of(name: str, engine: EngineName, master: str | None, input_path: str | None) -> EngineRequest:
    """Return what an engine is chosen by."""
    lacks = "" if name in EMBEDDED_COMMANDS else "this command"
    remote = input_path is not None and is_remote(input_path)
    size = 0 if input_path is None or remote else unpacked_size(input_path, 2 * MOST_BYTES)
    return EngineRequest(name, engine, master, remote, size, lacks)


def notice_of(choice: EngineChoice) -> str:
    """Return what a command reports when its engine starts, with all in which a running session is less private."""
    if choice.kind is EngineKind.EMBEDDED:
        return f"start the embedded engine (Sail) in this process ({choice.reason})"
    return session_notice()


def unpacked_size(path: str, most: int) -> int:
    """Return about how many bytes a local input has when it is unpacked, counted up to ``most``."""
    total = 0
    for size in yield_sizes(path):
        total += size * (PACKED if path.endswith(".gz") else 1)
        if total > most:
            break
    return total


@contextmanager
def open_workers(name: str, master: str | None, processes: int | None) -> Iterator["TaskWorkers"]:
    """Give who fits models: tasks of Spark where fits are spread, else processes of this machine, without Spark."""
    if not are_spread(name, master, processes):
        yield processes_of(processes)
        return
    with open_session(name, master, None) as spark:
        yield tasks_of(spark)


def are_spread(name: str, master: str | None, processes: int | None) -> bool:
    """Return whether fits are tasks of Spark: on a named master, and under ``spark-submit``.

    Raises UsageError where a number of processes is asked for as well.
    """
    spread = master is not None or is_submitted()
    if spread and processes is not None:
        raise UsageError(f"{name}: --workers starts local processes. Remove it if Spark's tasks fit the models")
    return spread


def processes_of(number: int | None) -> "TaskWorkers":
    """Return processes of this machine, by default as many as there are cores."""
    return LocalProcesses(number or os.cpu_count() or 1)


def tasks_of(spark: "SparkSession") -> "TaskWorkers":
    """Return tasks of a session."""
    # Start-up: only training and attacks have tasks.
    from spark_deid.greedy.spark import SparkTasks

    return SparkTasks(spark)


def read_once(
    spark: "SparkSession", path: str, name: str, options: Mapping[str, str], keep: Keep, progress: Progress
) -> "CorpusReading":
    """Read a corpus and keep what was parsed: whatever is asked of it, its files are opened once."""
    progress(f"read {path}")
    return read_corpus(spark, path, name, options=options, stage=keep)


def tell_rejects(reading: "CorpusReading", progress: Progress) -> None:
    """Report the first rejected inputs of a command that has no workspace."""
    if not reading.inventory.rejects:
        return
    first = reading.rejects.orderBy("source").limit(SHOWN_REJECTS).collect()
    number = reading.rejects.count()
    tell_first_rejects(((row["source"], row["detail"]) for row in first), number, progress)


def read_table(spark: "SparkSession", place: str, name: str) -> "DataFrame":
    """Read a Delta table of a workspace or of a release."""
    return read_delta(spark, folder_at(place, spark).child(name).uri)


def pace_of(input_path: str | None, most: int = SMALL_INPUT) -> SessionPace:
    """Choose a short or a long local session by the bytes of its input, up to ``most``."""
    if input_path is None or is_remote(input_path):
        return SessionPace.LONG
    total = 0
    for number, size in enumerate(yield_sizes(input_path)):
        total += size
        if total > most or number > 20_000:
            return SessionPace.LONG
    return SessionPace.SHORT


def _scratch(places: "RunFolders") -> Path | None:
    path = getattr(places.workspace.scratch, "path", None)
    return path if isinstance(path, Path) else None


def tell_written(inventory: "FileInventory", spans: "DataFrame", output: str) -> ConversionFigures:
    """Report a written corpus."""
    return ConversionFigures(output, inventory.documents, spans.count(), dict(sorted(inventory.rejects.items())))


# Word of what Spark is doing, while that takes long.


PATIENCE = 3.0
"""Seconds that a job of Spark may take before its tasks are shown."""
INTERVAL = 10.0
"""Seconds between two words of one job."""
_GLANCE = 1.0


@contextmanager
def report_tasks(spark: "SparkSession", progress: Progress) -> Iterator[None]:
    """Show how many tasks are done, of how many, while a job of Spark takes longer than PATIENCE.

    If this machine compiles meanwhile, which it does once, the line states it.
    """
    ended = Event()
    teller = Thread(target=_tell, args=(TaskTracker(spark), progress, ended), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def _tell(tracker: TaskTracker, progress: Progress, ended: Event) -> None:
    watch, began, is_compiling = TaskWatch(), time.time(), False
    with suppress(*ENGINE_ERRORS, OSError):  # a session that ends gives no more counts
        while not ended.wait(_GLANCE):
            if not is_compiling and (is_compiling := kept_since(began)):
                progress(f"  {COMPILING}")
            result = watch.look(tracker.jobs(), tracker.tasks, time.monotonic())
            if result is not None:
                progress(f"  {result.done:,} of {result.all:,} tasks done")


class TaskWatch:
    """Decide when the tasks of jobs are worth a word."""

    def __init__(self) -> None:
        self._jobs: tuple[int, ...] = ()
        self._next = 0.0
        self._told: TaskCounts | None = None

    def look(self, jobs: tuple[int, ...], ask: Callable[[], TaskCounts], now: float) -> TaskCounts | None:
        """Return the tasks if they are to be shown: of jobs that last, and only new counts.

        They are asked for only then, since each word from Spark's JVM costs both sides.
        """
        jobs = tuple(sorted(jobs))
        if not jobs or jobs != self._jobs:
            self._jobs, self._next, self._told = jobs, now + PATIENCE, None
            return None
        if now < self._next:
            return None
        tasks = ask()
        if tasks == self._told or not tasks.all:
            return None
        self._next, self._told = now + INTERVAL, tasks
        return tasks
