"""Surrogates, shifted dates and pseudonyms over a corpus: one set a person, alike for any partitioning."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_deid as sd
from spark_deid.app.restoring import check_originals, read_pseudonymized
from spark_deid.app.verified_release import _turned_back as turned_back
from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, LinkedMention
from spark_deid.core.kinds import GuaranteeEvidence, MethodContext
from spark_deid.plan.config import MethodSettings
from spark_deid.release.publish import publish
from spark_deid.release.spark.tables import write_table
from spark_deid.release.workspace import open_release, open_workspace
from spark_deid.rewriting.spark.operators import rewrite
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.guarantee import KIND
from spark_deid.surrogates.lists import half_of, lists_of
from spark_deid.surrogates.recounting import SurrogateClaim
from spark_deid.surrogates.restoring import restore
from spark_deid.surrogates.scoped import scope_of
from spark_deid.surrogates.spark.assigning import ASSIGNED, assign_corpus, scope_column
from spark_deid.surrogates.spark.metadata import MOVED, columns_of_dates
from spark_deid.surrogates.spark.recount import recount
from spark_deid.surrogates.surrogate_scope import SurrogateWork
from spark_deid.values.locale import ValueLocale
from tests.attacks.runs import run
from tests.spark.decided import Row, annotated_of, carried_out, place_in, plan_of

RULES = {"NAME": "surrogate", "CITY": "surrogate", "ID": "surrogate", "DATE": "shift"}
RULES |= {"WARD": {"technique": "pseudonym", "scope": "subject"}}  # type: ignore[dict-item]
MARKED: dict[tuple[str, str | None, str], dict[str, str]] = {
    ("a1", "p1", "Dr. SMITH, John Q. of Boston, MRN 4711-22, was on 3W at 3/4/2014."): {
        "Dr. SMITH, John Q.": "NAME", "Boston": "CITY", "MRN 4711-22": "ID", "3/4/2014": "DATE", "3W": "WARD",
    },
    ("a2", "p1", "[WARD 1] Jane Smith from boston came to 3w on March 11th, 2014."): {
        "Jane Smith": "NAME", "March 11th, 2014": "DATE", "boston": "CITY", "3w": "WARD",
    },
    ("b1", "p2", "John Smith, seen 2014-03-04 and in 2013."): {
        "John Smith": "NAME", "2014-03-04": "DATE", "2013": "DATE",
    },
    ("c1", None, "John Smith, seen 2014-03-04; user_7."): {
        "John Smith": "NAME", "2014-03-04": "DATE", "user_7": "NAME",
    },
}  # fmt: skip


def rows() -> list[Row]:
    found: list[Row] = []
    for (doc_id, person, text), marked in MARKED.items():
        places = sorted((text.index(surface), surface, label) for surface, label in marked.items())
        spans = [(start, start + len(surface), label, None, "gold", None) for start, surface, label in places]
        found.append((doc_id, person, text, {}, spans))
    return found


def carry(spark: SparkSession, partitions: int, rules: dict[str, Any] = RULES) -> tuple[MethodSettings, Corpus]:
    settings = plan_of({"sources": ["gold"], "rules": rules})
    return settings, carried_out(settings, annotated_of(spark, rows()).repartition(partitions), subjects=3)


def texts_of(corpus: Corpus) -> dict[str, str]:
    return {row["doc_id"]: row["published"] for row in corpus.decisions.collect()}


@pytest.fixture(scope="module")
def carried(spark: SparkSession) -> tuple[MethodSettings, Corpus]:
    return carry(spark, 1)


def reasons(settings: MethodSettings, corpus: Corpus) -> tuple[str, ...]:
    demand = settings.demands["consistent_surrogates"]
    return KIND.assess(demand, GuaranteeEvidence(settings, corpus, corpus.decisions, {}, 4, 3)).reasons


def test_partitions_change_nothing_and_a_person_has_one_set(
    spark: SparkSession, carried: tuple[MethodSettings, Corpus]
) -> None:
    texts = texts_of(carried[1])
    assert texts_of(carry(spark, 7)[1]) == texts
    family = texts["a1"].split()[1].strip(",")
    assert family.isupper()
    assert f" {family.capitalize()} from " in texts["a2"]
    city = texts["a1"].partition(" of ")[2].partition(",")[0]
    assert f"from {city.lower()} came" in texts["a2"]
    assert "[WARD 2]" in texts["a1"]
    assert texts["a2"].startswith("[WARD 1] ")
    assert "to [WARD 2] on" in texts["a2"]
    assert texts["b1"].endswith("and in [DATE].")
    assert texts["c1"].endswith("; [NAME].")


def test_the_recount_holds_and_refuses_what_does_not(carried: tuple[MethodSettings, Corpus]) -> None:
    settings, corpus = carried
    assert reasons(settings, corpus) == ()
    city = texts_of(corpus)["a1"].partition(" of ")[2].partition(",")[0]
    same = next(each for each in lists_of(ValueLocale()).city.entries if half_of(each) == half_of("Boston"))
    wrong = {"contain the original": {city: "Boston"}, "in the half of their original": {city: same}}
    for what, swaps in wrong.items():
        assert any(what in each for each in reasons(settings, swapped(corpus, swaps)))
    assert any("a single number of days" in each for each in reasons(settings, moved(corpus)))


def test_pseudonyms_of_a_person_are_put_back(carried: tuple[MethodSettings, Corpus]) -> None:
    _, corpus = carried
    own = read_pseudonymized(corpus.documents, corpus.edits, document=None, subject="p1")
    texts = texts_of(corpus)
    assert [each.text[:8] for each in own] == ["Dr. SMIT", "[WARD 1]"]
    exact = restore(texts["a2"], own)
    assert exact.is_exact
    assert exact.text.startswith("[WARD 1] ")
    assert " came to 3w on " in exact.text
    assert restore("Was [WARD 2] full?", own).text == "Was 3W full?"
    assert restore("was ward 2 full?", own).restored == 0
    assert restore("was ward 2 full?", own, lenient=True).text == "was 3W full?"


def test_a_second_corpus_goes_on_with_the_surrogates_of_the_first(
    spark: SparkSession, carried: tuple[MethodSettings, Corpus], tmp_path: Path
) -> None:
    family = texts_of(carried[1])["a1"].split()[1].strip(",").capitalize()
    older = next(
        f"Quigley{end}" for end in ("son", "sen", "sun", "san") if half_of(f"quigley{end}") == half_of("smith")
    )
    known = [("subject p1", "word", "smith", older, False), ("subject p1", "word", "gone", family, False)]
    before = pa.schema([field for field in ASSIGNED if field.name != "is_older"])
    spark.createDataFrame(known, tables.ddl(before)).write.parquet(f"file://{tmp_path}/surrogates")
    (tmp_path / "manifest.json").write_text("{}")
    rules = {
        **RULES,
        **{name: {"technique": "surrogate", "continue": str(tmp_path)} for name in ("NAME", "CITY", "ID")},
    }
    settings, corpus = carry(spark, 1, rules)
    texts = texts_of(corpus)
    assert texts["a1"].startswith(f"Dr. {older.upper()}, ")
    assert reasons(settings, corpus) == ()
    claim = settings.demands["consistent_surrogates"]._replace(continued=None)
    assert recount(corpus, claim).halves == 1, "only what an older workspace assigned is exempt"
    assert f" {family}" not in texts["a2"]


def swapped(corpus: Corpus, swaps: dict[str, str]) -> Corpus:
    def swap(edit: Column) -> Column:
        new = edit["replacement"]
        for old, other in swaps.items():
            new = F.when(new == old, other).otherwise(new)
        return edit.withField("replacement", new)

    return _with(corpus, corpus.decisions.withColumn("edits", F.transform("edits", swap)))


def moved(corpus: Corpus) -> Corpus:
    def move(edit: Column) -> Column:
        later = F.regexp_replace(edit["replacement"], r"20\d\d", "2020")
        return edit.withField("replacement", F.when(edit["technique"] == "shift", later).otherwise(edit["replacement"]))

    rows = corpus.decisions
    changed = rows.where("doc_id = 'a1'").withColumn("edits", F.transform("edits", move))
    return _with(corpus, rows.where("doc_id <> 'a1'").unionByName(changed))


def _with(corpus: Corpus, decisions: DataFrame) -> Corpus:
    return replace(corpus, decisions=decisions)


def test_columns_move_with_the_texts_of_their_person(spark: SparkSession, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "text": ["Seen 2014-03-04.", "Back on 2014-03-11.", "Seen 2014-03-04."],
            "who": ["p1", "p1", "p2"],
            "visit": ["2014-03-04", "2014-03-11 08:15:00", "soon"],
        }
    )
    table = tmp_path / "offsets.csv"
    table.write_text("subject_id,days\np1,-3\n")
    plan = {"patterns": {"kinds": ["date"]}, "rules": {"DATE": {"technique": "shift", "offsets": str(table)}}}
    done = sd.sanitize(frame, plan, text="text", doc_id="id", subject_id="who", metadata={"visit": "shift"})
    rows = done.documents.set_index("id" if "id" in done.documents else "doc_id").to_dict("index")
    assert rows["a"] == {"text": "Seen 2014-03-01.", "visit": "2014-03-01"}
    assert rows["b"] == {"text": "Back on 2014-03-08.", "visit": "2014-03-08 08:15:00"}
    assert rows["c"] == {"text": "Seen [DATE].", "visit": None}


def test_columns_of_dates_that_remain_are_refused_next_to_dates_that_move(spark: SparkSession) -> None:
    metas = [{"visit": "2014-03-04 08:00:00", "ward": "3 West", "left": "3/9/2014"}, {"ward": "2014-03-04", "left": ""}]
    rows = [(f"d{number}", "p", "Ann came.", meta) for number, meta in enumerate([*metas, {"ward": "7"}])]
    documents = spark.createDataFrame(rows, tables.ddl(tables.DOCUMENTS))
    assert columns_of_dates(documents, dict.fromkeys(("ward", "visit", "left", "none"), 0.5)) == ("visit", "left")
    assert columns_of_dates(documents, {"ward": 0.05, "none": 0.05}) == ("ward",)
    corpus = replace(Corpus.empty(spark), documents=documents)
    for way, technique, refused in (
        *(("keep", "shift", 1), ("detect", "shift", 1), ("keep-identifying", "shift", 0), ("keep", "suppress", 0)),
    ):
        rules = {"NAME": "surrogate", "DATE": technique}
        given = {"sources": ["gold", "patterns"], "patterns": {"kinds": ["email"]}}
        settings = plan_of({**given, "rules": rules, "metadata": {"visit": way, "ward": "detect"}})
        demand = settings.demands["consistent_surrogates"]
        found = KIND.assess(demand, GuaranteeEvidence(settings, corpus, corpus.decisions, {}, 4, 3))
        assert [each.startswith("metadata.visit: publishes unchanged dates") for each in found.reasons] == [
            True
        ] * refused
        assert (found.assessment.satisfied, found.assessment.value) == (not refused, refused)


def test_dates_that_remain_next_to_dates_that_move_are_refused_before_anything_is_searched(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = [{"doc_id": "a", "text": "Seen 2014-03-04.", "meta": {"sent": "2014-03-04T09:00:00"}}]
    plan: dict[str, Any] = {"patterns": {"kinds": ["date"]}, "rules": {"DATE": "shift"}, "metadata": {"sent": "keep"}}
    said: list[str] = []
    with pytest.raises(
        sd.GateRefused, match=r"metadata\.sent: .* \(rules\.DATE: shift\).* write metadata: \{sent: shift\}"
    ):
        run(tmp_path, lines, **plan, progress=said.append)
    assert said == []
    assert run(tmp_path, lines, **plan | {"metadata": {"sent": "shift"}}).manifest["documents"] == 1


def test_columns_that_move_otherwise_are_refused(spark: SparkSession, carried: tuple[MethodSettings, Corpus]) -> None:
    settings, corpus = carried
    texts = texts_of(corpus)
    seen = texts["b1"].partition("seen ")[2][:10]
    for after, faults in ((seen, 0), ("2014-03-05" if seen != "2014-03-05" else "2014-03-06", 1)):
        rows = [("b1", "p2", "2014-03-04", after)]
        moved_rows = spark.createDataFrame(rows, tables.ddl(MOVED))
        assert recount(corpus, settings.demands["consistent_surrogates"], moved_rows).offsets == faults


def test_verify_names_what_turns_pseudonyms_back_and_restore_refuses_without_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    workspace, release = open_workspace(tmp_path / "w", "e" * 64), open_release(tmp_path / "r", "e" * 64)
    documents = spark.createDataFrame([("d", None, "Ann came.", {})], tables.ddl(tables.DOCUMENTS))
    edits = spark.createDataFrame([("d", 0, 3, "pseudonym", "[NAME 1]")], tables.ddl(tables.EDITS))
    for name, table in {"documents": documents, "edits": edits}.items():
        write_table(table, workspace, name)
    manifest = {"kind": "release", "plan": {"rules": {"NAME": "pseudonym"}, "release_ids": "keep"}}
    publish(rewrite(documents, edits).select("doc_id", "text"), release, manifest, "")
    given = (spark, str(tmp_path / "r"), str(tmp_path / "w"), manifest)
    lines: list[str] = []
    assert turned_back(*given, lines.append) == (("documents", "edits"), True)
    assert "as long as one of these files or a copy of it exists: documents, edits" in lines[0]
    check_originals(str(tmp_path / "w"), spark)
    shutil.rmtree(tmp_path / "w/edits")
    assert turned_back(*given, lines.append) == (("documents",), False)
    with pytest.raises(sd.UsageError, match="expected documents and edits"):
        check_originals(str(tmp_path / "w"), spark)
    suppressed = {**manifest, "plan": {"rules": {"NAME": "suppress"}}}
    with pytest.raises(Exception, match="edits"):
        turned_back(*given[:3], suppressed, lines.append)


def test_what_a_known_date_shows_is_stated(carried: tuple[MethodSettings, Corpus]) -> None:
    settings, corpus = carried
    demand = settings.demands["consistent_surrogates"]
    found = KIND.assess(demand, GuaranteeEvidence(settings, corpus, corpus.decisions, {}, 4, 3))
    assert ["do not satisfy Safe Harbor" in each for each in found.notes] == [True]
    others = plan_of({"sources": ["gold"], "rules": {"PHONE": {"technique": "surrogate", "ranges": "reserved"}}})
    demand = others.demands["consistent_surrogates"]
    found = KIND.assess(demand, GuaranteeEvidence(others, corpus, corpus.decisions, {}, 4, 3))
    assert ["readers know them" in each for each in found.notes] == [True]


def linked(spark: SparkSession) -> DataFrame:
    """Give documents that name nobody, c1 and c2 by linkage of one person, and d1 of whom p1 is the key; e1 of none."""
    text, spans = "Ann Lee came.", [(0, 7, "NAME", None, "gold", None)]
    found: list[Row] = [(doc_id, None, text, {}, spans) for doc_id in ("c1", "c2", "d1", "e1")]
    known: Row = ("p", "p1", text, {}, spans)
    persons = {"c1": "document c1", "c2": "document c1", "d1": "p1"}
    schema = pa.schema([("doc_id", pa.string()), (tables.MENTIONS, pa.list_(tables.MENTION_STRUCT))])
    mentions = [(each, [(0, 7, "NAME", None, "", None, person, "name", None)]) for each, person in persons.items()]
    given = spark.createDataFrame(mentions, tables.ddl(schema))
    rows = annotated_of(spark, [*found, known]).join(given, on="doc_id", how="left")
    return rows.select(*tables.ANNOTATED.names, tables.MENTIONS)


def test_inferred_people_are_scopes(spark: SparkSession) -> None:
    place = ValueLocale()
    shift = ShiftRequest(365, False, place, b"k" * 32)
    work = SurrogateWork({"NAME": "name"}, frozenset(), place, shift, by_subject=True, key=b"k" * 32)
    plan = plan_of({"sources": ["gold"]})
    run = MethodContext(None, plan, lambda name, rows: rows, "", place_in(spark))
    corpus = replace(Corpus.empty(spark), annotated=linked(spark))
    torn = Path(run.place("surrogates")) / "part-0.snappy.parquet"
    torn.write_bytes(b"PAR1")
    assigned = assign_corpus(corpus, ["gold"], works=[work], run=run, earlier={})
    assert not torn.exists(), "what a killed task left is no assignment"
    rows = assigned.annotated.collect()
    assert sum(parts["annotated"].rows for parts in assigned.annotated_parts) == len(rows)
    assert replace(assigned, annotated=corpus.annotated).annotated_parts == ()
    written = {row["doc_id"]: [each["replacement"] for each in row["mentions"] if each["replacement"]] for row in rows}
    names = {doc_id: found[0] for doc_id, found in written.items()}
    assert names["c1"] == names["c2"]
    assert names["d1"] == names["p"]
    assert len({names["c1"], names["d1"], names["e1"]}) == 3


def test_spark_and_workers_agree_whose_a_document_is(spark: SparkSession) -> None:
    mentioned = linked(spark)
    for has_mentions, frame in ((True, mentioned), (False, mentioned.drop(tables.MENTIONS))):
        for row in frame.withColumn("scope", scope_column(has_mentions=has_mentions)).collect():
            given = (row[tables.MENTIONS] or ()) if has_mentions else ()
            mentions = tuple(LinkedMention(*each) for each in given)
            document = Document(row["doc_id"], row["text"], row["subject_id"], mentions=mentions)
            assert row["scope"] == scope_of(document, by_subject=True)


def test_the_recount_knows_inferred_people(spark: SparkSession) -> None:
    strings = (pa.field(name, pa.string()) for name in ("doc_id", "subject_id", "text"))
    schema = pa.schema([*strings, ("edits", pa.list_(tables.EDIT_STRUCT))])
    moved = {"c1": "2014-03-29", "c2": "2014-03-30", "e1": "2014-03-31"}
    rows = [(d, None, "2014-03-24", [(0, 10, "shift", after, "DATE")]) for d, after in moved.items()]
    decisions = spark.createDataFrame(rows, tables.ddl(schema))
    entities = spark.createDataFrame([("c1", "document c1"), ("c2", "document c1")], "doc_id string, subject_id string")
    corpus = replace(Corpus.empty(spark), decisions=decisions, entities=entities)
    claim = SurrogateClaim(by_subject=True, days=365, techniques=("shift",), names=frozenset())
    assert recount(corpus, claim).offsets == 0
    assert recount(corpus, claim._replace(infers=True)).offsets == 1


@pytest.mark.thorough
def test_a_run_goes_on_with_what_another_kept(spark: SparkSession, tmp_path: Path) -> None:
    released = {}
    for name, text in (("one", "Ann Lee came."), ("two", "Ann saw Bob Lee and Eve.")):
        spans = [{"start": text.index(n), "end": text.index(n) + len(n), "label": "NAME"} for n in _names(text)]
        source = tmp_path / f"{name}.jsonl"
        source.write_text(json.dumps({"doc_id": name, "subject_id": "p", "text": text, "spans": spans}) + "\n")
        rule = {"technique": "surrogate"} | ({"continue": str(tmp_path / "w-one")} if name == "two" else {})
        places = {"workspace": str(tmp_path / f"w-{name}"), "release": str(tmp_path / f"r-{name}")}
        sd.Plan(input={"path": str(source), "format": "jsonl"}, sources=["gold"], rules={"NAME": rule}, **places).run()
        rows = spark.read.format("delta").load(str(tmp_path / f"r-{name}/documents")).collect()
        released[name] = rows[0]["text"]
    given, family = released["one"].removesuffix(" came.").split()
    assert released["two"].startswith(f"{given} saw ")
    assert f" {family} and " in released["two"]


def _names(text: str) -> list[str]:
    return [name for name in ("Ann Lee", "Bob Lee", "Eve") if name in text] + (["Ann"] if "Ann saw" in text else [])
