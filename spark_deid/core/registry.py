"""Kinds by name: those of this package, and those that installed packages bring as entry points."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar

from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.errors import UsageError

Kind = TypeVar("Kind")


@dataclass(frozen=True)
class MethodRegistry(Generic[Kind]):
    """What a plan may name: ``built_in`` maps names to ``module:VALUE``, loaded when asked for.

    An installed package provides its own by an entry point of ``group``; a built-in name is not taken. The object of an
    entry point is of type ``kind``; if others are allowed, ``read`` makes one of it, or returns None. ``noun`` and
    ``expected`` are for errors.
    """

    noun: str
    group: str
    built_in: Mapping[str, str]
    kind: type[Kind]
    read: Callable[[str, object], Kind | None] | None = None
    expected: str = ""

    def names(self) -> tuple[str, ...]:
        """Return all names: built in first, then installed ones, sorted."""
        return (*self.built_in, *self.installed())

    def installed(self) -> tuple[str, ...]:
        """Return the names that packages bring, sorted."""
        return tuple(sorted({point.name for point in _installed(self.group)} - set(self.built_in)))

    def find(self, name: str) -> Kind:
        """Return the kind of a name.

        Raises UsageError if it is missing, if its package can't be loaded, and if two packages provide it.
        """
        if name in self.built_in:
            return self._loaded(_of_the_package(name, self.built_in[name], self.group), _load_once)
        points = {point.value: point for point in _installed(self.group) if point.name == name}
        if not points:
            raise UsageError(f"{self.noun}: {NotOneOf(name, self.names())}")
        if len(points) > 1:
            raise UsageError(f"{self.noun} {name}: both {' and '.join(sorted(points))} provide it. Uninstall one")
        return self._loaded(points.popitem()[1])

    def built_in_items(self) -> Iterator[tuple[str, Kind]]:
        """Yield the kinds of this package with their names."""
        return ((name, self.find(name)) for name in self.built_in)

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with what packages bring: taken names, two of one name, what can't be loaded."""
        for point in _installed(self.group):
            if point.name in self.built_in:
                yield (
                    f"{self.noun} {point.name}: {point.value} is ignored, because the package has a built-in "
                    f"{self.noun} of this name"
                )
        for name in self.installed():
            try:
                self.find(name)
            except UsageError as error:
                yield str(error)

    def _loaded(self, point: EntryPoint, load: Callable[[EntryPoint], Any] = EntryPoint.load) -> Kind:
        try:
            value = load(point)
        except Exception as error:
            raise UsageError(
                f"{self.noun} {point.name}: {point.value} can't be loaded ({type(error).__name__})"
            ) from error
        kind = self.read(point.name, value) if self.read else value if isinstance(value, self.kind) else None
        if kind is None:
            expected = self.expected or f"a {self.kind.__name__}"
            raise UsageError(f"{self.noun} {point.name}: expected {point.value} to be {expected}")
        return kind


@lru_cache(maxsize=1024)
def _of_the_package(name: str, value: str, group: str) -> EntryPoint:
    return EntryPoint(name, value, group)


@lru_cache(maxsize=1024)
def _load_once(point: EntryPoint) -> Any:
    """Load what the package itself names, once: plans ask for each method many times."""
    return point.load()


def _installed(group: str) -> tuple[EntryPoint, ...]:
    return _listed(group, tuple((place, _changed(place)) for place in sys.path))


@lru_cache(maxsize=64)
def _listed(group: str, _: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """List the entry points of a group: searched for once for places of packages as they are, since that takes long."""
    return tuple(sorted(entry_points(group=group)))


def _changed(place: str) -> int:
    """Return when something was installed in a place last, 0 if it is missing."""
    try:
        return os.stat(place or ".").st_mtime_ns
    except OSError:
        return 0
