"""The guarantee behind ``neighbour``: no word of an annotation remains in its place."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanView
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings

if TYPE_CHECKING:
    from spark_deid.storage.parts import PartFile

ASSESSMENT = "pseudonymized-words"


def _assess(settings: NeighbourSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    # Start-up: tables of methods load this module, and few plans use it.
    from spark_deid.private_training.spark.recount import count_unchanged

    spark = evidence.corpus.documents.sparkSession
    words, unchanged = count_unchanged(spark, _parts(evidence))
    allowed = words if settings.include_self else 0
    held = unchanged <= allowed
    message = f"words {words}, unchanged {unchanged}"
    parameters = f"neighbours={settings.neighbours}, include_self={settings.include_self}"
    result = Assessment(ASSESSMENT, parameters, float(unchanged), float(allowed), held, message)
    reason = f"{unchanged} of {words} words of annotations are in the release at their former place"
    return AssessmentResult(result, () if held else (reason,))


def _parts(evidence: GuaranteeEvidence) -> "Sequence[PartFile]":
    return [parts["decisions"] for parts in evidence.corpus.decided]


def _of(given: object, plan: PlanView) -> NeighbourSettings | None:
    rules = plan.rules_by_label.values()
    return next((rule.settings for rule in rules if isinstance(rule.settings, NeighbourSettings)), None)


def _describe(settings: NeighbourSettings) -> str:
    return (
        "unchanged words of annotations are counted"
        if settings.include_self
        else "no word of an annotation is unchanged"
    )


KIND: GuaranteeKind[NeighbourSettings] = GuaranteeKind(
    assessment=ASSESSMENT, describe=_describe, assess=_assess, of=_of
)
