"""What a plan's detectors and rules are, in the order in which they work, and in words."""

from collections.abc import Iterator
from typing import Any

from spark_deid.core.kinds import DetectorKind, LabelRule
from spark_deid.core.span import GOLD
from spark_deid.detection.registry import DETECTORS
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import OTHERS


def detectors_of(settings: MethodSettings) -> Iterator[tuple[str, DetectorKind[Any], Any]]:
    """Yield name, kind and settings of each detector, in the order in which they run."""
    return ((name, DETECTORS.find(name), section) for name, section in settings.sections.items())


def edited_before(settings: MethodSettings, name: str) -> tuple[str, ...]:
    """Return the detectors that are edited and run before the named one; gold is there from the start."""
    order = (GOLD, *settings.sections)
    return tuple(each for each in order[: order.index(name)] if each in settings.edited)


def describe_rules(settings: MethodSettings) -> str:
    """Say in one line what becomes of spans."""
    written = {label: _written(label, rule, settings) for label, rule in settings.rules_by_label.items()}
    others = written.pop(OTHERS)
    alike: dict[str, list[str]] = {}
    for label, told in sorted(written.items()):
        if told != others:
            alike.setdefault(told, []).append(label)
    own = "".join(f", of {', '.join(labels)} {told}" for told, labels in alike.items())
    return f"apply the detectors and rewrite: of every span of {', '.join(settings.edited)} {others}{own}"


def _written(label: str, rule: LabelRule, settings: MethodSettings) -> str:
    kind = TECHNIQUES.find(rule.technique)
    return kind.describe(rule.settings) if kind.written is None else kind.written(label, rule.settings, settings)
