"""Detectors by name: those of this package, and those that installed packages bring.

A package brings a detector with an entry point of the group ``spark_deid.detectors`` whose value is a ``DetectorKind``,
or makes a recognizer when called without arguments (see ``detection.installed``)::

    [project.entry-points."spark_deid.detectors"]
    presidio = "my_package.detector:make"
"""

from types import MappingProxyType
from typing import Any

from spark_deid.core.kinds import DetectorKind
from spark_deid.core.registry import MethodRegistry
from spark_deid.core.span import GOLD
from spark_deid.detection.installed import GROUP, kind_of


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
