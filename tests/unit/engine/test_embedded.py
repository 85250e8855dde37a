"""The embedded engine: it starts once, keeps its files private, can be interrupted, and fails soon if it is cut."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine import embedded, probes
from spark_deid.engine.engines import is_embedded
from spark_deid.engine.private_folder import PrivateFolder


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    yield
    embedded.stop_embedded()


def slow(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for _ in range(100):
            time.sleep(0.1)
        yield batch


def modes(place: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in place.glob("spark-deid-engine-*")}


def test_it_starts_once_per_process_and_again_after_a_stop() -> None:
    first = embedded.start_embedded()
    assert embedded.start_embedded() is first
    assert is_embedded(first)
    first.stop()
    second = embedded.start_embedded()
    assert second.range(3).count() == 3
    embedded.stop_embedded()
    assert not is_embedded(second)


def test_its_environment_is_that_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUST_LOG", "debug")
    monkeypatch.setenv("SAIL_MODE", "nonsense")
    before = dict(os.environ)
    assert embedded.start_embedded().range(2).count() == 2
    assert dict(os.environ) == before


def test_its_files_are_private_and_gone_at_the_end(tmp_path: Path) -> None:
    embedded.start_embedded(local_dir=tmp_path)
    assert modes(tmp_path) == {0o700}
    embedded.stop_embedded()
    assert list(tmp_path.iterdir()) == []


def test_the_next_run_removes_files_of_a_killed_run_and_keeps_those_of_living_ones(tmp_path: Path) -> None:
    code = (
        "import os, pathlib, sys; from spark_deid.engine.private_folder import PrivateFolder as P;"
        "P(pathlib.Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 1
    living = PrivateFolder(tmp_path)
    assert list(tmp_path.iterdir()) == [living.path]
    other = PrivateFolder(tmp_path)
    assert living.path.exists()
    living.remove()
    other.remove()


@pytest.fixture
def own_interrupts() -> Iterator[None]:
    """Python's handler of Ctrl-C: a classic session of another test leaves its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("own_interrupts")
def test_an_interrupt_ends_the_call_within_three_seconds_and_the_next_call_works() -> None:
    spark = embedded.start_embedded()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    began = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        spark.range(2).mapInArrow(slow, "id long").collect()
    assert time.monotonic() - began < 3
    assert spark.range(3).count() == 3


@pytest.mark.usefixtures("own_interrupts")
def test_an_interrupt_while_the_engine_starts_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)  # Python runs handlers between two instructions

    monkeypatch.setattr(probes, "check_meaning", interrupted)
    with pytest.raises(KeyboardInterrupt):
        embedded.start_embedded()
    monkeypatch.undo()
    assert embedded.start_embedded().range(3).count() == 3


def test_a_dead_channel_is_an_error_within_five_seconds() -> None:
    spark = embedded.start_embedded()
    port = embedded._running.guard.getsockname()[1]
    began = time.monotonic()
    for name in os.listdir("/proc/self/fd"):
        try:
            end = socket.socket(fileno=os.dup(int(name)))
        except OSError:
            continue
        with end:
            if end.family == socket.AF_INET and end.getsockname()[1] == port:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue  # the guard is not connected
    with pytest.raises(PySparkException):
        spark.range(3).count()
    assert time.monotonic() - began < 5


def test_an_engine_that_computes_otherwise_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(probes._EXPRESSIONS, "1 + 1", 3)
    with pytest.raises(SparkDeidError, match="values of expressions"):
        embedded.start_embedded(local_dir=tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    assert embedded.start_embedded().range(1).count() == 1


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "version", lambda package: "0.8.0")
    with pytest.raises(SparkDeidError, match=r"pysail 0\.8\.0: expected 0\.7\.2 or later and below 0\.8"):
        embedded.start_embedded()


def test_a_query_that_may_not_spill_fails_instead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "available_memory", lambda: 0)
    monkeypatch.setattr(embedded, "_SMALLEST_POOL", 1 << 20)
    spark = embedded.start_embedded(local_dir=tmp_path, is_spilling=False)
    with pytest.raises(PySparkException):
        spark.range(1_000_000).selectExpr("id", "sha2(cast(id as string), 256) as h").orderBy("h").toArrow()


def test_no_other_module_imports_the_engine() -> None:
    package = Path(embedded.__file__).parents[1]
    assert [
        path.name
        for path in package.rglob("*.py")
        if "import pysail" in (text := path.read_text()) or "from pysail" in text
    ] == ["embedded.py"]


@pytest.mark.parametrize("start", ["", "embedded.start_embedded()"])
def test_threads_of_other_programs_are_not_functions_of_an_engine(start: str) -> None:
    code = (
        "import _thread, time\n"
        "from spark_deid import cli\n"
        "from spark_deid.engine import embedded\n"
        "_thread.start_new_thread(lambda: time.sleep(60), ())\n"
        f"time.sleep(0.1)\n{start}\n"
        "try:\n    cli.main(['run', '--no-such-option'])\nexcept SystemExit:\n    print('continues')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.stdout.strip() == b"continues"


def test_a_process_whose_functions_still_run_ends_with_its_own_code() -> None:
    code = (
        "import os, signal, threading\n"
        "from tests.unit.engine.test_embedded import slow\n"
        "from spark_deid.engine import embedded\n"
        "spark = embedded.start_embedded()\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    spark.range(0, 7, 1, 7).mapInArrow(slow, 'id long').collect()\n"
        "except KeyboardInterrupt:\n    embedded.end_process(130)\n"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
    assert time.monotonic() - began < 8
