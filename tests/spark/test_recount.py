from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.app.assessing import recount_release
from spark_deid.app.options.assessing import AssessReleaseOptions
from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.edit import Edit, LabelledEdit, apply_edits
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.engine.tables import read_parts
from spark_deid.release.commit import ChangedReleaseError
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import write_table
from spark_deid.release.workspace import open_workspace
from spark_deid.repeats.settings import CountedText, CountingUnit
from spark_deid.repeats.spark.compared_texts import compare_decisions, compare_with_itself, pair_documents
from spark_deid.repeats.spark.recount import MAX_RUNS, RepeatClaim, recount
from spark_deid.storage.parts import PartsWriter

ORIGINALS = {
    "a": ("p1", "seen by Dr Quux today"),
    "b": ("p2", "seen by Dr Qaax today"),
    "c": ("p2", "seen by Dr Qaax today"),
}
EDITS = {doc_id: [Edit(8, 15, "suppress", "★")] for doc_id in ORIGINALS}
CLAIM = RepeatClaim(2, CountingUnit.SUBJECT, CountedText.ORIGINAL)


Assess = Callable[..., Assessment]


@pytest.fixture
def assess(spark: SparkSession) -> Assess:
    """Recount a release of the three notes, with edits or texts that differ from the right ones."""
    documents = spark.createDataFrame(
        [(i, *row) for i, row in ORIGINALS.items()], "doc_id string, subject_id string, text string"
    )

    def run(
        claim: RepeatClaim = CLAIM,
        edits: Mapping[str, list[Edit]] = EDITS,
        texts: Mapping[str, str] | None = None,
        partitions: int | None = None,
        max_runs: int = MAX_RUNS,
    ) -> Assessment:
        published = {i: apply_edits(text, edits.get(i, ())) for i, (_, text) in ORIGINALS.items()} | dict(texts or {})
        rows = [(i, *edit) for i, found in edits.items() for edit in found]
        compared = pair_documents(
            documents,
            spark.createDataFrame(list(published.items()), "doc_id string, text string"),
            spark.createDataFrame(rows, tables.ddl(tables.EDITS)),
        )
        return recount(compared.repartition(partitions) if partitions else compared, claim, max_runs=max_runs)

    return run


def test_a_right_release_holds(assess: Assess) -> None:
    assessment = assess()
    assert assessment.satisfied
    assert (assessment.value, assessment.evidence) == (0.0, "2 of 2 distinct runs counted")


def test_an_edited_release_is_found(assess: Assess) -> None:
    assessment = assess(texts={"b": "seen by ★ Monday"})
    assert not assessment.satisfied
    assert (assessment.value, assessment.evidence) == (1.0, "3 of 3 distinct runs counted; violations in documents b")


def test_a_wrong_unit_is_found(assess: Assess) -> None:
    kept = {"a": EDITS["a"]}
    assert assess(RepeatClaim(2, CountingUnit.DOCUMENT, CountedText.ORIGINAL), edits=kept).satisfied
    assert assess(edits=kept).value == 1


def test_an_unhidden_character_is_found(assess: Assess) -> None:
    edits = EDITS | {"a": [Edit(9, 15, "suppress", "★")]}
    assert assess(edits=edits).satisfied
    assert not assess(edits=EDITS | {"a": [Edit(8, 13, "suppress", "★")]}).satisfied


def test_a_document_that_is_no_original_is_found(assess: Assess) -> None:
    assert not assess(texts={"d": "seen"}, claim=RepeatClaim(4, CountingUnit.DOCUMENT, CountedText.ORIGINAL)).satisfied


def test_what_is_published_can_be_the_evidence(assess: Assess) -> None:
    claim = RepeatClaim(3, CountingUnit.DOCUMENT, CountedText.PUBLISHED)
    assert assess(claim).satisfied
    assert not assess(claim, edits=EDITS | {"c": [Edit(6, 15, "suppress", "★")]}).satisfied


def test_what_other_edits_replace_is_no_evidence(assess: Assess) -> None:
    name = [Edit(8, 15, "suppress", "[NAME]")]
    shown = RepeatClaim(3, CountingUnit.OCCURRENCE, CountedText.ORIGINAL)
    assert assess(shown, edits={"b": name, "c": name}).value == 1


@pytest.mark.parametrize(
    "unit",
    [unit if unit is CountingUnit.SUBJECT else pytest.param(unit, marks=pytest.mark.thorough) for unit in CountingUnit],
)
def test_tasks_add_up(assess: Assess, unit: CountingUnit) -> None:
    claim, texts = RepeatClaim(3, unit, CountedText.ORIGINAL), {"b": "seen by ★ Monday"}
    assert assess(claim, texts=texts, partitions=1) == assess(claim, texts=texts, partitions=7)


def test_too_many_runs_are_sampled(assess: Assess) -> None:
    assessment = assess(max_runs=1)
    assert assessment.satisfied
    assert assessment.evidence == "1 of 2 distinct runs counted; with 95% confidence fewer than 0.95 of them violate"


@pytest.mark.parametrize(
    "told",
    [
        {"edits": {"suppress": {"NAME": 2}, "mask": {"RARE": 1}}, "placeholders": ["[NAME]", "★"]},
        pytest.param({"edits": {"[NAME]": 2, "★": 1}}, marks=pytest.mark.thorough),
    ],
    ids=["placeholders", "older"],
)
def test_a_release_only_is_counted_by_its_own_text(
    spark: SparkSession, tmp_path: Path, told: dict[str, object]
) -> None:
    texts = [("a", "seen by [NAME] today"), ("b", "seen by [NAME] today"), ("c", "not seen by ★")]
    documents = spark.createDataFrame(texts, "doc_id string, text string")
    publish(documents, tmp_path, told, "")

    options = AssessReleaseOptions(release=str(tmp_path), k=2, unit=CountingUnit.DOCUMENT, published=True)

    def assessed(k: int) -> Assessment:
        return recount_release(spark, options.model_copy(update={"k": k}))

    assert assessed(1).satisfied
    assert assessed(2).evidence == "3 of 3 distinct runs counted; violations in documents c"


def test_a_document_that_a_release_has_twice_is_one(spark: SparkSession) -> None:
    texts = spark.createDataFrame([("a", "seen"), ("b", "★"), ("a", "seen")], "doc_id string, text string")
    claim = RepeatClaim(2, CountingUnit.DOCUMENT, CountedText.PUBLISHED)
    assert not recount(compare_with_itself(texts.repartition(3)), claim).satisfied
    originals = texts.distinct().withColumn("subject_id", F.lit("p"))
    no_edits = spark.createDataFrame([], tables.ddl(tables.EDITS))
    assert not recount(pair_documents(originals, texts.repartition(3), no_edits), claim).satisfied


def test_documents_with_keyed_ids_are_known_by_their_texts(spark: SparkSession, tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path / "w", "plan")
    originals = [(i, *row) for i, row in ORIGINALS.items()] + [("d", "p9", "unseen")]
    documents = spark.createDataFrame(originals, "doc_id string, subject_id string, text string")
    write_table(documents.withColumn("meta", F.create_map().cast("map<string,string>")), workspace, "documents")
    edits = [(i, *edit) for i, found in EDITS.items() for edit in found] + [("d", 0, 6, "suppress", "★")]
    write_table(spark.createDataFrame(edits, tables.ddl(tables.EDITS)), workspace, "edits")
    rows = [(f"k{i}", "seen by ★ today") for i in range(3)] + [("k3", "★")]
    published = spark.createDataFrame(rows, "doc_id string, text string")

    def assessed(release: str, documents: DataFrame, k: int) -> Assessment:
        (tmp_path / release).mkdir(exist_ok=True)
        publish(documents, tmp_path / release, {"plan": {"release_ids": "keyed"}}, "")
        place, workspace = str(tmp_path / release), str(tmp_path / "w")
        return recount_release(
            spark, AssessReleaseOptions(release=place, workspace=workspace, k=k, unit=CountingUnit.SUBJECT)
        )

    assert assessed("right", published, 2).satisfied
    assert not assessed("rare", published, 3).satisfied
    edited = published.replace("★", "unseen", subset=["text"])
    with pytest.raises(ChangedReleaseError, match="edited: 1 documents are missing or differ from the edits"):
        assessed("edited", edited, 2)


@pytest.mark.parametrize("unit", list(CountingUnit))
def test_parts_are_recounted_as_their_rows(spark: SparkSession, tmp_path: Path, unit: CountingUnit) -> None:
    texts = {'x"y': "★ é seen by Dr Quux", "": "seen by Dr Quux", **{i: text for i, (_, text) in ORIGINALS.items()}}
    edits = {"a": EDITS["a"], "b": [Edit(0, 2, "mask", "★★"), Edit(8, 10, "suppress", "[TITLE]")]}
    rows: list[tuple[Any, ...]] = []
    for doc_id, text in texts.items():
        made = [LabelledEdit(*edit, "X") for edit in edits.get(doc_id, [])]
        rows.append((doc_id, f"p{len(rows) % 3}", text, None, [], made, [], apply_edits(text, made), 0, 0, 0))
    found = []
    for parts in (1, 3):
        written = []
        for first in range(parts):
            with PartsWriter({"decisions": str(tmp_path)}, {"decisions": tables.DECISIONS}) as writer:
                for row in rows[first::parts]:
                    edited = [edit._asdict() for edit in row[5]]
                    writer.write({"decisions": to_batch([(*row[:5], edited, *row[6:])], tables.DECISIONS)})
                written.append(writer.close()["decisions"])
        compared = compare_decisions(read_parts(spark, written, tables.DECISIONS))
        for counted in CountedText:
            claim = RepeatClaim(2, unit, counted)
            found.append((counted, recount(compared, claim, paths=[part.path for part in written])))
            if parts == 1:
                found.append((counted, recount(compared, claim)))
    # Which documents are named is drawn, where many show a violation.
    told = {(counted, one.value, one.evidence.partition(";")[0]) for counted, one in found}
    assert len(told) == len(CountedText), told
    assert not any(assessment.satisfied for _, assessment in found)
