"""The guarantee ``t_plausible``: generalized segments have t possible originals, and no other word reveals which."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import (
    AssessmentResult,
    DocumentCheck,
    DocumentEvidence,
    GuaranteeEvidence,
    GuaranteeKind,
    PlanView,
)
from spark_deid.ontology.ontology import BUILT_IN, digest_of
from spark_deid.plausibility.text.settings import LEAST_DOCUMENTS, GeneralizeRules, rules_of

if TYPE_CHECKING:
    from spark_deid.plausibility.recount.cut import PlausibilityCounts

ASSESSMENT = "t-plausible"
_MEANING = MappingProxyType(
    {
        "kept": "{n} published words reveal a generalized term",
        "same": "{n} replacements are synonyms or forms of the original",
        "narrow": "{n} replacements are not above the original in the ontology",
        "unknown": "{n} replacements are not in the ontology",
        "foreign": "{n} edits replace text that is not a term, or a term that was neither found nor reveals one",
        "split": "{n} concepts have several generalizations in one document or in the documents of one person",
        "short": "{n} segments have fewer than t possible originals",
        "part": "{n} replacements differ from the partition",
        "case": "{n} replacements are lowercase in an uppercase line",
    }
)


def _of(_: object, plan: PlanView) -> GeneralizeRules | None:
    rules = rules_of(plan.rules_by_label)
    return rules if rules.by_label else None


def _assess(rules: GeneralizeRules, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Count all documents again, those of a person together; two Spark jobs at most."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.plausibility.spark.recount import recount

    return _result(rules, *recount(evidence.corpus, rules, evidence.plan.exempt))


def _alone(rules: GeneralizeRules, plan: PlanView) -> DocumentCheck:
    return partial(_assess_document, rules=rules)


def _assess_document(evidence: DocumentEvidence, *, rules: GeneralizeRules) -> AssessmentResult:
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.plausibility.recount.document import recount_document

    marked = {(span.start, span.end) for span in evidence.spans}
    counted = recount_document(evidence.text, marked, tuple(evidence.edits), rules)
    return _result(rules, counted, with_terms=int(counted.terms > 0))


def _result(
    rules: GeneralizeRules,
    counted: "PlausibilityCounts",
    documents: tuple[str, ...] = (),
    with_terms: int = 0,
    by_person: bool = False,
) -> AssessmentResult:
    found = {name: counted.faults[name] for name in _MEANING}
    reasons = tuple(_MEANING[name].format(n=n) for name, n in found.items() if n)
    named = f", documents {', '.join(documents)}" if documents else ""
    message = f"{counted.terms} terms in {counted.segments} segments"
    if with_terms < LEAST_DOCUMENTS:  # counts of a few documents may reveal their terms
        message = f"terms in fewer than {LEAST_DOCUMENTS} documents" if with_terms else "no terms"
    message += ", by person" if by_person else ""
    message += "".join(f", {name}={n}" for name, n in found.items() if n) + named
    total = float(sum(found.values()))
    return AssessmentResult(Assessment(ASSESSMENT, _parameters(rules), total, 0.0, not reasons, message), reasons)


def _parameters(rules: GeneralizeRules) -> str:
    each = (f"{label}: t={settings.t} per {settings.segment}" for label, settings in sorted(rules.by_label.items()))
    return ", ".join(each)


def _describe(rules: GeneralizeRules) -> str:
    return (
        f"every generalized text has at least t possible originals ({_parameters(rules)}), and no other word "
        "reveals which"
    )


def _tell(plan: PlanView) -> Mapping[str, object]:
    """Name the ontologies that come with the package with their hashes, and list the hashes of a user's own."""
    rules = rules_of(plan.rules_by_label)
    if not rules.by_label:
        return {}
    names = {name: digest_of(name) for name in rules.ontologies if name in BUILT_IN}
    own = [digest_of(name) for name in rules.ontologies if name not in BUILT_IN]
    return {"ontologies": names} | ({"sealed": own} if own else {})


KIND = GuaranteeKind(assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of, tell=_tell, alone=_alone)
