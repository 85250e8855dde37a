"""ERASE on Spark: documents joined with a table of records, alike for any partitioning, and linked back to it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence
from spark_deid.guarantees.gate import require
from spark_deid.plan.config import MethodSettings
from spark_deid.plausibility.k_safety.guarantee import ASSESSMENT, KIND
from spark_deid.plausibility.k_safety.settings import EraseSettings
from spark_deid.plausibility.k_safety.spark.records import records_of
from tests.spark.decided import Row, annotated_of, carried_out, plan_of, workspace_of

PEOPLE = """name,city,drug
Ann Lee,Boston,heroin
Bob Ray,Boston,morphine
Cy Dow,Salem,heroin
Di Fox,Albany,aspirin
"Gray, Ed",Reno,aspirin
"""
CITIES = """Boston;Massachusetts;the East;*
Salem;Massachusetts;the East;*
Albany;New York;the East;*
Reno;Nevada;the West;*
"""
DRUGS = """heroin;opiate;drug;*
morphine;opiate;drug;*
aspirin;analgesic;drug;*
"""
TEXTS = {
    "d1": "Ann Lee of Boston takes heroin; an ASPIRIN helps.",
    "d2": "Gray, Ed of Reno sleeps.",
    "d3": "Nobody was in Paris.",
    "d4": "Mr. X of Salem takes morphine.",
}
PUBLISHED = {
    "d1": "[RECORD] of Massachusetts takes opiate; an analgesic helps.",
    "d2": "[RECORD] of [RECORD] sleeps.",
    "d3": "Nobody was in Paris.",
    "d4": "[NAME] of Massachusetts takes opiate.",
}
SPANS = {"d4": [(0, 5, "NAME", None, "gold", None)]}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("erase")
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "city.csv").write_text(CITIES)
    (folder / "drug.csv").write_text(DRUGS)
    return {
        "sources": ["gold", "erase"],
        "erase": {"table": str(folder / "people.csv"), "hierarchies": str(folder), "k": 2},
    }


def carry(spark: SparkSession, content: dict[str, Any], partitions: int) -> tuple[MethodSettings, Corpus]:
    rows: list[Row] = [(name, None, text, {}, SPANS.get(name, [])) for name, text in TEXTS.items()]
    settings = plan_of(content)
    return settings, carried_out(settings, annotated_of(spark, rows).repartition(partitions))


def assessed(settings: MethodSettings, corpus: Corpus) -> AssessmentResult:
    demand = settings.demands["k_shared_records"]
    return KIND.assess(demand, GuaranteeEvidence(settings, corpus, corpus.decisions, {}, len(TEXTS), 0))


def with_replacement(decisions: DataFrame, old: str, new: str) -> DataFrame:
    def swap(edit: Column) -> Column:
        return edit.withField("replacement", F.when(edit["replacement"] == old, new).otherwise(edit["replacement"]))

    changed = decisions.withColumn("edits", F.transform("edits", swap))
    return changed.withColumn("published", F.replace("published", F.lit(old), F.lit(new)))


def test_documents_are_generalized_equally_in_any_partitioning_and_linked_back(
    spark: SparkSession, content: dict[str, Any]
) -> None:
    found = [carry(spark, content, partitions) for partitions in (1, 7)]
    texts = [{row["doc_id"]: row["published"] for row in corpus.decisions.collect()} for _, corpus in found]
    assert texts == [PUBLISHED, PUBLISHED]
    settings, corpus = found[1]
    holds = assessed(settings, corpus)
    assert holds.assessment.satisfied
    assert holds.assessment.evidence.startswith("4 documents linked with 5 records")
    edited = replace(workspace_of(with_replacement(corpus.decisions, "opiate", "morphine")), documents=corpus.documents)
    refused = assessed(settings, edited)
    assert "linked=2, kept=2, foreign=2, documents" in refused.assessment.evidence
    with pytest.raises(GateRefused, match="fit fewer than k records"):
        require([refused], expected=[ASSESSMENT])


def test_a_hierarchy_that_lacks_values_is_reported(
    spark: SparkSession, content: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "city.csv").write_text("Boston;East;*\nSalem;East;*\n")
    with pytest.raises(CorpusError, match=r"city\.csv lacks the values of city of 2 records"):
        carry(spark, {**content, "erase": {**content["erase"], "hierarchies": str(tmp_path)}}, 1)


def test_columns_that_a_table_lacks_are_reported(spark: SparkSession, content: dict[str, Any]) -> None:
    settings = EraseSettings.model_validate({**content["erase"], "columns": ["town", "drug"]})
    with pytest.raises(UsageError, match="has no column town; its columns are 'name', 'city', 'drug'"):
        records_of(spark, settings)
