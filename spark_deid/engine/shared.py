"""Values that the driver gives to all tasks."""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any, Generic, Protocol, TypeVar

from pyspark.sql import SparkSession

from spark_deid.engine.engines import EngineKind, engine_of

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
