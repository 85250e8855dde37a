"""What of a plan tells how its decisions are looked at: those of a corpus, and of one document."""

from collections.abc import Mapping

from spark_deid.core.kinds import LabelRule
from spark_deid.core.span import GOLD
from spark_deid.guarantees.checking import CheckSettings, allowed_texts
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import KEEP, OTHERS
from spark_deid.rewriting.spared_terms import unspared_labels
from spark_deid.rewriting.suppress import SUPPRESS


def checking_of(settings: MethodSettings, *, scored: bool) -> CheckSettings:
    """Return how decisions of a plan are looked at; scores need annotations that are not edited."""
    names = {rule.technique for rule in settings.rules_by_label.values()} | {SUPPRESS}
    written = {name: TECHNIQUES.find(name).placeholder for name in names}
    placeholders = {name: placeholder for name, placeholder in written.items() if placeholder is not None}
    recounted = tuple(name for name in names if not settings.demands.keys().isdisjoint(_guarantees_of(name)))
    is_scored = scored and GOLD in settings.exempt
    lists = () if settings.allow is None else ((each.terms, each.match_case) for each in settings.allow.lists)
    allowed = allowed_texts(lists)
    if (unspared := unspared_labels(settings)) is not None:
        allowed = allowed._replace(dated=unspared.labels, rule_labels=unspared.rule_labels)
    staying = frozenset(label for label, rule in settings.rules_by_label.items() if rule.technique == KEEP)
    listed, parses = settings.placeholders, settings.reads_segments
    return CheckSettings(settings.exempt, placeholders, is_scored, listed, recounted, allowed, staying, parses)


def _guarantees_of(technique: str) -> tuple[str, ...]:
    return TECHNIQUES.find(technique).recounted_by


def add_foreign_techniques(
    faults: CoverageFaults, settings: MethodSettings, edits: Mapping[str, Mapping[str, int]]
) -> CoverageFaults:
    """Add the edits whose technique is neither suppression nor that of the rule of their label."""
    rules = settings.rules_by_label
    foreign = sum(
        number
        for technique, labels in edits.items()
        for label, number in labels.items()
        if is_foreign(technique, label, rules)
    )
    return faults._replace(unexpected=faults.unexpected + foreign)


def is_foreign(technique: str, label: str, rules: Mapping[str, LabelRule]) -> bool:
    """Tell whether an edit's technique is neither suppression nor that of the rule of its label."""
    return technique not in (SUPPRESS, rules.get(label, rules[OTHERS]).technique)
