"""Functions for an engine set nothing for the process: tasks of the embedded engine are its threads."""

import gc
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pyarrow as pa

from spark_deid.engine.tasks import _partition
from spark_deid.storage.files import private_file

THREADS = 4


def _threshold(batches: Iterator[pa.RecordBatch], *, barrier: Barrier) -> tuple[int, ...]:
    barrier.wait(10)
    found = gc.get_threshold()
    barrier.wait(10)
    return found


def test_partitions_in_threads_keep_the_thresholds_of_the_process() -> None:
    before, barrier = gc.get_threshold(), Barrier(THREADS)
    run = partial(_partition, function=partial(_threshold, barrier=barrier))
    with ThreadPoolExecutor(THREADS) as threads:
        results = list(threads.map(lambda _: list(run(iter(()))), range(THREADS)))
    assert len(results) == THREADS
    assert gc.get_threshold() == before
    assert {pickle.loads(batches[0].column(0)[0].as_py()) for batches in results} == {before}


def test_threads_that_write_the_same_file_have_separate_drafts(tmp_path: Path) -> None:
    barrier = Barrier(THREADS)

    def write(_: int) -> None:
        with private_file(str(tmp_path / "copy")) as stream:
            barrier.wait(10)
            stream.write(b"x" * 100_000)
            barrier.wait(10)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(write, range(THREADS)))
    assert [(path.name, path.stat().st_size) for path in tmp_path.iterdir()] == [("copy", 100_000)]
