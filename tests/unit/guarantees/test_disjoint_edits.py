"""Edits that overlap, and edits of documents that the corpus does not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, count_overlapping, faults_of

INTERVALS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda p: (min(p), max(p))), max_size=6)


def overlapping_one_by_one(edits: list[tuple[int, int]], length: int) -> int:
    """Count the same by comparing every edit with every earlier one."""
    ordered = sorted(edits)
    return sum(
        start == end or end > length or any(start < earlier_end for _, earlier_end in ordered[:number])
        for number, (start, end) in enumerate(ordered)
    )


@given(INTERVALS, st.integers(0, 12))
def test_overlaps_are_those_that_comparing_all_with_all_finds(edits: list[tuple[int, int]], length: int) -> None:
    assert count_overlapping(edits, length) == overlapping_one_by_one(edits, length)


def test_a_short_edit_hides_no_overlap_with_a_long_one_before_it() -> None:
    assert count_overlapping([(0, 10), (2, 3), (5, 8)], 10) == 2


@pytest.mark.parametrize("published", [None, "Ann."])
def test_every_edit_of_a_document_that_the_corpus_lacks_is_a_fault(published: str | None) -> None:
    edits = [CheckedEdit(0, 3, "suppress", "[NAME]"), CheckedEdit(4, 5, "suppress", "[NAME]")]
    faults = faults_of(None, published, [(0, 3, "NAME"), (6, 8, "NAME")], edits, {"suppress": "[{}]".format})
    assert faults == CoverageFaults(uncovered=2, overlapping=2, foreign=int(published is not None))
