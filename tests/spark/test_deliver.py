from spark_deid.core import tables
from spark_deid.plan.corpus import Corpus
from spark_deid.plan.deliver import _scores

SPANS = [
    ("a", 0, 3, "NAME", None, "gold", None),
    ("a", 0, 3, "NAME", None, "pattern:name", None),
    ("a", 4, 8, "NAME", 0.9, "round-1", None),
]


def test_only_what_is_edited_is_scored(spark):
    documents = spark.createDataFrame([("a", None, "Ann came.", {})], tables.ddl(tables.DOCUMENTS))
    spans = spark.createDataFrame(SPANS, tables.ddl(tables.SPANS))
    corpus = Corpus.empty(spark).read(documents, spans, spark.createDataFrame([], tables.ddl(tables.REJECTS)))
    found = ("gold", "pattern:name", "round-1")

    def precision_and_recall(*sources):
        scores = _scores(corpus, found, sources)
        return scores and [scores.micro("strict")[name] for name in ("precision", "recall")]

    assert precision_and_recall("patterns") == [1, 1]
    assert precision_and_recall("model") == [0, 0]
    assert precision_and_recall("patterns", "model") == [0.5, 1]
    assert precision_and_recall("patterns", "gold") is None
    assert _scores(corpus, found[1:], ("patterns",)) is None
