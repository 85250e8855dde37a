"""That every run of text that a release shows is shared by k: recounted by hashes, for plans that hide rare text."""

from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanView
from spark_deid.repeats.detector import NAME, RepeatsSettings, plural
from spark_deid.repeats.settings import CountedText

ASSESSMENT = "k-repeating-runs"


def _of(_: object, plan: PlanView) -> RepeatsSettings | None:
    settings: RepeatsSettings | None = plan.sections.get(NAME)
    return settings if NAME in plan.edited else None


def _assess(settings: RepeatsSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Count every published run again; two Spark jobs or three."""
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.repeats.spark.recount import RepeatClaim, recount

    rarity = settings.rarity(evidence.subjects)
    claim = RepeatClaim(rarity.k, rarity.unit, rarity.counted, evidence.plan.placeholders)
    return AssessmentResult(recount(evidence.compared, claim, paths=evidence.paths), counts_by=claim.unit)


def _describe(settings: RepeatsSettings) -> str:
    return f"every published run of text occurs for at least {settings.k} {plural(settings.unit)}"


def _again(settings: RepeatsSettings) -> str:
    texts = "--published" if settings.strict == CountedText.PUBLISHED else "--workspace {workspace}"
    return f"assess --release {{release}} {texts} --k {settings.k} --unit {{unit}}"


KIND = GuaranteeKind(assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of, again=_again)
