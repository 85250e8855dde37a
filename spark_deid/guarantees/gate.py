"""The fail-closed check before a release: whatever is not shown to hold, refuses."""

from collections.abc import Collection, Iterable

from spark_deid.core.errors import GateRefused
from spark_deid.core.kinds import AssessmentResult


def require(assessed: Iterable[AssessmentResult], *, expected: Collection[str]) -> None:
    """Let a release pass, or refuse it with every reason at once.

    ``expected`` names the assessments that a plan needs: each must be there and satisfied, and so must every other.
    Raises GateRefused.
    """
    given = tuple(assessed)
    missing = sorted(set(expected) - {each.assessment.guarantee for each in given})
    reasons = [f"no assessment of {guarantee}" for guarantee in missing]
    for each in given:
        assessment, known = each.assessment, each.reasons
        satisfied: object = assessment.satisfied  # of another package it may be anything
        if not isinstance(satisfied, bool):
            kind = type(satisfied).__name__
            reasons.append(f"{assessment.guarantee}: expected satisfied to be True or False, got one of type {kind}")
        elif not satisfied or known:
            does_not_hold = f"{assessment.guarantee} ({assessment.parameters}) does not hold"
            reasons += known or (f"{does_not_hold}: {assessment.value:g} against {assessment.threshold:g}",)
    if reasons:
        raise GateRefused("nothing is released: " + "; ".join(reasons))
