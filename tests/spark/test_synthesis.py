from datetime import date

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_deid.core.errors import UsageError
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.people import make_person
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.corpus.synthesis.spark import SynthesizedCorpus, synthesize


def rows(corpus: SynthesizedCorpus) -> tuple[list[tuple[object, ...]], ...]:
    return tuple(sorted(tuple(map(str, row)) for row in frame.collect()) for frame in corpus)


@pytest.mark.thorough
def test_one_and_seven_partitions_make_the_same_corpus(spark: SparkSession) -> None:
    assert rows(synthesize(spark, 60, 5, 1)) == rows(synthesize(spark, 60, 5, 7))


def test_tables_hold_what_the_kernel_makes(spark: SparkSession) -> None:
    corpus = synthesize(spark, 12, 5, 3)
    pools = make_pools(5, "en")
    made = [make_document(5, index, pools) for index in range(12)]
    documents = corpus.documents.orderBy("doc_id").collect()
    assert [(r.doc_id, r.subject_id, r.text, r.meta) for r in documents] == [
        (d.doc_id, d.subject_id, d.text, dict(d.meta)) for d in made
    ]
    spans = corpus.spans.orderBy("doc_id", "start").collect()
    assert [(r.doc_id, r.start, r.end, r.label) for r in spans] == [
        (d.doc_id, s.start, s.end, s.label) for d in made for s in d.spans
    ]
    assert {r.source for r in spans} == {"gold"}


def test_every_subject_is_in_the_person_table(spark: SparkSession) -> None:
    corpus = synthesize(spark, 40, 5, 2)
    missing = corpus.documents.join(corpus.persons, on="subject_id", how="left_anti")
    assert missing.count() == 0
    first = corpus.persons.where(F.col("subject_id") == "person-0000000").collect()[0]
    assert isinstance(first.birth_date, date)
    assert first.surname == make_person(5, 0, make_pools(5, "en")).surname


def test_nothing_to_make_is_a_usage_error(spark: SparkSession) -> None:
    with pytest.raises(UsageError, match=">= 1"):
        synthesize(spark, 0, 5)
    with pytest.raises(UsageError, match="en, es"):
        synthesize(spark, 1, 5, language="tlh")
