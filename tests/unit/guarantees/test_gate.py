"""What refuses a release: faults, assessments that are missing or not satisfied, demands that plans can't meet."""

from typing import Any

import pytest

from spark_deid.core.errors import GateRefused
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence, NoSettings
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.every_character import COVERAGE, KIND
from spark_deid.guarantees.gate import require
from spark_deid.plan.explain import check_guarantees
from spark_deid.plan.load import check_plan

HOLDS = Assessment("k-repeating", "k=4", 0.0, 0.0, True, "")
PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}


def coverage(faults: CoverageFaults, *, documents: int) -> AssessmentResult:
    """Assess coverage from what was counted; it looks at nothing else."""
    unseen: Any = None
    return KIND.assess(NoSettings(), GuaranteeEvidence(unseen, unseen, unseen, faults._asdict(), documents, subjects=0))


def test_faultless_corpus_passes() -> None:
    require(
        [coverage(CoverageFaults(documents=2), documents=2), AssessmentResult(HOLDS)],
        expected=[COVERAGE, "k-repeating"],
    )


@pytest.mark.parametrize("fault", [name for name in CoverageFaults._fields if name != "documents"])
def test_every_fault_refuses(fault: str) -> None:
    assessed = coverage(CoverageFaults(documents=2)._replace(**{fault: 1}), documents=2)
    with pytest.raises(GateRefused, match="nothing is released: 1 ") as caught:
        require([assessed], expected=[COVERAGE])
    assert caught.value.exit_code == 3


def test_empty_corpus_is_refused() -> None:
    assessed = coverage(CoverageFaults(), documents=0)
    with pytest.raises(GateRefused, match="there is no document"):
        require([assessed], expected=[COVERAGE])


def test_documents_that_were_not_checked_are_refused() -> None:
    assessed = coverage(CoverageFaults(documents=2), documents=3)
    with pytest.raises(GateRefused, match="3 documents were read, but 2 were checked"):
        require([assessed], expected=[COVERAGE])


@pytest.mark.parametrize("expected", [["k-repeating"], [COVERAGE, "k-repeating"]])
def test_missing_assessment_is_refused(expected: list[str]) -> None:
    with pytest.raises(GateRefused, match="no assessment of k-repeating"):
        require([coverage(CoverageFaults(documents=1), documents=1)], expected=expected)


def test_every_missing_assessment_is_named() -> None:
    with pytest.raises(
        GateRefused, match=r"no assessment of every-.*; no assessment of k-repeating; no .* of residual"
    ):
        require([], expected=["residual-risk", COVERAGE, "k-repeating"])


def test_violated_guarantee_is_refused_with_every_other_reason() -> None:
    violated = HOLDS._replace(value=3.0, satisfied=False)
    assessed = [coverage(CoverageFaults(documents=5, lost=2), documents=5), AssessmentResult(violated)]
    with pytest.raises(
        GateRefused, match=r"2 documents would be missing.*k-repeating \(k=4\) does not hold: 3 against 0"
    ):
        require(assessed, expected=[])


def test_an_assessment_that_no_one_expected_refuses_as_well() -> None:
    with pytest.raises(GateRefused, match=r"k-repeating \(k=4\) does not hold"):
        require([AssessmentResult(HOLDS._replace(satisfied=False))], expected=[])


def test_a_reason_refuses_whatever_the_assessment_states() -> None:
    with pytest.raises(GateRefused, match="nothing is released: the moon is full"):
        require([AssessmentResult(HOLDS, ("the moon is full",))], expected=["k-repeating"])


def test_coverage_as_an_assessment() -> None:
    assert coverage(CoverageFaults(documents=2), documents=2).assessment.satisfied
    violated = coverage(CoverageFaults(documents=2, uncovered=3), documents=2).assessment
    assert (violated.guarantee, violated.value, violated.satisfied) == (COVERAGE, 3.0, False)
    assert "uncovered=3" in violated.evidence


def test_coverage_of_documents_that_were_not_checked_is_not_satisfied() -> None:
    assert not coverage(CoverageFaults(documents=2), documents=3).assessment.satisfied
    assert not coverage(CoverageFaults(), documents=0).assessment.satisfied


def test_a_demand_that_a_plan_can_not_meet_refuses_before_anything_is_read() -> None:
    check_guarantees(check_plan(PLAN, "plan"))
    demanding = check_plan(PLAN | {"guarantees": {"residual_risk": {"loss_ratio": 3}}}, "plan")
    with pytest.raises(GateRefused, match=r"^nothing is released: residual-risk: .*the residual risk is unknown$"):
        check_guarantees(demanding)


def test_documents_that_no_one_read_are_refused() -> None:
    with pytest.raises(GateRefused, match="2 documents were read, but 3 were checked"):
        require([coverage(CoverageFaults(documents=3), documents=2)], expected=[COVERAGE])


def test_what_is_neither_satisfied_nor_violated_is_refused() -> None:
    unknown: Any = None
    with pytest.raises(GateRefused, match="k-repeating: expected satisfied to be True or False, got one of type None"):
        require([AssessmentResult(HOLDS._replace(satisfied=unknown))], expected=["k-repeating"])
