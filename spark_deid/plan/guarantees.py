"""The guarantees that a plan demands of residual risk, and the certificate behind them."""

from spark_deid.core.errors import GateRefused
from spark_deid.core.guarantee import Assessment
from spark_deid.greedy.certificate import Certificate, certify, refusals
from spark_deid.greedy.config import NO_PATTERNS
from spark_deid.greedy.files import model_record, read_training_report
from spark_deid.plan.config import PlanSettings, ResidualRiskSettings
from spark_deid.plan.detectors import pattern_detector

RESIDUAL_RISK = "residual-risk"


def certificate_of(settings: PlanSettings) -> Certificate | None:
    """Return the certificate of the plan's model, None for a plan whose model is not edited.

    Raises ModelError where the model can't be read.
    """
    if settings.model is None or "model" not in settings.sources:
        return None
    record = model_record(settings.model)
    patterns = pattern_detector(settings) if "patterns" in settings.sources else NO_PATTERNS
    same = patterns == record.patterns and set(settings.sources) <= {"model", "patterns"}
    placeholders = set(settings.placeholders) <= set(record.placeholders)
    return certify(
        read_training_report(settings.model),
        simulated=same and placeholders,
        decoded_alike=settings.decoding == record.decoding,
    )


def check_guarantees(settings: PlanSettings) -> None:
    """Refuse a plan whose demands its model's training does not meet, before anything is read.

    Raises GateRefused with every reason.
    """
    reasons = _refusals(settings)
    if reasons:
        raise GateRefused(f"nothing is released: {RESIDUAL_RISK}: " + "; ".join(reasons))


def assessments_of(settings: PlanSettings) -> tuple[Assessment, ...]:
    """Return the assessment of residual risk, where the plan demands one."""
    demand, certificate = settings.guarantees.residual_risk, certificate_of(settings)
    if demand is None or certificate is None:
        return ()
    reasons = _refusals(settings)
    counted = {name: getattr(certificate, name) for name in ("sensitive", "residual", "identified")}
    parameters = ", ".join(f"{name}={value:g}" for name, value in demand.model_dump().items() if value is not None)
    return (
        Assessment(
            guarantee=RESIDUAL_RISK,
            parameters=parameters,
            value=certificate.identified_ratio,
            threshold=1.0 if demand.max_identified is None else demand.max_identified,
            satisfied=not reasons,
            evidence="; ".join(reasons) or ", ".join(f"{name}={value}" for name, value in counted.items()),
        ),
    )


def expected_guarantees(settings: PlanSettings) -> tuple[str, ...]:
    """Name the guarantees that the gate must find assessed."""
    return (RESIDUAL_RISK,) if settings.guarantees.residual_risk else ()


def _refusals(settings: PlanSettings) -> tuple[str, ...]:
    demand: ResidualRiskSettings | None = settings.guarantees.residual_risk
    if demand is None:
        return ()
    certificate = certificate_of(settings)
    if certificate is None:
        return ("the plan edits no model's spans, so nothing is known of what is left",)
    return refusals(certificate, **demand.model_dump())
