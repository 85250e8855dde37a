"""Guarantee that published texts show no more of a value than the plan's mode allows."""

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanView
from spark_deid.identity.guarantee import OTHERWISE, refuse_unlinked
from spark_deid.identity.modes import STATISTICAL
from spark_deid.identity.settings import IdentityKeys

ASSESSMENT = "shown-by-the-mode"


def _of(_: object, plan: PlanView) -> IdentityKeys | None:
    keys: IdentityKeys | None = plan.sections.get("identity")
    return keys if keys is not None and keys.identity.mode != STATISTICAL else None


def _assess(keys: IdentityKeys, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Read the published texts again. Two Spark jobs, three if metadata is published."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.identity.spark.telling_columns import count_forbidden, disclosing_columns

    shown, forbidden, otherwise = count_forbidden(keys, evidence)
    reasons = [*refuse_unlinked(keys, evidence), *disclosing_columns(keys.identity, evidence)]
    if forbidden:
        reasons.append(f"{forbidden} mentions show more than mode {keys.identity.mode} allows")
    if otherwise:
        reasons.append(OTHERWISE.format(n=otherwise))
    mode, entry = f"mode={keys.identity.mode}", f"shown={shown}, otherwise={otherwise}"
    total = float(forbidden + otherwise)
    return AssessmentResult(Assessment(ASSESSMENT, mode, total, 0.0, not reasons, entry), tuple(reasons))


def _describe(keys: IdentityKeys) -> str:
    return f"no mention shows more than mode {keys.identity.mode} allows"


KIND = GuaranteeKind(assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of)
