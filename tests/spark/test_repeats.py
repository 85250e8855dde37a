import pytest
from pyspark.sql import functions as F
from spark_deid.plan.corpus import ANNOTATED, Corpus
from spark_deid.plan.rare import RareRun, hide_rare
from spark_deid.plan.stages import DetectRare

from spark_deid.core import tables
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.config import InputSettings, RepeatsSettings
from spark_deid.release.commit import is_release
from spark_deid.release.workspace import open_places
from spark_deid.repeats.findings import LENGTH_BOUNDS
from spark_deid.repeats.settings import Mask, Rarity, Unit
from spark_deid.repeats.spark.comparison import compare_hidden
from spark_deid.repeats.spark.search import choose_unit, find_in_one_task, hide, rare_edits, rare_spans
from spark_deid.rewriting.spark.operators import spans_of_decisions

TEXTS = {"a": "seen by Dr Quux today", "b": "seen by Dr Qaax today", "c": "seen by [X] today ★"}


@pytest.fixture(scope="module")
def documents(spark):
    """Three notes, of which the last has a placeholder that is excluded."""
    rows = [(doc_id, "p" + doc_id, text, [(8, 11)] if doc_id == "c" else None) for doc_id, text in TEXTS.items()]
    schema = "doc_id string, subject_id string, text string, edits array<struct<start:int,end:int>>"
    return spark.createDataFrame(rows, schema)


@pytest.fixture(scope="module")
def found(documents):
    return find_in_one_task(documents.repartition(3), Rarity(k=3, min_length=3)).cache()


def rows_of(frame):
    return sorted(tuple(row) for row in frame.collect())


def test_rare_text_becomes_spans_clear_of_what_is_excluded(found):
    assert [row[:4] for row in rows_of(rare_spans(found))] == [
        ("a", 8, 15, "RARE"),
        ("b", 8, 15, "RARE"),
        ("c", 17, 19, "RARE"),
    ]
    assert found.agg({"characters": "sum", "hidden": "sum"}).first().asDict() == {
        "sum(characters)": 61,
        "sum(hidden)": 16,
    }


def test_stars_hide_runs_or_characters(documents, found):
    assert rows_of(hide(documents, found, mask=Mask.RUN).select("doc_id", "published")) == [
        ("a", "seen by ★ today"),
        ("b", "seen by ★ today"),
        ("c", "seen by [X] today★"),
    ]
    by_character = hide(documents, found, mask=Mask.CHARACTER)
    assert [len(text) for _, text in rows_of(by_character.select("doc_id", "published"))] == [
        len(text) for text in TEXTS.values()
    ]
    edits = rare_edits(found, mask=Mask.CHARACTER)
    assert edits.columns == tables.EDITS.names
    assert rows_of(edits)[0] == ("a", 8, 15, "suppress", "★" * 7)
    compared = compare_hidden(by_character, mask=Mask.CHARACTER).orderBy("doc_id").collect()[0]
    assert (compared["starts"], compared["ends"], compared["replaced"], compared["hides"]) == ([8], [15], [7], [True])


def test_a_listed_placeholder_is_no_text(documents):
    found = find_in_one_task(documents, Rarity(k=3, min_length=3), placeholders=("Dr Quux", "Qaax"))
    assert rows_of(found.select("doc_id", "starts", "ends"))[0] == ("a", [], [])


def test_what_k_counts_is_chosen_by_the_input(spark, documents):
    nameless = documents.withColumn("subject_id", documents["subject_id"].substr(9, 1)).replace("", None)
    assert choose_unit(documents, "auto") is Unit.SUBJECT
    assert choose_unit(nameless, "auto") is Unit.DOCUMENT
    assert choose_unit(documents, "occurrence") is Unit.OCCURRENCE
    with pytest.raises(UsageError, match="no document of the input has a subject_id"):
        choose_unit(nameless, "subject")


def test_a_stage_counts_what_other_detectors_leave(spark, documents):
    spans = {"a": [(8, 15, "NAME", None, "patterns", None)], "b": [(8, 15, "NAME", None, "other", None)]}
    rows = [(*row[:3], {}, spans.get(row[0], [])) for row in documents.collect()]
    annotated = spark.createDataFrame(rows, tables.ddl(ANNOTATED))
    nothing = spark.createDataFrame([], tables.ddl(tables.REJECTS))
    corpus = Corpus.empty(spark).read(annotated.drop("spans"), annotated, nothing)
    stage = DetectRare(RepeatsSettings(k=2, min_length=3), ("patterns",), ("[X]",), lambda _, rows: rows, "")
    rare = spans_of_decisions(stage(corpus).annotated).where("label = 'RARE'")
    assert rows_of(rare.select("doc_id", "start", "end")) == [("b", 8, 15), ("c", 17, 19)]


def test_nothing_is_released_where_the_recount_finds_a_rare_run(spark, tmp_path, monkeypatch):
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(f'{{"doc_id": "{i}", "text": "{text}"}}\n' for i, text in TEXTS.items()))
    run = RareRun(
        InputSettings(path=str(source), format="jsonl"), RepeatsSettings(k=3, min_length=3), Mask.RUN, False, True
    )

    def blind(documents, *_, **__):
        nothing = F.array().cast("array<int>")
        columns = documents.select(
            "doc_id", nothing.alias("starts"), nothing.alias("ends"), F.length("text").alias("n")
        )
        lengths = F.array(*(F.lit(0).cast("bigint") for _ in LENGTH_BOUNDS))
        return columns.withColumns({"lengths": lengths, "characters": F.col("n").cast("bigint"), "hidden": F.lit(0)})

    monkeypatch.setattr("spark_deid.plan.rare.find_rare_text", blind)
    with (
        open_places(str(source), str(tmp_path / "w"), str(tmp_path / "r"), "plan") as places,
        pytest.raises(GateRefused, match=r"k-repeating-runs .* does not hold: 3 against 0"),
    ):
        hide_rare(run, spark, places, lambda _: None)
    assert not is_release(places.release)
    kept = spark.read.format("delta").load(str(tmp_path / "w" / "assessments")).collect()
    assert [row["satisfied"] for row in kept] == [False]
