"""The guarantee ``erase``: the terms of a document that fit a record of the table fit k records."""

from types import MappingProxyType

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanView
from spark_deid.plausibility.k_safety.settings import ERASE, EraseSettings

ASSESSMENT = "k-shared-records"
_MEANING = MappingProxyType(
    {
        "linked": "{n} documents fit fewer than k records of the table",
        "kept": "{n} values of the table are published although they must be generalized",
        "foreign": "{n} edits write a value that is not above the original in the hierarchies",
    }
)


def _of(_: object, plan: PlanView) -> EraseSettings | None:
    settings: EraseSettings | None = plan.sections.get(ERASE)
    return settings


def _assess(settings: EraseSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Link all documents back to the table; four Spark jobs."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.plausibility.k_safety.spark.linking import link_to_records

    linked = link_to_records(settings, evidence.corpus)
    found = {name: linked.faults[name] for name in _MEANING}
    reasons = tuple(_MEANING[name].format(n=n) for name, n in found.items() if n)
    message = f"{linked.documents} documents linked with {linked.records} records"
    message += "".join(f", {name}={n}" for name, n in found.items() if n)
    message += f", documents {', '.join(linked.named)}" if linked.named else ""
    parameters = f"k={settings.k}, unit=records, terms={settings.terms}"
    return AssessmentResult(
        Assessment(ASSESSMENT, parameters, float(sum(found.values())), 0.0, not reasons, message), reasons
    )


def _describe(settings: EraseSettings) -> str:
    return (
        f"the terms that a document has in common with a record of the external table fit at least {settings.k} records"
    )


KIND = GuaranteeKind(assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of)
