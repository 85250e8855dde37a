"""Keeping: a sensitive attribute of an identifier view may stay in the texts, where what is shown of it is counted.

What stays gives way to everything: text that a span of another label marks as well is edited by that label's rule.
"""

from typing import TYPE_CHECKING

from spark_deid.core.kinds import MethodContext, NoSettings, PlanView, Technique, TechniqueKind
from spark_deid.rewriting.rules import KEEP, leave_all

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

_EXPECTED = "keep works only on labels of attributes in identity.roles.sensitive. Expected such a label"


def labels_that_stay(plan: PlanView) -> frozenset[str]:
    """Return the labels whose text a plan leaves in the texts."""
    return frozenset(label for label, rule in plan.rules_by_label.items() if rule.technique == KEEP)


def _describe(_: NoSettings) -> str:
    return "the unchanged text, unless another span also covers it"


def _prepare(_: NoSettings, corpus: "Corpus", run: MethodContext) -> Technique:
    return leave_all


def _refuse(label: str, _: NoSettings, plan: PlanView) -> str | None:
    keys = plan.sections.get("identity")
    if keys is None:
        return f"{_EXPECTED}. The plan has no identity"
    attribute = keys.identity.attributes.get(label)
    return None if attribute is not None and keys.identity.roles.of(attribute) == "sensitive" else _EXPECTED


KIND = TechniqueKind(describe=_describe, prepare=_prepare, refuse=_refuse)
