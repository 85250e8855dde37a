import pytest

from spark_deid.core.errors import GateRefused
from spark_deid.core.guarantee import Assessment
from spark_deid.guarantees.coverage import Faults
from spark_deid.guarantees.gate import COVERAGE, coverage_assessment, require

HOLDS = Assessment("k-repeating", "k=4", 0.0, 0.0, True, "")


def test_faultless_corpus_passes() -> None:
    require(Faults(documents=2), documents=2, assessments=[HOLDS], expected=["k-repeating"])


@pytest.mark.parametrize("fault", [name for name in Faults._fields if name != "documents"])
def test_every_fault_refuses(fault: str) -> None:
    with pytest.raises(GateRefused, match="nothing is released: 1 ") as caught:
        require(Faults(documents=2)._replace(**{fault: 1}), documents=2)
    assert caught.value.exit_code == 3


def test_empty_corpus_is_refused() -> None:
    with pytest.raises(GateRefused, match="there is no document"):
        require(Faults(), documents=0)


def test_documents_that_were_not_checked_are_refused() -> None:
    with pytest.raises(GateRefused, match="3 documents were read, but 2 checked"):
        require(Faults(documents=2), documents=3)


def test_missing_assessment_is_refused() -> None:
    with pytest.raises(GateRefused, match="no assessment of k-repeating"):
        require(Faults(documents=1), documents=1, expected=["k-repeating"])


def test_violated_guarantee_is_refused_with_every_other_reason() -> None:
    violated = HOLDS._replace(value=3.0, satisfied=False)
    with pytest.raises(GateRefused, match=r"2 documents would not.*k-repeating \(k=4\) does not hold: 3 against 0"):
        require(Faults(documents=5, lost=2), documents=5, assessments=[violated])


def test_coverage_as_an_assessment() -> None:
    assert coverage_assessment(Faults(documents=2)).satisfied
    violated = coverage_assessment(Faults(documents=2, uncovered=3))
    assert (violated.guarantee, violated.value, violated.satisfied) == (COVERAGE, 3.0, False)
    assert "uncovered=3" in violated.evidence
