"""Rules: which technique a label's spans get."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import (
    Gatherer,
    LabelRule,
    MergeableCorpusPass,
    MethodContext,
    Reader,
    Technique,
    TechniqueKind,
)
from spark_deid.core.span import Span
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.suppress import SUPPRESS, placeholder, suppress

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

OTHERS = "*"
"""Stands for every label without a rule of its own."""

_REPEATS = "repeats"

KEEP = "keep"
"""The technique that leaves what it marks as it stands; its spans give way to all others."""


@dataclass(frozen=True)
class PreparedRule:
    """A technique that is ready to travel; ``placeholder`` gives what it writes for a label, if that is constant.

    Where there is a ``read``, what it returns is applied in place of ``apply``. What is not ``recounted`` by a
    guarantee of its own is looked at by itself: whether it tells what stood there. A rule that ``reads_unmarked`` text
    is applied to every document.
    """

    technique: str
    apply: Technique
    placeholder: Callable[[str], str] | None = None
    read: Reader | None = None
    reasons: tuple[str, ...] = ()
    recounted: bool = False
    reads_unmarked: bool = False


SUPPRESSION = PreparedRule(SUPPRESS, suppress, placeholder)


@dataclass(frozen=True)
class PreparedRules:
    """What becomes of spans, by label: what a decision is made by, on workers.

    ``listed`` are words of the input that stand for what was removed before: these may be put back. If they are
    ``neutral``, characters next to placeholders get a form that does not show how the hidden text is spelled. If they
    keep syntax, JSON, HL7 and CSV parse after the edits.
    """

    by_label: Mapping[str, PreparedRule]
    others: PreparedRule = SUPPRESSION
    listed: frozenset[str] = frozenset()
    neutral: bool = False
    keeps_syntax: bool = True

    @cached_property
    def reading_unmarked(self) -> tuple[PreparedRule, ...]:
        """Return the rules that read every document."""
        rules = {id(rule): rule for rule in (*self.by_label.values(), self.others) if rule.reads_unmarked}
        return tuple(rules.values())

    def of(self, label: str) -> PreparedRule:
        """Return the rule of a label."""
        return self.by_label.get(label, self.others)

    def to_edit(self, spans: Iterable[Span]) -> tuple[Span, ...]:
        """Return the spans whose text does not stay."""
        given = tuple(spans)
        staying = {label for label in {span[2] for span in given} if self.of(label).technique == KEEP}
        return tuple(span for span in given if span[2] not in staying) if staying else given


def prepare_rules(rules: Mapping[str, LabelRule], corpus: "Corpus | None", run: MethodContext) -> PreparedRules:
    """Prepare every technique that rules name, once each; runs what actions these say that they run.

    Rules of a technique that reads documents are prepared together. Without a corpus, which a string is none of,
    techniques must be such as see a document alone.
    """
    prepared: dict[str, PreparedRule] = {}
    by_label: dict[str, PreparedRule] = {}
    for label, rule in rules.items():
        kind = TECHNIQUES.find(rule.technique)
        name = rule.technique if kind.read else f"{rule.technique} {rule.settings.model_dump_json()}"
        if name not in prepared:
            prepared[name] = _prepared(rule, kind, rules, corpus, run)
        by_label[label] = prepared[name]
    others = by_label.pop(OTHERS, SUPPRESSION)
    if not run:
        return PreparedRules(by_label, others)
    # Repeats count text that remains, and its runs have a least length: an edit more would cut a run.
    listed, neutral = frozenset(run.plan.placeholders), _REPEATS not in run.plan.edited
    return PreparedRules(by_label, others, listed, neutral=neutral, keeps_syntax=run.plan.reads_segments)


def gatherers_of(rules: Mapping[str, LabelRule], run: MethodContext) -> tuple[Gatherer, ...]:
    """Return what looks at the whole corpus for techniques before anything is replaced; once for several if it can."""
    found: list[Gatherer] = []
    for name in dict.fromkeys(rule.technique for rule in rules.values()):
        kind = TECHNIQUES.find(name)
        if kind.gather is None or (gather := kind.gather(_settings_of(name, rules), run)) is None:
            continue
        joined = {place: both for place, each in enumerate(found) if (both := _joined(each, gather)) is not None}
        if joined:
            place = next(iter(joined))
            found[place] = joined[place]
        else:
            found.append(gather)
    return tuple(found)


def _joined(one: Gatherer, other: Gatherer) -> Gatherer | None:
    return one.joined(other) if isinstance(one, MergeableCorpusPass) else None


def _settings_of(technique: str, rules: Mapping[str, LabelRule]) -> dict[str, Any]:
    return {label: rule.settings for label, rule in rules.items() if rule.technique == technique}


def _prepared(
    rule: LabelRule,
    kind: TechniqueKind[Any],
    rules: Mapping[str, LabelRule],
    corpus: "Corpus | None",
    run: MethodContext,
) -> PreparedRule:
    name, prepare, read = rule.technique, kind.prepare, kind.read
    corpus = cast("Corpus", corpus)  # where there is none, kinds promise to look at nothing of it
    if read is not None:
        settings = _settings_of(name, rules)
        read_with, reads_all = read(settings, corpus, run), kind.reads_unmarked(settings, run.plan)
        counted = bool(kind.recounted_by)
        return PreparedRule(name, leave_all, kind.placeholder, read_with, kind.reasons, counted, reads_all)
    if prepare is None:
        raise UsageError(f"technique {name}: expected prepare or read, found neither")
    apply = prepare(rule.settings, corpus, run)
    return PreparedRule(name, apply, kind.placeholder, reasons=kind.reasons, recounted=bool(kind.recounted_by))


def leave_all(document: Document, spans: Sequence[Span]) -> None:
    """Replace nothing: all is suppressed."""
