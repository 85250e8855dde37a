"""The embedded engine: Sail, a server of Spark Connect in this process that needs no Java.

Only this module imports pysail. One engine runs per process. Its session marks neither the process nor pyspark, so
a classic session can run next to it.
"""

import atexit
import ctypes
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn

from pyspark.errors import PySparkException

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.shared_process import share_process
from spark_deid.engine.engines import forget_embedded, mark_embedded
from spark_deid.engine.machine_memory import available_memory
from spark_deid.engine.private_folder import PrivateFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_deid.engine.closed_door import EngineChannel

PACKAGE = "pysail"
OLDEST, TOO_NEW = (0, 7, 2), (0, 8)
"""Versions of Sail: the oldest that is used, and the first that is not."""
BATCH_ROWS = 256
"""Rows per batch that the engine gives Python code; see also ``bounded_batches``."""
_POOL_FRACTION = 4
"""The engine's pool is the available memory divided by this."""
_SMALLEST_POOL = 256 << 20
STOP_SECONDS = 1.0
"""How long the end of an engine waits for Python code of an interrupted query."""
_ENGINE_THREADS = 32
"""Threads of the engine: more than processors, since one that runs Python code answers no call meanwhile."""
_SPILL_BYTES = 64 << 30
_SESSION_SECONDS = 365 * 24 * 3600
"""Time without a call after which the engine forgets a session: longer than a notebook is idle."""
_INSTALL = "pip install 'spark-deid[local]'"
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_PREFIX = "SAIL_"
_QUIET: Mapping[str, str] = MappingProxyType(
    {
        "RUST_LOG": "off",  # the engine's logs quote values
        "GRPC_VERBOSITY": "NONE",
        "GRPC_ENABLE_FORK_SUPPORT": "0",
    }
)
_CONFIGURATION: Mapping[str, str] = MappingProxyType(
    {
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "1000",
        "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
    }
)


@dataclass(frozen=True, slots=True)
class EmbeddedEngine:
    """An engine that runs in this process, with everything that ends with it."""

    process: int
    server: Any
    channel: "EngineChannel"
    guard: socket.socket
    """Keeps the port bound, so that no other user listens there."""
    folder: PrivateFolder
    session: Any

    def is_alive(self) -> bool:
        """Return whether the engine runs in this very process and its session was not stopped."""
        return self.process == os.getpid() and bool(self.server.running) and not self.session.is_stopped

    def stop(self) -> None:
        """End the session and the engine, and remove its files; a forked process leaves them to its parent."""
        if self.process != os.getpid():
            return
        forget_embedded(self.session)
        if not self.session.is_stopped:
            with suppress(PySparkException, ValueError):
                self.session.stop()
        self.channel.close()
        # The engine waits for Python code of interrupted queries, however long it takes.
        latest = time.monotonic() + STOP_SECONDS
        ending = threading.Thread(target=_ignore_failures, args=(self.server.stop,), daemon=True)
        ending.start()
        ending.join(STOP_SECONDS)
        while functions_run() and time.monotonic() < latest:
            time.sleep(0.02)
        self.guard.close()
        self.folder.remove()


_LOCK = threading.RLock()
_running: EmbeddedEngine | None = None
_foreign_threads: frozenset[int] | None = None
"""Threads that ran without the threading module before the first engine, such as a debugger's. None: no engine yet."""


def start_embedded(
    *, local_dir: Path | None = None, cores: int | None = None, is_spilling: bool = True
) -> "SparkSession":
    """Return the session of this process's embedded engine, which starts at the first call.

    Args:
        local_dir: Folder of the engine's temporary files, spill and checkpoints, in a private folder inside. Default:
            the folder for temporary files.
        cores: Number of partitions that are computed at the same time. Default: one per processor.
        is_spilling: Whether the engine may write rows to disk. They are not encrypted there. If it may not, a query
            that needs more memory than the engine's pool fails.

    Raises:
        SparkDeidError: Packages are missing, another process connected while the engine started, or the engine
            computes something otherwise than Spark.
    """
    global _running
    with _LOCK:
        if _running is not None and not _running.is_alive():
            _running.stop()
            _running = None
        if _running is None:
            check_installed()
            _running = _start(local_dir or Path(tempfile.gettempdir()), cores, is_spilling)
            atexit.register(stop_embedded)
        session: SparkSession = _running.session
        return session


def stop_embedded() -> None:
    """Stop this process's embedded engine, if one runs, and remove its files."""
    global _running
    with _LOCK:
        ended, _running = _running, None
        if ended is not None:
            atexit.unregister(stop_embedded)
            ended.stop()


def embedded_runs() -> bool:
    """Return whether an embedded engine runs in this process."""
    return _running is not None and _running.is_alive()


def end_process(code: int) -> NoReturn:
    """End this process at once with an exit code, as after Ctrl-C: Python code of the engine may still run.

    Functions registered with atexit run, and open streams are written.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def embedded_version() -> str:
    """Return the version of the installed engine; raises SparkDeidError if it is missing."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        raise SparkDeidError(f"the embedded engine is not installed: {_INSTALL}") from None


def checkpoint_folder() -> Path:
    """Return the private folder of the running engine for files that tasks exchange; raises SparkDeidError."""
    if _running is None:
        raise SparkDeidError("the embedded engine does not run")
    return _running.folder.child("exchange")


def check_installed() -> None:
    """Check that a known version of the engine and the packages of Spark Connect are there; raises SparkDeidError."""
    found = embedded_version()
    numbers = tuple(int(part) for part in found.split(".")[:3] if part.isdigit())
    if not OLDEST <= numbers < TOO_NEW:
        raise SparkDeidError(
            f"{PACKAGE} {found}: expected {'.'.join(map(str, OLDEST))} or later and below "
            f"{'.'.join(map(str, TOO_NEW))}: {_INSTALL}"
        )
    try:
        import pyspark.sql.connect.session  # noqa: F401
    except (ImportError, PySparkException):
        raise SparkDeidError(
            f"the embedded engine needs the packages of Spark Connect (grpcio, grpcio-status): {_INSTALL}"
        ) from None


def _start(place: Path, cores: int | None, is_spilling: bool) -> EmbeddedEngine:
    """Start the server, connect, close the door, and check what the engine computes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.engine.closed_door import EngineChannel, close_door
    from spark_deid.engine.probes import check_meaning

    global _foreign_threads
    if _foreign_threads is None:
        _foreign_threads = _unknown_threads()
    with ExitStack() as on_failure:
        folder = PrivateFolder(place)
        on_failure.callback(folder.remove)
        with _environment(_settings(folder, cores, is_spilling)), _interrupts_kept():
            from pysail.spark import SparkConnectServer

            server = SparkConnectServer(ip="127.0.0.1", port=0)
            server.start(background=True)
            on_failure.callback(server.stop)
            port = server.listening_address[1]
            channel = EngineChannel(port)
            on_failure.callback(channel.close)
            channel.wait()
            guard, strangers = close_door(port)
            on_failure.callback(guard.close)
            if strangers:
                raise SparkDeidError(
                    f"another process connected to the embedded engine while it started ({strangers} times), and may "
                    "have run code as you. No input was read. Find that process. Set engine: spark if others use this "
                    "machine"
                )
            session: Any = ConnectSession(connection=channel)
            session.client.interrupt_operation = _without_waiting(session.client.interrupt_operation)
            # A channel that is cut is never connected again, so waiting for it is useless.
            session.client.set_retry_policies(
                [DefaultPolicy(max_retries=4, backoff_multiplier=2, initial_backoff=50, max_backoff=500, jitter=0)]
            )
            session._spark_deid_folder = str(folder.child("tables"))
            for key, value in _CONFIGURATION.items():
                session.conf.set(key, value)
            mark_embedded(session, folder.child("kept"))
            share_process()
            check_meaning(session, f"{PACKAGE} {embedded_version()}")
        on_failure.pop_all()
        return EmbeddedEngine(os.getpid(), server, channel, guard, folder, session)


def _settings(folder: PrivateFolder, cores: int | None, is_spilling: bool) -> dict[str, str]:
    """Return the engine's settings, as variables of the environment."""
    pool = max(available_memory() // _POOL_FRACTION, _SMALLEST_POOL)
    return {
        "SAIL_MODE": "local",
        "SAIL_RUNTIME__MEMORY_POOL__TYPE": "fair",
        "SAIL_RUNTIME__MEMORY_POOL__FAIR__MAX_SIZE": str(pool),
        "SAIL_RUNTIME__TEMPORARY_FILES__PATHS": f'["{folder.child("spill")}"]',
        "SAIL_RUNTIME__TEMPORARY_FILES__MAX_SIZE": str(_SPILL_BYTES if is_spilling else 0),
        "SAIL_EXECUTION__CHECKPOINT__PATH": folder.child("checkpoints").as_uri(),
        "SAIL_EXECUTION__DEFAULT_PARALLELISM": str(cores or 0),
        "SAIL_EXECUTION__BATCH_SIZE": str(BATCH_ROWS),
        "SAIL_SPARK__SESSION_TIMEOUT_SECS": str(_SESSION_SECONDS),
        # The smallest and largest texts of a file would be copied into its footer.
        "SAIL_PARQUET__STATISTICS_ENABLED": "none",
        "TOKIO_WORKER_THREADS": str(max(_ENGINE_THREADS, 2 * (cores or os.cpu_count() or 1))),
        **_QUIET,
    }


def _without_waiting(interrupt: Callable[[str], object]) -> Callable[[str], None]:
    """Return a function that interrupts an operation in a thread: the engine answers when Python code ends a batch."""

    def begin(operation: str) -> None:
        threading.Thread(target=_ignore_failures, args=(partial(interrupt, operation),), daemon=True).start()

    return begin


def _ignore_failures(call: Callable[[], object]) -> None:
    """Call the engine, which may have ended meanwhile."""
    with suppress(Exception):
        call()


def functions_run() -> bool:
    """Return whether threads of an engine run Python code: if Python ends meanwhile, the process aborts."""
    return _foreign_threads is not None and not _unknown_threads() <= _foreign_threads


def _unknown_threads() -> frozenset[int]:
    """Return the threads with Python code that the threading module did not start."""
    return frozenset(sys._current_frames()) - {each.ident for each in threading.enumerate()}


@contextmanager
def _environment(wanted: Mapping[str, str]) -> Iterator[None]:
    """Set the engine's variables for a block, without other variables of Sail, and set all back afterwards."""
    before = {key: value for key, value in os.environ.items() if key.startswith(_PREFIX) or key in wanted}
    try:
        for key in before:
            del os.environ[key]
        os.environ.update(wanted)
        yield
    finally:
        for key in wanted:
            os.environ.pop(key, None)
        os.environ.update(before)


@contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Set the process's handler of Ctrl-C back: the engine sets one that Python doesn't see.

    Signals wait until then, and threads of the engine never receive them.
    """
    get, put = ctypes.pythonapi.PyOS_getsig, ctypes.pythonapi.PyOS_setsig
    get.argtypes, get.restype = [ctypes.c_int], ctypes.c_void_p
    put.argtypes, put.restype = [ctypes.c_int, ctypes.c_void_p], ctypes.c_void_p
    before = get(signal.SIGINT)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        put(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
