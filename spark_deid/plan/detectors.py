"""What a plan's detectors and rules are, in the order in which they work, and in words."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from spark_deid.core.error_wording import likely_word
from spark_deid.core.kinds import DetectorKind, LabelRule, MethodContext
from spark_deid.core.span import GOLD, Finder
from spark_deid.detection.registry import DETECTORS, own_spans
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.rewriting.document_finders import DocumentFinders
from spark_deid.rewriting.keep import labels_that_stay
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import OTHERS
from spark_deid.rewriting.spared_terms import settle_terms, unspared_labels
from spark_deid.text.terms.sparing import spared_spans


def detectors_of(settings: MethodSettings) -> Iterator[tuple[str, DetectorKind[Any], Any]]:
    """Yield name, kind and settings of each detector, in the order in which they run."""
    return ((name, DETECTORS.find(name), section) for name, section in settings.sections.items())


def finders_of(
    settings: MethodSettings, run: MethodContext, names: Collection[str] | None = None
) -> tuple[Finder, ...]:
    """Make the finders of a plan, or those of the detectors that are named.

    All of a plan's are one where it spares terms: what others find beside a term is looked at then.
    """
    finders = tuple(
        partial(own_spans, name=name, find=kind.make(section, run))
        for name, kind, section in detectors_of(settings)
        if kind.make is not None and (names is None or name in names)
    )
    if settings.allow is None or names is not None:
        return finders
    unspared = unspared_labels(settings)
    is_unspared = None if unspared is None else unspared.has
    return (partial(spared_spans, finders=finders, lists=settings.allow.prepared(), is_unspared=is_unspared),)


def document_finders_of(settings: MethodSettings, run: MethodContext) -> DocumentFinders:
    """Return everything of a plan that finds spans in one document: its finders, and the functions that add to them."""
    extenders = tuple(
        kind.extend(section, run, edited_before(settings, name))
        for name, kind, section in detectors_of(settings)
        if kind.extend is not None
    )
    settle = None
    if settings.allow is not None and unspared_labels(settings) is not None:
        settle = partial(settle_terms, detectors=frozenset(settings.edited), kept=labels_that_stay(settings))
    return DocumentFinders(finders_of(settings, run), settings.language_column, extenders, settle)


def named_labels(settings: MethodSettings) -> frozenset[str]:
    """Return the labels that a plan, its models or its detectors name; built-in detectors do, whatever is asked."""
    found = set(settings.rules_by_label)
    for _, kind, section in detectors_of(settings):
        found.update(kind.seeks(section).labels, kind.techniques, kind.names(section))
    for _, kind in DETECTORS.built_in_items():
        found.update(kind.knows(), kind.techniques)
    for model in settings.models:
        found.update(model.labels)
    if isinstance(settings, PlanSettings):
        found.update(settings.labels.values())
    return frozenset(found)


def unwritten_rules(settings: MethodSettings) -> dict[str, str | None]:
    """Return labels that the plan's own rules name and no detector of it writes, each with the like label of one.

    Where a detector doesn't tell its labels, nothing is known.
    """
    written = {label for model in settings.models for label in model.labels}
    for _, kind, section in detectors_of(settings):
        labels = (*kind.seeks(section).labels, *kind.names(section))
        if not labels and kind.extend is not None:  # It writes the labels of the spans that it gets.
            continue
        if not labels:
            return {}
        written.update(labels)
    return {label: likely_word(label, sorted(written)) for label in settings.rules if label not in written | {OTHERS}}


def plan_rows(settings: MethodSettings) -> Iterator[tuple[str, str]]:
    """Yield the detectors, rules and guarantees of a plan as rows of a table, without paths and terms."""
    for name, kind, section in detectors_of(settings):
        scope = kind.seeks(section)
        labels = ", ".join((*scope.labels, *scope.also)) or kind.legend
        yield name, labels if name in settings.edited else f"{labels} (found but not edited)"
    if GOLD in settings.edited:
        yield GOLD, "annotations of the input"
    rules = settings.rules_by_label
    yield "rules", ", ".join(f"{label}: {rules[label].technique}" for label in (*sorted({*rules} - {OTHERS}), OTHERS))
    yield "must hold", ", ".join(GUARANTEES.find(name).assessment for name in settings.demands)


def edited_before(settings: MethodSettings, name: str) -> tuple[str, ...]:
    """Return the detectors that are edited and run before the named one; gold is there from the start."""
    order = (GOLD, *settings.sections)
    return tuple(each for each in order[: order.index(name)] if each in settings.edited)


def describe_rewriting(settings: MethodSettings) -> str:
    """Return the step that replaces spans, in one line."""
    return f"replace the spans of {', '.join(settings.edited)}"


def rule_lines(settings: MethodSettings) -> list[str]:
    """Return the replacement of each group of labels with equal rules, one line per group."""
    written = {label: _written(label, rule, settings) for label, rule in settings.rules_by_label.items()}
    others = written.pop(OTHERS)
    equal: dict[str, list[str]] = {}
    for label, entry in sorted(written.items()):
        if entry != others:
            equal.setdefault(entry, []).append(label)
    own = [f"{', '.join(labels)}: {entry}" for entry, labels in equal.items()]
    return [*own, f"{'every other label' if own else 'every label'}: {others}"]


def _written(label: str, rule: LabelRule, settings: MethodSettings) -> str:
    kind = TECHNIQUES.find(rule.technique)
    return kind.describe(rule.settings) if kind.written is None else kind.written(label, rule.settings, settings)
