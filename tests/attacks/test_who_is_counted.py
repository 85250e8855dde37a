"""A plan that counts documents, on input of which one document names a person, must not claim to count people."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.attacks.runs import run

TEXT = "seen by the doctor today"
LINES = [{"doc_id": str(n), "text": TEXT} | ({"subject_id": "Ann"} if n < 2 else {}) for n in range(3)]


@pytest.mark.thorough
def test_the_unit_of_the_claim_is_the_one_that_was_recounted(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, LINES, repeats={"k": 2, "unit": "document"}, release_ids="keep")
    manifest = done.manifest
    assert manifest["counts_by"] == "document"
    assert [each.get("counts_by") for each in manifest["assessments"]] == [None, "document"]
    assert (manifest["documents"], manifest["documents_with_subject"], manifest["persons"]) == (3, 2, 1)
    assert "K repeating runs: counted by document." in done.report
    assert "2 of 3 documents name 1 person" in done.report
    assert "by person" not in done.report.replace("All counts are of documents", "")


def test_without_a_claim_nothing_is_counted_by_person(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, LINES, patterns={"kinds": "all"})
    assert done.manifest["counts_by"] == "document"
    assert "All counts are of documents" in done.report


def test_people_are_claimed_where_they_were_recounted(spark: SparkSession, tmp_path: Path) -> None:
    everyone = [line | {"subject_id": f"p{n}"} for n, line in enumerate(LINES)]
    done = run(tmp_path, everyone, repeats={"k": 2})
    assert done.manifest["counts_by"] == "subject"
    assert "K repeating runs: counted by person." in done.report
