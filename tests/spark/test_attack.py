"""The attack on a small release, made by hand: the given names are hidden, the surnames behind them are not."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark_deid.app.attacked_release import attack_release
from spark_deid.app.options.assessing import AttackOptions
from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.attack.attackers import AttackConfig
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import write_absent, write_table
from spark_deid.release.workspace import open_release, open_workspace
from spark_deid.report.render import attack_page
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.surrogates.lists import listed_words

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PLAN = "b" * 64
SURNAMES = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Gum")
TEXTS = {f"d{i}": f"😀 Today Ann {name} came to us again." for i, name in enumerate(SURNAMES)}
GOLD = tuple(
    Document(doc_id, text, spans=(Span(8, re.search(" came", text).start(), "NAME"),)) for doc_id, text in TEXTS.items()
)


@pytest.fixture(scope="module")
def places(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Release the texts and return release and workspace."""
    folder = tmp_path_factory.mktemp("attacked")
    workspace, release = open_workspace(folder / "workspace", PLAN), open_release(folder / "release", PLAN)
    documents = spark.createDataFrame(
        [(doc_id, None, text, {}) for doc_id, text in TEXTS.items()], tables.ddl(tables.DOCUMENTS)
    )
    edits = spark.createDataFrame([(doc_id, 8, 11, "suppress", "[NAME]") for doc_id in TEXTS], tables.ddl(tables.EDITS))
    write_table(documents, workspace, "documents")
    write_table(edits, workspace, "edits")
    write_absent(workspace)
    workspace.folder.write("manifest.json", b'{"models": []}')
    publish(rewrite(documents, edits).select("doc_id", "text"), release, {"kind": "release"}, "")
    return str(folder / "release"), str(folder / "workspace")


def attacked(
    spark: SparkSession,
    places: tuple[str, str],
    gold: list[Document] | tuple[Document, ...],
    *,
    surrogates: bool = False,
) -> dict[str, Any]:
    config = AttackConfig(learners=("svm",), features="hide", stronger="hide")
    release, workspace = places
    options = AttackOptions(
        release=release, workspace=workspace, gold="gold.jsonl", format="jsonl", budgets=(3,), surrogates=surrogates
    )
    return attack_release(spark, options, gold, config, progress=lambda line: None)


def test_surnames_behind_placeholders_are_found(spark: SparkSession, places: tuple[str, str]) -> None:
    report = attacked(spark, places, GOLD)
    assert (report["documents"], report["sensitive_words"], report["residual_words"]) == (6, 12, 6)
    assert report["publish_ratio"] == pytest.approx(6 / 7)
    best = report["attackers"][report["most_accurate"]]
    assert (best["true_positives"], best["false_positives"], best["learner"]) == (6, 0, "svm")
    assert best["budgets"][0]["identified"] == 3.0
    assert not best["bounds"][0]["applies"]


def test_a_release_with_keyed_ids_is_matched_by_its_texts(
    spark: SparkSession, places: tuple[str, str], tmp_path: Path
) -> None:
    workspace, plan = places[1], "c" * 64
    ids = spark.read.format("delta").load(f"{places[0]}/documents").selectExpr("sha2(doc_id, 256) AS doc_id", "text")
    publish(ids, open_release(tmp_path / "release", plan), {"kind": "release"}, "")
    keyed = attacked(spark, (str(tmp_path / "release"), workspace), GOLD)
    assert keyed == attacked(spark, places, GOLD)


def test_real_names_among_surrogates_are_guessed(spark: SparkSession, places: tuple[str, str], tmp_path: Path) -> None:
    workspace, plan = open_workspace(tmp_path / "workspace", "d" * 64), "d" * 64
    release = open_release(tmp_path / "release", plan)
    edits = spark.createDataFrame(
        [(doc_id, 8, 11, "surrogate", "Keller") for doc_id in TEXTS], tables.ddl(tables.EDITS)
    )
    documents = spark.createDataFrame(
        [(doc_id, None, text, {}) for doc_id, text in TEXTS.items()], tables.ddl(tables.DOCUMENTS)
    )
    for name, table in {"documents": documents, "edits": edits}.items():
        write_table(table, workspace, name)
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists/family.txt").write_text("Fir\n")
    rules = {"NAME": {"technique": "surrogate", "lists": str(tmp_path / "lists")}}
    workspace.folder.write("manifest.json", json.dumps({"models": [], "plan": {"rules": rules}}).encode())
    publish(rewrite(documents, edits).select("doc_id", "text"), release, {"kind": "release"}, "")
    report = attacked(spark, (str(tmp_path / "release"), str(tmp_path / "workspace")), GOLD, surrogates=True)
    told, by_name = report["surrogates"], {row["attacker"]: row for row in report["surrogates"]["attackers"]}
    assert (told["documents"], told["surrogates"], told["missed"], told["learner"]) == (6, 6, 6, "svm, hide")
    listed = listed_words()
    assert by_name["lists"]["right"] == sum(name.lower() not in {*listed, "fir"} for name in SURNAMES)
    assert by_name["lists"]["guesses"] == by_name["lists"]["right"]
    page = attack_page(report)
    assert "Names that are real" in page
    assert "Keller" not in page
    with pytest.raises(UsageError, match="documents with surrogates"):
        attacked(spark, places, GOLD, surrogates=True)


def test_gold_of_other_texts_is_refused(spark: SparkSession, places: tuple[str, str]) -> None:
    with pytest.raises(CorpusError, match="contains no gold document"):
        attacked(spark, places, [Document("other", "x")])
    changed = [GOLD[0]._replace(text=GOLD[0].text.replace("again", "twice"))]
    with pytest.raises(CorpusError, match=r"d0: its text .*/workspace"):
        attacked(spark, places, changed)


def test_a_workspace_of_another_run_is_refused(spark: SparkSession, places: tuple[str, str], tmp_path: Path) -> None:
    release, workspace = places[0], str(tmp_path / "workspace")
    shutil.copytree(places[1], workspace)
    more = spark.createDataFrame([("d1", 0, 1, "suppress", "[X]")], tables.ddl(tables.EDITS))
    more.write.format("delta").mode("append").save(f"{workspace}/edits")
    with pytest.raises(CorpusError, match=r"document d1 .*workspace \(1 of 6 "):
        attacked(spark, (release, workspace), GOLD)
