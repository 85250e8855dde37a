"""Detectors by name: those of this package, and those of installed packages.

A package provides a detector with an entry point of the group ``spark_deid.detectors``. Its value is a
``DetectorKind``, or makes a recognizer when called without arguments (see ``detection.installed``)::

    [project.entry-points."spark_deid.detectors"]
    presidio = "my_package.detector:make"
"""

from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from importlib.metadata import entry_points
from math import isfinite
from types import MappingProxyType
from typing import Any, Protocol

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.kinds import DetectorKind, MethodContext, NoSettings
from spark_deid.core.labels import is_label
from spark_deid.core.registry import MethodRegistry
from spark_deid.core.span import GOLD, Finder, Span, detector_of, is_allowed
from spark_deid.text.visible import visible

# Recognizers of installed packages: a worker process makes each once, and it finds spans in a text.
#
# The object of an entry point has ``detect(text)``, which returns spans of that text: a recognizer, a token classifier,
# a word list. It may load the files that it needs.


GROUP = "spark_deid.detectors"


class TextDetector(Protocol):
    """A function that finds spans in one text."""

    def detect(self, text: str) -> Iterable[Span]:
        """Return spans of the text: code points, end exclusive, in any order."""
        ...


class DetectorError(SparkDeidError):
    """An installed detector that gave something else than spans of its text."""


def kind_of(name: str) -> DetectorKind[Any]:
    """Return the kind of a recognizer that an entry point makes."""
    return DetectorKind(
        describe=partial(_describe, name=name),
        legend=name,
        make=partial(_make, name=name),
        example=f"detectors: [{name}]",
    )


@lru_cache(maxsize=16)
def make_detector(name: str) -> TextDetector:
    """Make a recognizer, once a process."""
    point = next(iter(sorted(entry_points(group=GROUP, name=name))), None)
    if point is None:
        raise UsageError(f"detectors: {name} is not installed on the machine that runs it")
    make: Callable[[], TextDetector] = point.load()
    return make()


def spans_found(text: str, *, name: str) -> tuple[Span, ...]:
    """Return what a recognizer finds in a text, as it is and without invisible characters.

    Its name is the source.
    Raises DetectorError, without text, for a span outside the text.
    """
    found = _checked(text, name)
    shown = visible(text)
    if shown.is_whole:
        return found
    return tuple(dict.fromkeys((*found, *map(shown.original, _checked(shown.text, name)))))


def _checked(text: str, name: str) -> tuple[Span, ...]:
    found = tuple(make_detector(name).detect(text))
    for span in found:
        if not isinstance(span, Span) or not 0 <= span.start < span.end <= len(text) or not span.label:
            raise DetectorError(f"detector {name}: expected labelled spans inside a text of {len(text)} characters")
    return tuple(span._replace(source=name) for span in found)


def own_spans(text: str, *, name: str, find: Finder) -> list[Span]:
    """Return what a detector finds.

    Raises DetectorError if a source names another one, if a label is not valid, and if a score is
    not a number.
    """
    found = list(find(text))
    if not all(map(_is_label, {span.label for span in found})):
        raise DetectorError(f"detector {name}: expected labels of letters, digits, _ and -")
    if any(span.score is not None and not isfinite(span.score) for span in found):
        raise DetectorError(f"detector {name}: expected scores to be numbers, or None")
    sources = {span.source for span in found}
    if any(map(is_allowed, sources)):
        raise DetectorError(f"detector {name}: expected a source that does not end with /allowed")
    if any(detector_of(source) != name for source in sources):
        raise DetectorError(f"detector {name}: expected spans whose source is {name} or begins with {name}/")
    return found


_is_label = lru_cache(maxsize=1024)(is_label)


def _describe(_: NoSettings, *, name: str) -> str:
    return f"apply the installed detector {name}"


def _make(_: NoSettings, run: MethodContext, *, name: str) -> Finder:
    return partial(spans_found, name=name)


def _read(name: str, value: object) -> DetectorKind[Any] | None:
    if name == GOLD:
        return None
    return value if isinstance(value, DetectorKind) else kind_of(name) if callable(value) else None


DETECTORS: MethodRegistry[DetectorKind[Any]] = MethodRegistry(
    noun="detectors",
    group=GROUP,
    built_in=MappingProxyType(
        {
            "model": "spark_deid.greedy.detector:KIND",
            "patterns": "spark_deid.text.patterns.detector_kind:KIND",
            "deny": "spark_deid.text.terms.detector_kind:KIND",
            "identity": "spark_deid.identity.detector:KIND",
            "context": "spark_deid.detection.context.detector:KIND",
            "ontology": "spark_deid.plausibility.detector:KIND",
            "erase": "spark_deid.plausibility.k_safety.detector:KIND",
            "repeats": "spark_deid.repeats.detector:KIND",
            "onnx": "spark_deid.detection.token_classification.detector:KIND",
            "names": "spark_deid.detection.names.detector:KIND",
        }
    ),
    kind=DetectorKind,
    read=_read,
    expected="a DetectorKind, or to be callable without arguments",
)


def installed_names() -> tuple[str, ...]:
    """Return the names of installed detectors, sorted; ``gold`` is the input's, and can't be taken."""
    return tuple(name for name in DETECTORS.installed() if name != GOLD)
