"""Values of people that one technique hides by classes of k, and another reveals: the claim of k would be green."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.load import check_methods
from tests.attacks.runs import run

ZIPS = ("02138", "02139", "90210", "90211", "90310", "90311")
PERSONS = ("02138", "02139", "90210", "90310")


def lines(*, relative: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number, code in enumerate(PERSONS):
        text = f"{code}, {relative}"
        spans = [{"start": 0, "end": 5, "label": "ZIP"}, {"start": 7, "end": len(text), "label": "REL"}]
        found.append({"doc_id": f"d{number}", "subject_id": f"s{number}", "text": text, "spans": spans})
    return found


def identity(**quasi: str) -> dict[str, Any]:
    attributes = {"ZIP": "zip"} | quasi
    return {"attributes": attributes, "roles": {"quasi": list(attributes.values())}}


@pytest.mark.thorough
def test_a_code_that_a_table_of_records_generalizes_shows_less_than_k(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "zip.csv").write_text("".join(f"{code};{code[:4]}*;*\n" for code in ZIPS))
    (tmp_path / "t.csv").write_text("\n".join(("zip", *ZIPS)))
    plan: dict[str, Any] = {
        "sources": ["gold", "identity", "erase"],
        "rules": {"ZIP": "recode"},
        "erase": {"table": str(tmp_path / "t.csv"), "hierarchies": str(tmp_path / "h"), "k": 2},
        "identity": identity(),
    }
    # Of 9021* and 9031* each is one person's, where the class has both.
    with pytest.raises(GateRefused, match="4 edits of other techniques reveal mentions that are recoded or hidden"):
        run(tmp_path, lines(relative="kin"), **plan, anonymity={"model": {"k": 2}})


@pytest.mark.thorough
def test_a_column_of_any_name_that_shows_the_people_values_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    columns = [{"place": code, "same": f" {code} ", "ward": "02138", "none": ""} for code in PERSONS]
    coded = [line | {"meta": meta} for line, meta in zip(lines(relative="kin"), columns, strict=True)]
    plan: dict[str, Any] = {"sources": ["gold", "identity", "patterns"], "patterns": {"kinds": ["email"]}}
    plan |= {"rules": {"ZIP": "recode"}, "identity": identity()}
    ways = {"place": "detect", "same": "keep", "ward": "keep", "none": "keep"}
    with pytest.raises(GateRefused) as refused:
        run(tmp_path, coded, **plan, anonymity={"model": {"k": 2}}, metadata=ways)
    assert "metadata.place: detect tells zip in 4 documents" in str(refused.value)
    assert "metadata.same: keep tells zip in 4 documents" in str(refused.value)
    assert "ward" not in str(refused.value)


def test_a_column_that_shows_what_texts_are_generalized_from_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\n".join(("zip", *ZIPS)))
    beside: dict[str, Any] = {"erase": {"table": str(tmp_path / "t.csv"), "k": 2}, "metadata": {"Zip": "keep"}}
    coded = [line | {"meta": {"Zip": code}} for line, code in zip(lines(relative="kin"), PERSONS, strict=True)]
    with pytest.raises(UsageError, match=r"metadata\.Zip: keep would publish values of the records"):
        run(tmp_path, coded, **beside)
    with pytest.raises(UsageError, match=r"metadata\.Zip: keep would publish values of the records"):
        check_methods(beside | {"erase": {"table": str(tmp_path / "t.csv"), "columns": ["zip"]}}, "plan")


@pytest.mark.parametrize("way", ["keep", "detect"])
def test_a_column_of_a_generalized_label_is_refused(way: str) -> None:
    plan = {"patterns": {"kinds": ["email"]}, "sources": ["gold", "patterns"], "rules": {"DIAGNOSIS": "generalize"}}
    told = rf"rules\.DIAGNOSIS: metadata\.diagnosis: {way} would publish the generalized"
    with pytest.raises(UsageError, match=told):
        check_methods(plan | {"metadata": {"diagnosis": way}}, "plan")
    check_methods(plan | {"metadata": {"diagnosis": "keyed", "ward": way}}, "plan")
