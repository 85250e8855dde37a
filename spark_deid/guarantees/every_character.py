"""That every marked character is edited, and nothing else is: the guarantee of every release."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import (
    AssessmentResult,
    DocumentCheck,
    DocumentEvidence,
    GuaranteeEvidence,
    GuaranteeKind,
    NoSettings,
    PlanView,
)

COVERAGE = "every-marked-character-edited"
_DOCUMENTS = "documents"
_MEANING = MappingProxyType(
    {
        "uncovered": "{n} characters of spans to be edited are outside every edit",
        "overlapping": "{n} edits overlap, are empty or exceed their text",
        "unchanged": "{n} edits insert the original text",
        "unexpected": "{n} edits differ from the rules for the labels of their spans",
        "telling": "{n} edits contain the original text",
        "overreaching": "{n} placeholders join lines or fields of a line",
        "altered": "{n} documents differ from the original outside their edits",
        "lost": "{n} documents would be missing from the release",
        "foreign": "{n} documents of the release are not in the corpus",
        "forgotten": "{n} spans that were read or found are missing from the decisions",
        "broken": "{n} parts in JSON, HL7 or CSV no longer parse (broken-syntax)",
    }
)


def _assess(_: NoSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Write what was counted as an assessment; documents that were read and not checked are faults as well."""
    checked = evidence.faults[_DOCUMENTS]
    reasons = _reasons(evidence.faults)
    if evidence.documents == 0:
        reasons.append("there is no document")
    if checked != evidence.documents:
        reasons.append(f"{evidence.documents} documents were read, but {checked} were checked")
    if evidence.rejects != evidence.listed_rejects:
        reasons.append(f"{evidence.rejects} records were rejected, but {evidence.listed_rejects} are listed")
    return _result(evidence.faults, reasons)


def _alone(_: NoSettings, plan: PlanView) -> DocumentCheck:
    return _assess_document


def _assess_document(evidence: DocumentEvidence) -> AssessmentResult:
    return _result(evidence.faults, _reasons(evidence.faults))


def _reasons(faults: Mapping[str, int]) -> list[str]:
    return [_MEANING[name].format(n=n) for name, n in faults.items() if n and name != _DOCUMENTS]


def _result(faults: Mapping[str, int], reasons: Sequence[str]) -> AssessmentResult:
    found = {name: n for name, n in faults.items() if name != _DOCUMENTS}
    message = ", ".join(f"{name}={n}" for name, n in found.items())
    documents, total = f"documents={faults[_DOCUMENTS]}", float(sum(found.values()))
    return AssessmentResult(Assessment(COVERAGE, documents, total, 0.0, not reasons, message), tuple(reasons))


def _of(_: object, plan: PlanView) -> NoSettings:
    return NoSettings()


def _describe(_: NoSettings) -> str:
    return "every character of the spans to be edited is replaced, and no other character is"


KIND = GuaranteeKind(assessment=COVERAGE, describe=_describe, assess=_assess, of=_of, alone=_alone)
