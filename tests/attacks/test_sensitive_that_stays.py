"""A sensitive attribute that stays in texts: classes whose texts show one value, and what stays over what is hidden."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import GateRefused
from tests.attacks.runs import run

PLAN: Mapping[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode", "CITY": "recode", "ILL": "keep"},
    "identity": {
        "attributes": {"AGE": "age", "ILL": "illness", "NAME": "name", "SEX": "gender", "CITY": "city"},
        "roles": {"quasi": ["age", "gender", "city"], "sensitive": ["illness"], "identifiers": ["name"]},
        "link": "subject",
    },
    "anonymity": {"model": {"k": 2, "l": 2, "frequency-l": 2}},
}
ILLS = ("flu", "gout", "Flu ", "an asthma of women", "Leeds's disease", "lupus")


def lines(ills: tuple[str, ...]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for at, ill in enumerate(ills):
        text = f"Leeds, {20 + at // 2 * 30}, has {ill} in ZURICH."
        end = 15 + len(ill)
        places = {"NAME": (0, 5), "AGE": (7, 9), "ILL": (15, end), "CITY": (end + 4, end + 10)}
        spans = [{"start": start, "end": end, "label": label} for label, (start, end) in places.items()]
        found.append({"doc_id": f"d{at}", "subject_id": f"s{at}", "text": text, "spans": spans})
    return found


def test_what_remains_is_shown_but_for_what_is_hidden_in_it(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, lines(ILLS), **PLAN)
    rows = spark.read.format("delta").load(str(done.release / "documents")).collect()
    texts = {row["doc_id"]: row["text"] for row in rows}
    assert texts["d0"].endswith("has flu in [Zürich].")
    assert texts["d2"].endswith("has Flu  in [Zürich].")
    assert texts["d3"].endswith("has an asthma of [GENDERED] in [Zürich].")
    assert texts["d4"].endswith("has [NAME]'s disease in [Zürich].")
    assert not any("women" in text or "Leeds" in text for text in texts.values())
    warnings = json.loads((done.workspace / "manifest.json").read_text())["warnings"]
    assert (
        "6 spans are published unchanged unless another span overlaps, because rules keep the label: ILL 6"
    ) in warnings


@pytest.mark.thorough
def test_a_class_whose_texts_show_one_value_is_refused_though_a_table_has_others(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = tmp_path / "persons.csv"
    table.write_text("subject_id,illness\n" + "".join(f"s{at},ill of {at}\n" for at in range(4)))
    plan = dict(PLAN) | {"identity": dict(PLAN["identity"]) | {"table": {"path": str(table)}}}
    with pytest.raises(GateRefused, match="have too few sensitive values, or one"):
        run(tmp_path, lines(("flu", "FLU", "flu", " flu")), **plan)


def test_the_view_counts_what_edits_leave_so_that_classes_are_made_of_what_texts_show(
    spark: SparkSession, tmp_path: Path
) -> None:
    done = run(tmp_path, lines(("Leeds's disease", "gout", "Leeds", "flu", "lupus", "flu")), **PLAN)
    rows = spark.read.parquet(str(done.workspace / "identifiers")).where("attribute = 'illness'").collect()
    told = {row["subject_id"]: row["value"] for row in rows}
    assert told == {"s0": "s disease", "s1": "gout", "s3": "flu", "s4": "lupus", "s5": "flu"}
