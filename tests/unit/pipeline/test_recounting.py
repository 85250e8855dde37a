import pytest

from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.pipeline.checking import add_foreign_techniques, checking_of
from spark_deid.plan.load import check_methods

PLAN = {"sources": ["gold"], "rules": {"DRUG": {"technique": "generalize", "t": 4}, "NAME": "suppress"}}


def test_edits_by_a_technique_that_is_not_their_label_s_are_faults() -> None:
    plan = check_methods(PLAN, "plan")
    right = {"generalize": {"DRUG": 7}, "suppress": {"DRUG": 1, "NAME": 2, "CITY": 3}}
    assert add_foreign_techniques(CoverageFaults(unexpected=1), plan, right) == CoverageFaults(unexpected=1)
    wrong = {"generalize": {"DRUG": 7, "NAME": 2, "CITY": 3}, "recode": {"DRUG": 4}, "of another package": {"NAME": 5}}
    assert add_foreign_techniques(CoverageFaults(unexpected=1), plan, wrong) == CoverageFaults(unexpected=15)


@pytest.mark.parametrize(("edited", "scored"), [("gold", False), ("patterns", True)])
def test_only_annotations_that_are_not_edited_are_compared_with(edited: str, scored: bool) -> None:
    plan = check_methods({"sources": [edited], "patterns": {"kinds": "all"}}, "plan")
    assert checking_of(plan, scored=True).scored is scored
    assert not checking_of(plan, scored=False).scored
