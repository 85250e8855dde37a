"""Functions for an engine set nothing for the process: tasks of the embedded engine are its threads."""

import gc
import pickle
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.tasks import _partition
from spark_deid.storage.files import private_file
from spark_deid.text.patterns.config import LimitedPattern
from spark_deid.text.patterns.search_process import search_process

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


def _spans(pattern: LimitedPattern, text: str) -> list[tuple[int, int]]:
    return [match.span("span") for match in pattern.finditer(text)]


def test_threads_that_search_limited_patterns_leave_the_limits_of_the_process() -> None:
    before, limits = resource.getrlimit(resource.RLIMIT_AS), set()
    pattern = LimitedPattern("WARD", r"ward (?P<span>\d+)")

    def search(number: int) -> list[tuple[int, int]]:
        found = _spans(pattern, f"ward {number} " * 500)
        limits.add(resource.getrlimit(resource.RLIMIT_AS))
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        found = list(threads.map(search, range(40)))
    assert limits == {before}
    assert [spans[:2] for spans in found[:10]] == [[(5, 6), (12, 13)]] * 10
    assert found == [_spans(pattern, f"ward {number} " * 500) for number in range(40)]


def test_searches_in_threads_are_bounded_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SECONDS", 0.2)
    monkeypatch.setattr("spark_deid.text.patterns.config.SEARCH_BYTES", 16 << 20)
    endless, large = LimitedPattern("A", "(a+)+b"), LimitedPattern("B", "(?:(a)|(b)|(ab)|(ba))*[cd]")
    with ThreadPoolExecutor(1) as threads:
        with pytest.raises(SparkDeidError, match=r"custom-a.* 3000 characters .* 0\.26 s"):
            threads.submit(_spans, endless, "a" * 3000).result()
        with pytest.raises(SparkDeidError, match=r"custom-b.* 16 MB"):
            threads.submit(_spans, large, "ab" * 200_000).result()
        killed = search_process()._process
        assert killed is not None
        killed.kill()
        with pytest.raises(SparkDeidError, match=r"custom-a.* 16 MB"):
            threads.submit(_spans, endless, "a").result()
        assert threads.submit(_spans, LimitedPattern("C", "(?P<span>x)"), "axa").result() == [(1, 2)]
