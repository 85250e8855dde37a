"""People: mentions linked, the view generalized, values written back, and releases that must be refused."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence
from spark_deid.guarantees.spark import count_decisions
from spark_deid.identity.guarantee import KIND
from spark_deid.identity.settings import IdentitySettings, TableSettings
from spark_deid.identity.spark.figures import figures_of
from spark_deid.identity.spark.view import person_of, structured_values
from spark_deid.pipeline.checking import checking_of
from spark_deid.plan.config import MethodSettings
from tests.spark.decided import annotated_of, carried_out, coverage_of, plan_of, workspace_of

KEYS: dict[str, Any] = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode", "GENDER": "recode", "CITY": "recode"},
    "identity": {
        "attributes": {"NAME": "name", "AGE": "age", "GENDER": "gender", "CITY": "city", "ILL": "diagnosis"},
        "roles": {"identifiers": ["name"], "quasi": ["age", "gender", "city"], "sensitive": ["diagnosis"]},
    },
    "anonymity": {"model": {"k": 2, "frequency-l": 2}},
}
NOTES = [
    ("a1", "a", "Ann Leeds, a <AGE:71> year old <GENDER:woman> with <ILL:asthma>. <~TITLE:She> is Leeeds."),
    ("a2", "a", "<NAME:Ann Leeds> is <AGE:71 years old>, of <CITY:Boston>. Her nurse is 30."),
    (
        "b1",
        "b",
        "<NAME:Bob Ray>, <AGE:seventy-eight> (<AGE:78>), <GENDER:M>, has <ILL:gout>; he was a <AGE:40>, in "
        "<CITY:Worcester>.",
    ),
    (
        "c1",
        "c",
        "<NAME:Cy Fox> (<AGE:31>, <GENDER:male>, an <CITY:Atlanta> man): <ILL:gout>. Mr. Fox slept; his "
        "<AGE:thirties>.",
    ),
    ("d1", "d", "<NAME:Di Orr> (<AGE:39>, <GENDER:man>, <CITY:Miami>): well."),
]
PUBLISHED = {
    "a1": "[NAME], a [70-79] year old {female, male} with [ILL]. [GENDERED] is [NAME].",
    "a2": "[NAME] is [70-79] years old, of [Massachusetts]. [GENDERED] nurse is 30.",
    "b1": "[NAME], [70-79] ([70-79]), {female, male}, has [ILL]; [GENDERED] was an [AGE], in [Massachusetts].",
    "c1": "[NAME] ([30-39], [male], a [South Atlantic] man): [ILL]. Mr. [NAME] slept; his [AGE].",
    "d1": "[NAME] ([30-39], [male], [South Atlantic]): well.",
}


def marked(text: str) -> tuple[str, list[tuple[int, int, str, None, str, None]]]:
    plain, spans = "", []
    for number, part in enumerate(text.replace("<", "\0").replace(">", "\0").split("\0")):
        label, _, surface = part.partition(":") if number % 2 else ("", "", part)
        if label:
            source = "other" if label.startswith("~") else "gold"  # of what is other nothing is edited
            spans.append((len(plain), len(plain) + len(surface), label.strip("~"), None, source, None))
        plain += surface
    return plain, spans


def notes(spark: SparkSession) -> DataFrame:
    rows = [(doc_id, subject, *marked(text)) for doc_id, subject, text in NOTES]
    return annotated_of(spark, [(doc_id, subject, text, {}, spans) for doc_id, subject, text, spans in rows])


def kept(_: str, rows: DataFrame) -> DataFrame:
    """Compute a table once, as a run that writes it does."""
    return rows.localCheckpoint()


@pytest.fixture(scope="module")
def plan() -> MethodSettings:
    return plan_of(KEYS)


@pytest.fixture(scope="module")
def done(spark: SparkSession, plan: MethodSettings) -> Corpus:
    return carried_out(plan, notes(spark), subjects=5, materialize=kept)


def assessed(plan: MethodSettings, corpus: Corpus) -> AssessmentResult:
    evidence = GuaranteeEvidence(plan, corpus, corpus.decisions, {}, documents=5, subjects=5)
    return KIND.assess(plan.demands["k_anonymous_persons"], evidence)


def published(corpus: Corpus) -> dict[str, str]:
    return {row["doc_id"]: row["published"] for row in corpus.decisions.select("doc_id", "published").collect()}


def test_mentions_show_what_their_person_s_class_shows(done: Corpus) -> None:
    assert published(done) == PUBLISHED


def test_the_view_is_kept_before_and_after(done: Corpus) -> None:
    rows = {(row[0], row[1]): tuple(row)[2:] for row in done.identifiers.collect()}
    assert rows["a", "age"] == ("71", "[70-79]")
    assert rows["c", "gender"] == ("male", "male")
    assert rows["d", "name"] == ("orr, di", None)
    assert ("d", "diagnosis") not in rows
    entities = {(row["doc_id"], row["entity_id"]) for row in done.entities.collect()}
    assert ("a1", "a/name") in entities
    assert ("a2", "a/age") in entities


def test_any_technique_may_read_the_mentions_of_a_document(done: Corpus) -> None:
    assert done.annotated is not None
    cells = done.annotated.select("doc_id", "subject_id", F.explode("mentions").alias("m")).select("*", "m.*")
    found = {(row["doc_id"], row["attribute"], row["value"]): row for row in cells.where("attribute = 'age'").collect()}
    assert {key[:2] for key in found} == {(doc_id, "age") for doc_id in ("a1", "a2", "b1", "c1", "d1")}
    one = found["a2", "age", "71"]
    assert (one["entity"], one["subject"], one["label"], one["replacement"]) == (
        "a/age",
        "a",
        "AGE",
        "[70-79] years old",
    )
    assert {row["subject"] for row in found.values()} == {"a", "b", "c", "d"}
    let_out = {*done.decisions.columns, *done.entities.columns}
    assert not let_out & {"mentions", "value"}


def test_what_a_technique_hands_back_is_counted_with_the_reason(done: Corpus) -> None:
    rows = done.decisions.select(F.explode("handed_back").alias("h")).select("h.*").collect()
    counted = sorted((row["reason"], row["spans"]) for row in rows if row["technique"] == "recode")
    assert counted == [("no-value", 1), ("not-covered", 1)]


def test_the_release_is_found_to_hold(plan: MethodSettings, done: Corpus) -> None:
    found = assessed(plan, done)
    assert found.reasons == ()
    assert found.assessment.satisfied
    assert found.assessment.value == 2
    assert "persons=4, classes=2" in found.assessment.evidence
    told = figures_of(plan.sections["identity"], done)
    assert (told["persons"], told["classes"], told["least"]) == (4, 2, 2)


def test_a_release_without_any_mention_is_refused(plan: MethodSettings, done: Corpus) -> None:
    found = assessed(plan, replace(done, entities=done.entities.where(F.lit(False))))
    assert not found.assessment.satisfied
    assert found.reasons[-1].startswith("no mention of AGE, CITY, GENDER, ILL, NAME was found")


def _is(edit: Column, here: Column, written: str) -> Column:
    return here & (edit["replacement"] == written)


def with_text(corpus: Corpus, doc_id: str, old: str, new: str) -> Corpus:
    """Change what is published of a document, and the edit with it if one wrote it."""
    here = F.col("doc_id") == doc_id
    text = F.when(here, F.regexp_replace("published", old, new)).otherwise(F.col("published"))
    plain_old = old.replace("\\", "")
    edits = F.transform(
        "edits",
        lambda e: e.withField("replacement", F.when(_is(e, here, plain_old), F.lit(new)).otherwise(e["replacement"])),
    )
    return replace(corpus, decisions=corpus.decisions.withColumns({"published": text, "edits": edits}))


def without_edit(corpus: Corpus, doc_id: str, replacement: str, original: str) -> Corpus:
    """Leave a mention as it was: no edit, and the original in the published text."""
    here = F.col("doc_id") == doc_id
    position = F.instr("published", replacement)
    text = F.concat(
        F.substring("published", F.lit(1), position - 1),
        F.lit(original),
        F.expr(f"substring(published, instr(published, '{replacement}') + {len(replacement)})"),
    )
    kept = F.filter("edits", lambda edit: ~(here & (edit["replacement"] == replacement)))
    columns = {"published": F.when(here, text).otherwise(F.col("published")), "edits": kept}
    return replace(corpus, decisions=corpus.decisions.withColumns(columns))


def test_a_mention_that_is_left_as_it_was_is_refused(plan: MethodSettings, done: Corpus) -> None:
    left = without_edit(done, "d1", "[30-39]", "39")
    assert published(left)["d1"] == "[NAME] (39, [male], [South Atlantic]): well."
    checking = checking_of(plan, scored=False)
    counts = (count_decisions(workspace_of(each.decisions), checking) for each in (done, left))
    held, refused = map(partial(coverage_of, plan), (done, left), counts)
    assert held.assessment.satisfied
    assert not refused.assessment.satisfied


def test_another_class_s_value_and_a_pronoun_that_is_left_are_refused(plan: MethodSettings, done: Corpus) -> None:
    changed = with_text(with_text(done, "d1", r"\[30-39\]", "[70-79]"), "c1", r"\[30-39\]", "31")
    found = assessed(plan, without_edit(changed, "b1", "[GENDERED]", "he"))
    assert not found.assessment.satisfied
    assert "2 mentions show another value than the class of their person" in found.reasons
    assert "1 words reveal a gender that the identifier view hides" in found.reasons


def test_what_other_techniques_show_mentions_and_of_a_hidden_gender_is_refused(
    plan: MethodSettings, done: Corpus
) -> None:
    city = F.transform(
        "edits",
        lambda e: e.withField("technique", F.when(e["label"] == "CITY", F.lit("erase")).otherwise(e["technique"])),
    )
    found = assessed(plan, replace(done, decisions=done.decisions.withColumn("edits", city)))
    assert found.reasons == (
        "4 edits of other techniques reveal mentions that are recoded or hidden. Suppress these spans",
    )
    told = with_text(done, "b1", r"\[ILL\]", "kinsman")
    assert assessed(plan, told).reasons == ("1 words reveal a gender that the identifier view hides",)


def test_an_article_that_shows_more_than_what_is_shown_is_refused(plan: MethodSettings, done: Corpus) -> None:
    here = F.col("doc_id") == "c1"
    text = F.when(here, F.regexp_replace("published", r" a \[", " an [")).otherwise(F.col("published"))
    others = F.filter("edits", lambda edit: ~(here & (edit["label"] == "ARTICLE")))
    left = replace(done, decisions=done.decisions.withColumns({"published": text, "edits": others}))
    assert "an [South Atlantic] man" in published(left)["c1"]
    assert assessed(plan, left).reasons == ("1 articles reveal more of a value than its replacement",)


def test_a_class_of_k_less_1_is_refused_and_who_the_view_lacks(plan: MethodSettings, done: Corpus) -> None:
    alone = done.identifiers.where(F.col("subject_id") != "d")
    found = assessed(plan, replace(done, identifiers=alone))
    assert not found.assessment.satisfied
    assert found.assessment.value == 1
    assert "3 mentions belong to people who are not in the identifier view" in found.reasons


def test_a_sensitive_value_of_all_of_a_class_is_refused(plan: MethodSettings, done: Corpus) -> None:
    value = F.when(F.col("attribute") == "diagnosis", "gout").otherwise(F.col("value"))
    found = assessed(plan, replace(done, identifiers=done.identifiers.withColumn("value", value)))
    assert found.reasons == ("1 classes have too few sensitive values, or one value for more than 1/l of their people",)


@pytest.mark.thorough
def test_a_table_wins_and_no_one_needs_a_sensitive_value(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "persons.csv"
    path.write_text("subject_id,years,gender\na,80,F\nb,78,M\nc,31,M\nd,39,M\nz,1,M\n")
    table = {"path": str(path), "columns": {"age": "years"}}
    attributes = {"NAME": "name", "AGE": "age", "GENDER": "gender", "CITY": "city", "NONE": "diagnosis"}
    keys = KEYS | {"identity": KEYS["identity"] | {"table": table, "attributes": attributes, "rounds": 1}}
    made = carried_out(plan_of(keys), notes(spark), subjects=5, materialize=kept)
    rows = {(row[0], row[1]): tuple(row)[2:] for row in made.identifiers.collect()}
    assert rows["a", "age"] == ("80", "[75-84]")
    assert ("z", "age") not in rows
    assert published(made)["a2"].startswith("[NAME] is [AGE]")


def test_ids_of_a_table_are_written_as_documents_have_them(spark: SparkSession) -> None:
    rows = spark.sql("SELECT 7d AS a, float(7) AS b, 7.00 AS c, 7 AS d, '07' AS e, double('NaN') AS f, 7.5d AS g")
    told = rows.select(*(person_of(rows, name).alias(name) for name in rows.columns)).collect()[0]
    assert tuple(told) == ("7", "7", "7", "7", "07", None, "7.5")


def test_keys_of_a_table_with_a_point_are_people_of_documents(spark: SparkSession, tmp_path: Path) -> None:
    rows = pa.table({"subject_id": [7.0, 8.5, None, float("nan")], "age": ["80", "81", "82", "83"]})
    pq.write_table(rows, tmp_path / "persons.parquet")
    table = TableSettings.model_validate({"path": str(tmp_path / "persons.parquet")})
    settings = IdentitySettings.model_validate({"attributes": {"AGE": "age"}, "roles": {"quasi": ["age"]}})
    found = structured_values(spark, table, settings).collect()
    assert {tuple(row) for row in found} == {("7", "age", "80"), ("8.5", "age", "81")}


def test_partitions_change_nothing(spark: SparkSession) -> None:
    once = plan_of(KEYS | {"identity": KEYS["identity"] | {"rounds": 1}})
    assert published(carried_out(once, notes(spark).repartition(7), subjects=5, materialize=kept)) == PUBLISHED
