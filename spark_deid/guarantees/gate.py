"""The fail-closed check before a release: whatever is not shown to hold, refuses."""

from collections.abc import Collection, Iterable

from spark_deid.core.errors import GateRefused
from spark_deid.core.guarantee import Assessment
from spark_deid.guarantees.coverage import Faults

COVERAGE = "every-marked-character-edited"
_MEANING = {
    "uncovered": "{n} characters of spans to be edited lie outside every edit",
    "overlapping": "{n} edits overlap, are empty or leave their text",
    "unchanged": "{n} edits put back what they replace",
    "altered": "{n} documents differ from the original elsewhere than at their edits",
    "lost": "{n} documents would not be published",
    "foreign": "{n} documents to be published are not in the corpus",
}


def require(
    faults: Faults, *, documents: int, assessments: Iterable[Assessment] = (), expected: Collection[str] = ()
) -> None:
    """Let a release pass, or refuse it with every reason at once.

    ``documents`` is how many were read, ``expected`` names the guarantees of the plan: each needs an assessment that
    is satisfied, and so does every other assessment. Raises GateRefused.
    """
    reasons = [*_reasons_of_faults(faults, documents), *_reasons_of_assessments(tuple(assessments), expected)]
    if reasons:
        raise GateRefused("nothing is released: " + "; ".join(reasons))


def require_assessments(assessments: Iterable[Assessment], *, expected: Collection[str]) -> None:
    """Let a release pass that rests on assessments alone, or refuse it with every reason; raises GateRefused."""
    reasons = _reasons_of_assessments(tuple(assessments), expected)
    if reasons:
        raise GateRefused("nothing is released: " + "; ".join(reasons))


def coverage_assessment(faults: Faults) -> Assessment:
    """Write what the gate counted as a row of the assessments table."""
    found = {name: n for name, n in faults._asdict().items() if name != "documents"}
    evidence = ", ".join(f"{name}={n}" for name, n in found.items())
    total = float(sum(found.values()))
    return Assessment(COVERAGE, f"documents={faults.documents}", total, 0.0, total == 0.0, evidence)


def _reasons_of_faults(faults: Faults, documents: int) -> list[str]:
    reasons = [_MEANING[name].format(n=n) for name, n in faults._asdict().items() if name != "documents" and n]
    if documents == 0:
        reasons.append("there is no document")
    if faults.documents != documents:
        reasons.append(f"{documents} documents were read, but {faults.documents} checked")
    return reasons


def _reasons_of_assessments(assessments: tuple[Assessment, ...], expected: Collection[str]) -> list[str]:
    missing = sorted(set(expected) - {assessment.guarantee for assessment in assessments})
    reasons = [f"no assessment of {guarantee}" for guarantee in missing]
    for each in assessments:
        if each.satisfied is not True:
            reasons.append(
                f"{each.guarantee} ({each.parameters}) does not hold: {each.value:g} against {each.threshold:g}"
            )
    return reasons
