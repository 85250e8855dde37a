"""Generalization on Spark: a plan's edits, the same for any partitioning, and their recount."""

from dataclasses import replace

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import GateRefused
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence
from spark_deid.guarantees.gate import require
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.plan.config import MethodSettings
from tests.spark.decided import Row, annotated_of, carried_out, plan_of, workspace_of

PLAN = {
    "sources": ["gold"],
    "rules": {
        "DRUG": {"technique": "generalize", "t": 4, "senses": {"marijuana": "02953127-n"}},
        "*": {"technique": "generalize", "t": 10, "segment": "sentence", "senses": {"marijuana": "02953127-n"}},
        "NAME": "suppress",
    },
}
TEXT = "Ann uses marijuana. The cat likes ganja."
SPANS = [(0, 3, "NAME", None, "gold", None), (9, 18, "DRUG", None, "gold", None), (24, 27, "PET", None, "gold", None)]
PUBLISHED = "[NAME] uses soft drug. The feline likes soft drug."


def corpus_of(spark: SparkSession, settings: MethodSettings, partitions: int) -> Corpus:
    rows: list[Row] = [(f"d{number}", None, TEXT, {}, SPANS) for number in range(10)]
    return carried_out(settings, annotated_of(spark, rows).repartition(partitions))


def assessed(settings: MethodSettings, corpus: Corpus) -> AssessmentResult:
    demand = settings.demands["t_plausible"]
    return GUARANTEES.find("t_plausible").assess(
        demand, GuaranteeEvidence(settings, corpus, corpus.decisions, {}, 10, 0)
    )


def with_replacement(decisions: DataFrame, old: str, new: str) -> DataFrame:
    def swap(edit: Column) -> Column:
        return edit.withField("replacement", F.when(edit["replacement"] == old, new).otherwise(edit["replacement"]))

    return decisions.withColumn("edits", F.transform("edits", swap))


def test_a_plan_generalizes_equally_in_any_partitioning_and_is_recounted(spark: SparkSession) -> None:
    settings = plan_of(PLAN)
    found = [corpus_of(spark, settings, partitions) for partitions in (1, 7)]
    texts = [{row["published"] for row in corpus.decisions.collect()} for corpus in found]
    assert texts == [{PUBLISHED}, {PUBLISHED}]
    holds = assessed(settings, found[1])
    assert holds.assessment.satisfied
    assert "30 terms in 20 segments" in holds.assessment.evidence
    edited = workspace_of(with_replacement(found[0].decisions, "soft drug", "ganja"))
    with pytest.raises(GateRefused, match="synonyms or forms"):
        require([assessed(settings, replace(edited, documents=found[0].documents))], expected=["t-plausible"])
