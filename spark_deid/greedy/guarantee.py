"""The guarantee that a plan may demand of residual risk, and the certificate behind it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import Field

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import (
    AssessmentResult,
    DocumentCheck,
    GuaranteeEvidence,
    GuaranteeKind,
    PlanSection,
    PlanView,
)
from spark_deid.greedy.certificate import certify, refusals
from spark_deid.greedy.config import NO_PATTERNS
from spark_deid.greedy.detector import ModelSettings
from spark_deid.greedy.files import bound_report, model_record
from spark_deid.greedy.report import has_counts
from spark_deid.rewriting.suppress import SUPPRESS
from spark_deid.text.patterns.detector_kind import PatternsSettings

if TYPE_CHECKING:
    from spark_deid.greedy.certificate import RiskCertificate

RESIDUAL_RISK = "residual-risk"
_MODEL, _PATTERNS, _NAMES = "model", "patterns", "names"


class ResidualRiskSettings(PlanSection):
    """Demands of a plan on its model's training, as fractions of the identifier tokens of the labelled text.

    ``loss_ratio`` is the least L/C that training weighed, ``max_identified`` the largest share that the attacker's
    simulated attacker may identify, ``max_residual`` the largest fraction that may remain.
    """

    loss_ratio: float = Field(gt=0)
    max_identified: float | None = Field(default=None, ge=0, le=1)
    max_residual: float | None = Field(default=None, ge=0, le=1)

    @property
    def in_words(self) -> dict[str, float]:
        """Return what is demanded, by name."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


def certificate_of(plan: PlanView) -> "RiskCertificate | None":
    """Return the certificate of the plan's model.

    None if the model is not edited, its training has no counts, or the plan chooses among several models. Training
    counted only one of them.

    Raises ModelError where the model can't be read.
    """
    model: ModelSettings | None = plan.sections.get(_MODEL)
    if model is None or model.folder is None or _MODEL not in plan.edited:
        return None
    record, training = model_record(model.folder), bound_report(model.folder)
    if training is None or not has_counts(training):
        return None
    patterns: PatternsSettings | None = plan.sections.get(_PATTERNS) if _PATTERNS in plan.edited else None
    same = (patterns.detector() if patterns else NO_PATTERNS) == record.patterns
    single = set(plan.edited) - {_NAMES} <= {_MODEL, _PATTERNS} and not _propagates(plan)
    placeholders = set(plan.placeholders) <= set(record.placeholders)
    suppressed = all(rule.technique == SUPPRESS for rule in plan.rules_by_label.values())
    return certify(
        training,
        simulated=same and single and placeholders and suppressed,
        decoded_alike=model.decoding == record.decoding and model.loss_ratio in (None, record.loss_ratio),
    )


def _refusals(demand: ResidualRiskSettings, plan: PlanView) -> tuple[str, ...]:
    if plan.allow is not None:
        return ("the plan has allow, which training did not have",)
    if getattr(plan.sections.get(_MODEL), "target", None) is not None:
        return ("the plan's target changes the threshold of the model, which training did not",)
    if _propagates(plan):
        return ("names.propagate hides further words, and training did not: set names.propagate to false",)
    certificate = certificate_of(plan)
    if certificate is None:
        return (f"{_why_none(plan)}, so the residual risk is unknown",)
    return refusals(certificate, **demand.model_dump())


def _propagates(plan: PlanView) -> bool:
    """Return whether the plan hides words of removed names at other places, which no training simulates."""
    return _NAMES in plan.edited and bool(getattr(plan.sections.get(_NAMES), "propagate", False))


def _why_none(plan: PlanView) -> str:
    model: ModelSettings | None = plan.sections.get(_MODEL)
    if model is None or _MODEL not in plan.edited:
        return "the plan edits no spans of a model"
    if model.folder is None:
        return "the plan chooses a model by language, which no training did"
    if bound_report(model.folder) is None:
        return "the plan's model was trained by an older version, without a hash over the counts. Train it again"
    return "the training of the plan's model has no counts"


def _of(given: ResidualRiskSettings | None, plan: PlanView) -> ResidualRiskSettings | None:
    return given


def _assess(demand: ResidualRiskSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    return _result(demand, evidence.plan)


def _alone(demand: ResidualRiskSettings, plan: PlanView) -> DocumentCheck:
    """Read the certificate once, because it belongs to the model and not to a document."""
    result = _result(demand, plan)
    return lambda _: result


def _result(demand: ResidualRiskSettings, plan: PlanView) -> AssessmentResult:
    reasons, certificate = _refusals(demand, plan), certificate_of(plan)
    identified = certificate.identified_ratio if certificate else 1.0
    names = ("sensitive", "residual", "identified") if certificate else ()
    counted = ", ".join(f"{name}={getattr(certificate, name)}" for name in names)
    return AssessmentResult(
        Assessment(
            guarantee=RESIDUAL_RISK,
            parameters=", ".join(f"{name}={value:g}" for name, value in demand.in_words.items()),
            value=identified,
            threshold=1.0 if demand.max_identified is None else demand.max_identified,
            satisfied=not reasons,
            evidence="; ".join(reasons) or counted,
        )
    )


def _describe(demand: ResidualRiskSettings) -> str:
    demanded = ", ".join(f"{name} {value:g}" for name, value in demand.in_words.items())
    return f"before reading, the training report of the model shows a residual risk within the limits ({demanded})"


def _tell(plan: PlanView) -> Mapping[str, object]:
    certificate = certificate_of(plan)
    return certificate.to_json() if certificate else {}


KIND = GuaranteeKind(
    assessment=RESIDUAL_RISK,
    describe=_describe,
    assess=_assess,
    of=_of,
    settings=ResidualRiskSettings,
    before=_refusals,
    alone=_alone,
    tell=_tell,
)
