"""Rules: which technique a label's spans get."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_deid.core.kinds import Rule, Run, Technique
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.suppress import SUPPRESS, placeholder, suppress

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

OTHERS = "*"
"""Stands for every label without a rule of its own."""


@dataclass(frozen=True)
class PreparedRule:
    """A technique that is ready to travel; ``placeholder`` gives what it writes for a label, if that is constant."""

    technique: str
    apply: Technique
    placeholder: Callable[[str], str] | None = None


SUPPRESSION = PreparedRule(SUPPRESS, suppress, placeholder)


@dataclass(frozen=True)
class PreparedRules:
    """What becomes of spans, by label: what a decision is made by, on workers."""

    by_label: Mapping[str, PreparedRule]
    others: PreparedRule = SUPPRESSION

    def of(self, label: str) -> PreparedRule:
        """Return the rule of a label."""
        return self.by_label.get(label, self.others)


def prepare_rules(rules: Mapping[str, Rule], corpus: "Corpus", run: Run) -> PreparedRules:
    """Prepare every technique that rules name, once each; runs what actions these say that they run."""
    prepared: dict[str, PreparedRule] = {}
    by_label: dict[str, PreparedRule] = {}
    for label, rule in rules.items():
        name = f"{rule.technique} {rule.settings.model_dump_json()}"
        if name not in prepared:
            kind = TECHNIQUES.find(rule.technique)
            technique = kind.prepare(rule.settings, corpus, run)
            prepared[name] = PreparedRule(rule.technique, technique, kind.placeholder)
        by_label[label] = prepared[name]
    others = by_label.pop(OTHERS, SUPPRESSION)
    return PreparedRules(by_label, others)
