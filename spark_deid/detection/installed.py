"""Detectors that installed packages bring, by name.

A package brings a detector with an entry point of the group ``spark_deid.detectors`` whose value makes one when called
without arguments::

    [project.entry-points."spark_deid.detectors"]
    presidio = "my_package.detector:make"

What it makes has ``detect(text)``, which returns spans of that text: a recognizer, a token classifier, a word list. It
is made once a worker process, so it may load what it needs.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.span import Span

GROUP = "spark_deid.detectors"
OWN_SOURCES = ("model", "patterns", "gold", "repeats", "context")
"""Names of sources that no package can take."""


class TextDetector(Protocol):
    """What finds spans in one text."""

    def detect(self, text: str) -> Iterable[Span]:
        """Return spans of the text: code points, end exclusive, in any order."""
        ...


class DetectorError(SparkDeidError):
    """An installed detector that gave something else than spans of its text."""


def detector_names() -> tuple[str, ...]:
    """Return the names of installed detectors, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)} - set(OWN_SOURCES)))


def find_detector(name: str) -> Callable[[], TextDetector]:
    """Return what makes a detector; raises UsageError where there is none, or where its package can't be loaded."""
    if name not in detector_names():
        known = ", ".join(detector_names()) or "none is installed"
        raise UsageError(f"detectors: expected an installed one ({known}), got {name!r}")
    [point] = sorted(entry_points(group=GROUP, name=name))[:1]
    return _loaded(point)


@lru_cache(maxsize=16)
def make_detector(name: str) -> TextDetector:
    """Make a detector, once a process."""
    return find_detector(name)()


def spans_found(text: str, *, name: str) -> tuple[Span, ...]:
    """Return what a detector finds in a text, with its name as their source.

    Raises DetectorError, without text, where a span does not lie in the text.
    """
    found = tuple(make_detector(name).detect(text))
    for span in found:
        if not isinstance(span, Span) or not 0 <= span.start < span.end <= len(text) or not span.label:
            raise DetectorError(f"detector {name}: expected labelled spans inside a text of {len(text)} characters")
    return tuple(span._replace(source=name) for span in found)


def _loaded(point: EntryPoint) -> Callable[[], TextDetector]:
    try:
        make = point.load()
    except Exception as error:
        raise UsageError(f"detectors: {point.name} can't be loaded ({type(error).__name__})") from error
    if not callable(make):
        raise UsageError(f"detectors: expected {point.value} of {point.name} to be callable without arguments")
    made: Callable[[], TextDetector] = make
    return made
