"""Values that the driver gives to all tasks."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from zipfile import ZIP_STORED, ZipFile

from pyspark.sql import SparkSession

from spark_deid.core.errors import UsageError
from spark_deid.engine.engines import EngineKind, engine_of, is_classic

Shared_co = TypeVar("Shared_co", covariant=True)
Value = TypeVar("Value")


class SharedValue(Protocol[Shared_co]):
    """A value that tasks read; ``destroy`` removes it from machines."""

    @property
    def value(self) -> Shared_co:
        """Return the value; in a worker it is loaded once."""
        ...

    def destroy(self) -> None:
        """Remove the value where workers keep it; no task may read it afterwards."""
        ...


def share(spark: SparkSession, value: Value) -> SharedValue[Value]:
    """Give a value to the tasks of a session: a function for workers may carry the result."""
    engine = engine_of(spark)
    if engine is EngineKind.CLASSIC:
        context: Any = spark.sparkContext
        shared: SharedValue[Value] = context.broadcast(value)
        return shared
    return _HeldValue(value) if engine is EngineKind.EMBEDDED else _SentValue(value)


def share_packed(spark: SparkSession, value: Value) -> "PackedValue[Value]":
    """Give a value with large arrays: Spark's encrypted broadcasts take these only as bytes."""
    return PackedValue(share(spark, pickle.dumps(value)))


class PackedValue(Generic[Value]):
    """A value that travels as bytes; each reading unpacks it."""

    def __init__(self, shared: SharedValue[bytes]) -> None:
        self._shared = shared

    @property
    def value(self) -> Value:
        """Return the value; each call unpacks it."""
        found: Value = pickle.loads(self._shared.value)  # made by our own code on the driver of this session
        return found

    def destroy(self) -> None:
        """Remove the value where workers keep it."""
        self._shared.destroy()


class _SentValue(Generic[Value]):
    """A value that travels inside the function that reads it."""

    def __init__(self, value: Value) -> None:
        self.value = value

    def destroy(self) -> None:
        """Keep no copy to remove: the value is a part of its functions."""


_HELD: dict[int, Any] = {}
_NUMBERS = count()
_LEAVES: ContextVar[bool] = ContextVar("leaves", default=False)


@contextmanager
def leaving_process() -> Iterator[None]:
    """Pickle shared values whole while the block runs: they go to another process."""
    token = _LEAVES.set(True)
    try:
        yield
    finally:
        _LEAVES.reset(token)


class _HeldValue(Generic[Value]):
    """A value of this process, whose threads are the workers: only its number travels."""

    def __init__(self, value: Value) -> None:
        self._number = next(_NUMBERS)
        _HELD[self._number] = value

    @property
    def value(self) -> Value:
        found: Value = _HELD[self._number]
        return found

    def destroy(self) -> None:
        """Remove the value."""
        _HELD.pop(self._number, None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the number, or the value where another process reads it."""
        return (_SentValue, (self.value,)) if _LEAVES.get() else (_held, (self._number,))


def _held(number: int) -> _HeldValue[Any]:
    found: _HeldValue[Any] = object.__new__(_HeldValue)
    found._number = number
    return found


# Operators: folders that workers read, such as models: those that they see, or archives that Spark sends them.


class WorkerFolder(NamedTuple):
    """A folder as workers find it: its path, or the name of the archive in which it was sent."""

    path: str
    is_sent: bool = False

    def on_worker(self) -> Path:
        """Return where it is in this worker."""
        if not self.is_sent:
            return Path(self.path)
        from pyspark import SparkFiles

        return Path(SparkFiles.get(self.path))


def send_folder(spark: SparkSession, folder: Path, name: str) -> WorkerFolder:
    """Send a folder to workers as a separate archive, once a session; only the owner may read it meanwhile.

    Spark removes the archive at its end; ``name`` distinguishes folders with other files.
    """
    if not is_classic(spark):
        raise UsageError(f"{folder}: Spark Connect sends no folders; name a folder that all workers see")
    from pyspark import SparkFiles

    context: Any = spark.sparkContext
    if not any(name in archive for archive in context.listArchives):
        archive = Path(SparkFiles.getRootDirectory()) / f"{name}.zip"
        archive.touch(mode=0o600)
        with ZipFile(archive, "w", ZIP_STORED) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder))
        context.addArchive(f"{archive}#{name}")
    return WorkerFolder(name, is_sent=True)
