"""The phases of a plan between reading and release: find, decide, look for what edits leave rare, rewrite."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import DetectorKind, Run
from spark_deid.core.span import GOLD
from spark_deid.detection.registry import DETECTORS
from spark_deid.plan.clock import Clock
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import OTHERS, PreparedRules, prepare_rules
from spark_deid.rewriting.spark.operators import (
    annotate,
    decide_edits,
    edits_of_decisions,
    rewrite_decided,
    spans_of_decisions,
)

REWRITE = "decide and rewrite"


def carry_out(settings: MethodSettings, corpus: Corpus, run: Run, clock: Clock) -> Corpus:
    """Return the corpus with decisions, and with the spans and edits that they hold.

    All finders, the decision and the rewriting are one pass over the documents. Where a detector looks at the whole
    corpus, what was found before is materialized for it, and the rewriting is a pass of its own. ``decisions`` are
    materialized; spans and edits are read from them.
    """
    rules = prepare_rules(settings.rules_by_label, corpus, run)
    finders = tuple(kind.make(section, run) for _, kind, section in detectors_of(settings) if kind.make is not None)
    for _, kind, section in detectors_of(settings):
        if kind.search is None:
            clock.say(kind.describe(section))
    corpus = replace(corpus, finders=finders)
    for name, kind, section in detectors_of(settings):
        if kind.search is not None:
            before = edited_before(settings, name)
            if corpus.finders:
                clock.start("find", "apply these detectors")
            corpus = _seen(corpus, kind, rules, before, run)
            clock.start(f"find {kind.legend}", kind.describe(section))
            corpus = kind.search(section, corpus, run, before)
    clock.start(REWRITE, describe_rules(settings))
    decided = rewrite_decided(corpus.annotated, rules, settings.edited, finders=corpus.finders)
    decisions = run.materialize("decisions", decided)
    spans, edits = spans_of_decisions(decisions), edits_of_decisions(decisions)
    return replace(corpus, decisions=decisions, spans=spans, edits=edits, finders=())


def _seen(corpus: Corpus, kind: DetectorKind, rules: PreparedRules, before: tuple[str, ...], run: Run) -> Corpus:
    """Apply the finders, if they are still to be applied, and let a search see the edits, if it needs them."""
    finders = corpus.finders
    if kind.sees == "edited":
        seen = decide_edits(corpus.annotated, rules, before, finders=finders)
    else:
        seen = annotate(corpus.annotated, finders) if finders else corpus.annotated
    return replace(corpus, annotated=run.materialize("annotated", seen) if finders else seen, finders=())


def detectors_of(settings: MethodSettings) -> Iterator[tuple[str, DetectorKind, Any]]:
    """Yield name, kind and settings of each detector, in the order in which they run."""
    return ((name, DETECTORS.find(name), section) for name, section in settings.sections.items())


def edited_before(settings: MethodSettings, name: str) -> tuple[str, ...]:
    """Return the detectors that are edited and run before the named one; gold is there from the start."""
    order = (GOLD, *settings.sections)
    return tuple(each for each in order[: order.index(name)] if each in settings.edited)


def describe_rules(settings: MethodSettings) -> str:
    """Say in one line what becomes of spans."""
    written = {
        label: TECHNIQUES.find(rule.technique).describe(rule.settings)
        for label, rule in settings.rules_by_label.items()
    }
    others = written.pop(OTHERS)
    own = "".join(f", of {label} {told}" for label, told in sorted(written.items()))
    return f"apply the detectors and rewrite: of every span of {', '.join(settings.edited)} {others}{own}"
