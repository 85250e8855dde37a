"""Plans over DataFrames that a user has."""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession

import spark_deid as sd
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.kinds import AssessmentResult
from spark_deid.pipeline import describing
from spark_deid.pipeline.detecting import carry_out
from spark_deid.pipeline.recounting import CheckedDecisions, check

PLAN = {"patterns": {"kinds": "all"}}
TEXTS = {
    "d1": "Call 212-555-0147 at once.",
    "d2": "Mail ann@example.org 😀 or call 212-555-0199.",
    "d3": "Nothing in here.",
    "d4": "ann@example.org",
}
ODD: dict[str, Any] = {"text": "the `note`.x", "doc_id": "Doc Id", "subject_id": "patient;"}


def given(texts: dict[str, str] = TEXTS, **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"doc_id": list(texts), "text": list(texts.values()), **columns})
    return frame


def of_spark(spark: SparkSession, frame: pd.DataFrame) -> DataFrame:
    rows = [tuple(None if pd.isna(value) else value for value in row) for row in frame.itertuples(index=False)]
    names = ", ".join(f"`{name.replace('`', '``')}` string" for name in frame.columns)
    return spark.createDataFrame(rows, names)


def texts_of(frame: DataFrame | pd.DataFrame) -> dict[str, str]:
    rows = frame.toPandas() if isinstance(frame, DataFrame) else frame
    return dict(zip(rows["doc_id"], rows["text"], strict=True))


def rows_of(frame: DataFrame | pd.DataFrame) -> set[tuple[object, ...]]:
    rows = frame.toPandas() if isinstance(frame, DataFrame) else frame
    return {tuple(None if pd.isna(value) else value for value in row) for row in rows.itertuples(index=False)}


@pytest.fixture(autouse=True)
def nothing_stays(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Search for what a call left: files, and tables that Spark keeps."""
    spill = Path(spark.sparkContext.getConf().get("spark.local.dir") or "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert not list(tmp_path.glob("spark-deid-*"))
    assert not list(spill.glob("spark-deid-*"))


def kept(spark: SparkSession) -> frozenset[int]:
    """Name what is persisted; what results of before made may go at any time."""
    context: Any = spark.sparkContext
    return frozenset(map(int, context._jsc.getPersistentRDDs().keySet()))


@pytest.fixture(params=["spark", pytest.param("pandas", marks=pytest.mark.thorough)])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(spark: SparkSession, kind: str, frame: pd.DataFrame) -> Any:
    return frame if kind == "pandas" else of_spark(spark, frame)


def test_documents_spans_edits_and_assessments_are_frames_of_the_kind_given(spark: SparkSession, kind: str) -> None:
    frame = made(spark, kind, given())
    done = sd.sanitize(frame, PLAN)
    assert "ann@" not in repr(done)
    html = done.compare("d4")._repr_html_()
    assert "<del>ann@example.org</del>" in html
    assert "<ins>[EMAIL]</ins>" in html
    with pytest.raises(sd.UsageError, match="expected the id of a sanitized document"):
        done.compare("d9")
    assert all(
        isinstance(each, type(frame))
        for each in (done.documents, done.spans, done.edits, done.assessments, done.rejects)
    )
    assert texts_of(done.documents) == {
        "d1": "Call [PHONE] at once.",
        "d2": "Mail [EMAIL] 😀 or call [PHONE].",
        "d3": "Nothing in here.",
        "d4": "[EMAIL]",
    }
    assert {row[:4] for row in rows_of(done.spans)} == {
        (doc_id, span.start, span.end, span.label)
        for doc_id, text in TEXTS.items()
        for span in sd.detect(text, plan=PLAN)
    }
    edits = [row for row in rows_of(done.edits) if row[0] == "d2"]
    assert apply_edits(TEXTS["d2"], [Edit(*row[1:]) for row in edits]) == texts_of(done.documents)["d2"]  # type: ignore[arg-type]
    assert {row[0]: row[4] for row in rows_of(done.assessments)} == {"every-marked-character-edited": True}
    assert (done.counts.documents, done.counts.spans, done.counts.edits) == (4, 4, 4)


def test_columns_may_have_any_names(spark: SparkSession, kind: str) -> None:
    frame = given(patient="p", ward="w 1").rename(
        columns={"text": ODD["text"], "doc_id": ODD["doc_id"], "patient": ODD["subject_id"], "ward": "a `ward`.b"}
    )
    metadata = ("a `ward`.b", ODD["subject_id"])
    done = sd.sanitize(made(spark, kind, frame.assign(text="SECRET")), PLAN, **ODD, metadata=metadata)
    assert list(done.documents.columns) == ["doc_id", "text", *metadata]
    assert texts_of(done.documents)["d4"] == "[EMAIL]"
    assert {row[2:] for row in rows_of(done.documents)} == {("w 1", "p")}


def test_every_row_is_a_document_or_a_reject(spark: SparkSession, kind: str) -> None:
    rows = [("a", "one"), ("a", "two"), (None, "three"), ("b", None), ("c", ""), ("d", "nul\0"), ("a", "one")]
    frame = pd.DataFrame(rows, columns=["doc_id", "text"])
    done = sd.sanitize(made(spark, kind, frame), PLAN)
    assert done.counts.rejects == {"duplicate-id": 2, "no-id": 1, "no-text": 1, "empty": 1, "nul": 1}
    assert len(rows_of(done.documents)) == 1
    assert {row[1] for row in rows_of(done.rejects)} == set(done.counts.rejects)
    assert "duplicate-id 2" in repr(done)
    if kind == "pandas":
        assert texts_of(done.documents) == {"a": "one"}
        assert list(done.rejects["source"]) == [f"iloc[{place}]" for place in (1, 2, 3, 4, 5, 6)]


def test_half_a_pair_in_pandas_is_rejected(spark: SparkSession) -> None:
    done = sd.sanitize(given({"a": "fine", "b": "half \ud800"}), PLAN)
    assert done.counts.rejects == {"malformed": 1}


def test_how_rows_are_distributed_changes_nothing(spark: SparkSession) -> None:
    rows = [(f"d{n % 20}", f"{n % 3} call 212-555-01{n % 50:02} or ann{n}@example.org") for n in range(50)]
    frame = spark.createDataFrame(rows, "doc_id string, text string")
    one, seven = (sd.sanitize(frame.repartition(n), PLAN) for n in (1, 7))
    for name in ("documents", "spans", "edits", "assessments"):
        assert rows_of(getattr(one, name)) == rows_of(getattr(seven, name))
    assert one.counts == seven.counts


def test_pandas_results_come_in_the_order_of_the_frame(spark: SparkSession) -> None:
    names = ["z", "b", "y", "a"]
    done = sd.sanitize(given(dict(zip(names, TEXTS.values(), strict=True))), PLAN)
    assert list(done.documents["doc_id"]) == names
    assert [(row.doc_id, row.start) for row in done.edits.itertuples()] == [("z", 5), ("b", 5), ("b", 31), ("a", 0)]


def test_rare_text_is_counted_by_person(spark: SparkSession, kind: str) -> None:
    texts = {"a": "shared words here", "b": "shared words here", "c": "only mine, twice", "d": "only mine, twice"}
    frame = made(spark, kind, given(texts, patient=["p", "q", "r", "r"]))
    plan = {"repeats": {"k": 2, "min_length": 3}}
    by_person = texts_of(sd.sanitize(frame, plan, subject_id="patient").documents)
    assert (by_person["a"], by_person["c"]) == (texts["a"], "★")
    by_document = sd.sanitize(frame, plan)
    assert texts_of(by_document.documents) == texts
    assert len(rows_of(by_document.assessments)) == 2


def test_a_refused_gate_leaves_nothing(spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*args: Any, **given: Any) -> CheckedDecisions:
        checked = check(*args, **given)
        assessed = checked.assessed[0].assessment._replace(satisfied=False)
        return CheckedDecisions(checked.counted, (AssessmentResult(assessed),))

    monkeypatch.setattr("spark_deid.pipeline.steps.check", failing)
    frame, before = made(spark, kind, given()), kept(spark)
    with pytest.raises(sd.GateRefused, match="every-marked-character-edited"):
        sd.sanitize(frame, PLAN)
    assert not kept(spark) - before


def test_what_is_kept_is_what_results_are_made_of(spark: SparkSession) -> None:
    before = kept(spark)
    sd.sanitize(given(), PLAN)
    assert not kept(spark) - before
    done = sd.sanitize(of_spark(spark, given({**TEXTS, "e": ""})), {**PLAN, "repeats": {"k": 2}})
    assert len(kept(spark) - before) == 4
    assert len(rows_of(done.rejects)) == 1


def test_results_do_not_depend_on_the_frame(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "notes.parquet"
    given().to_parquet(path)
    done = sd.sanitize(spark.read.parquet(str(path)), PLAN)
    path.unlink()
    assert texts_of(done.documents)["d4"] == "[EMAIL]"


def test_scratch_is_for_its_owner_only(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def looking(settings: Any, corpus: Any, run: Any, clock: Any) -> Any:
        seen.append(os.stat(run.scratch).st_mode & 0o777)
        return carry_out(settings, corpus, run, clock)

    monkeypatch.setattr("spark_deid.pipeline.steps.carry_out", looking)
    sd.sanitize(given(), PLAN)
    assert seen == [0o700]


def test_ids_may_be_keyed_those_of_people_too(spark: SparkSession, kind: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    frame = made(spark, kind, given(patient="p"))
    plan = {**PLAN, "release_ids": "keyed", "key_file": key}
    done = sd.sanitize(frame, plan, subject_id="patient", metadata=["patient"])
    ids = {row[0] for row in rows_of(done.documents)}
    assert all(len(str(name)) == 32 for name in ids)
    assert "p" not in {row[2] for row in rows_of(done.documents)}
    assert "d1" in {row[0] for row in rows_of(done.edits)}
    again = sd.sanitize(frame, plan)
    assert {row[0] for row in rows_of(again.documents)} == ids


def test_metadata_is_kept_keyed_or_looked_through_and_reported(spark: SparkSession, kind: str) -> None:
    columns: dict[str, Any] = {
        name: ["a@example.org", "x", "a@example.org", None] for name in ("sender", "about", "seen")
    }
    frame = given(who=["p", "q", "p", "q"], **columns)
    ways: dict[str, Any] = {"sender": "keyed", "about": "detect", "who": "keyed"}
    done = sd.sanitize(made(spark, kind, frame), {**PLAN, "metadata": ["seen"]}, subject_id="who", metadata=ways)
    rows = done.documents.toPandas() if isinstance(done.documents, DataFrame) else done.documents
    by_id = rows.set_index("doc_id").to_dict("index")
    assert [by_id[each]["about"] for each in TEXTS] == ["[EMAIL]", "x", "[EMAIL]", None]
    assert [by_id[each]["seen"] for each in TEXTS] == columns["seen"]
    assert by_id["d1"]["sender"] == by_id["d3"]["sender"] not in (*columns["sender"], by_id["d2"]["sender"])
    assert by_id["d1"]["who"] == by_id["d3"]["who"] not in ("p", by_id["d2"]["who"])
    assert any(
        "metadata.seen: published unchanged" in each and "EMAIL in 2 documents" in each for each in done.warnings
    )
    assert not [each for each in done.warnings if "sender" in each or "about" in each]


def test_gold_is_kept_and_what_it_leaves_is_reported(spark: SparkSession) -> None:
    frame = given({"a": "Ann called."}, found=[[{"start": 0, "end": 3, "label": "NAME"}]])
    done = sd.sanitize(frame, PLAN, gold="found")
    assert list(done.spans["source"]) == ["gold"]
    assert any("1 input annotations still contain an unedited word" in each for each in done.warnings)
    edited = sd.sanitize(frame, {"sources": ["gold"]}, gold="found")
    assert texts_of(edited.documents) == {"a": "[NAME] called."}


def test_wrong_columns_are_reported_before_anything_is_read(spark: SparkSession, kind: str) -> None:
    with pytest.raises(sd.UsageError, match="text: there is no column 'note'"):
        sd.sanitize(made(spark, kind, given()), PLAN, text="note")
    with pytest.raises(sd.UsageError, match="metadata: there is no column 'ward'"):
        sd.sanitize(made(spark, kind, given()), {**PLAN, "metadata": ["ward"]})


def test_columns_of_spark_must_hold_what_they_are_for(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(1.5, 7)], "doc_id double, text int")
    with pytest.raises(sd.UsageError) as raised:
        sd.sanitize(frame, PLAN)
    assert "text: expected column 'text' to hold strings, it holds int" in str(raised.value)
    assert "doc_id: expected column 'doc_id' to hold strings or integers, it holds double" in str(raised.value)


def test_a_frame_in_which_nothing_can_be_read_is_an_error(spark: SparkSession, kind: str) -> None:
    with pytest.raises(sd.CorpusError, match="empty 1"):
        sd.sanitize(made(spark, kind, given({"a": ""})), PLAN)
    with pytest.raises(sd.CorpusError, match=r"^the frame: it has no rows$"):
        sd.sanitize(made(spark, kind, given().head(0)), PLAN)


def test_other_frames_are_refused() -> None:
    with pytest.raises(sd.UsageError, match=r"expected a .*pandas"):
        sd.sanitize([{"text": "a"}], PLAN)  # type: ignore[type-var]


def test_on_a_cluster_a_folder_must_be_named(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark.sparkContext, "master", "spark://host:7077")
    with pytest.raises(sd.UsageError, match="scratch: on a cluster, name a folder"):
        sd.sanitize(of_spark(spark, given()), PLAN)


def test_what_is_temporary_is_where_it_is_asked_for(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "shared"
    with pytest.raises(sd.UsageError, match="scratch: expected a folder"):
        sd.sanitize(given(), PLAN, scratch=folder)
    folder.mkdir()
    monkeypatch.setattr("spark_deid.pipeline.steps.carry_out", None)
    with pytest.raises(TypeError):
        sd.sanitize(given(), PLAN, scratch=folder)
    assert not list(folder.iterdir())


def test_a_manifest_goes_with_the_documents_that_reports_what_a_release_states(
    spark: SparkSession, kind: str, tmp_path: Path
) -> None:
    source = tmp_path / "notes.jsonl"
    source.write_text("".join(json.dumps({"doc_id": name, "text": text}) + "\n" for name, text in TEXTS.items()))
    methods: dict[str, Any] = {**PLAN, "repeats": {"k": 2}}
    places: dict[str, Any] = {"workspace": str(tmp_path / "w"), "release": str(tmp_path / "r")}
    sd.Plan(**methods, input={"path": str(source), "format": "jsonl"}, **places).run()
    released = json.loads((tmp_path / "r" / "manifest.json").read_text())
    done = sd.sanitize(made(spark, kind, given()), methods)
    assert done.manifest.keys() == released.keys()
    apart = {"times", "hmac_sha256", "plan"}
    assert {key: done.manifest[key] for key in released.keys() - apart} == {
        key: value for key, value in released.items() if key not in apart
    }
    assert done.manifest["plan"] == released["plan"] | {"format": "dataframe"}
    assert json.loads((tmp_path / "w" / "manifest.json").read_text())["warnings"] == list(done.warnings)


def test_removed_text_that_is_elsewhere_is_warned_of(spark: SparkSession, kind: str) -> None:
    texts = {"ann@example.org": "Nothing here.", "b": "Write to ann@example.org today."}
    done = sd.sanitize(made(spark, kind, given(texts, ward="9")), PLAN, metadata=["ward"])
    told = [each for each in done.warnings if "is still published in ids" in each]
    assert len(told) == 1
    assert "EMAIL 1 (in 1 document)" in told[0]
    assert "release_ids: keyed" in told[0]
    assert not [each for each in done.warnings if "ann@" in each]


def test_removed_text_next_to_the_documents_leaves_no_result(
    spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = describing.public_plan
    monkeypatch.setattr(describing, "public_plan", lambda settings: told(settings) | {"terms": ["to ann@example.org"]})
    with pytest.raises(sd.GateRefused, match=r"contain removed text \(manifest: EMAIL 1\)") as refused:
        sd.sanitize(made(spark, kind, given()), PLAN)
    assert "ann@" not in str(refused.value)


def test_a_column_named_by_what_was_removed_leaves_no_result(spark: SparkSession, kind: str) -> None:
    frame = made(spark, kind, given(TEXTS, **{"of ann@example.org": "9"}))
    with pytest.raises(sd.GateRefused, match="names of columns: EMAIL 1"):
        sd.sanitize(frame, PLAN, metadata=["of ann@example.org"])


def test_streams_are_refused_by_name(spark: SparkSession) -> None:
    rows = (
        spark.readStream.format("rate").load().selectExpr("cast(value as string) doc_id", "cast(value as string) text")
    )
    with pytest.raises(sd.UsageError, match="sanitize: streaming DataFrames are not supported"):
        sd.sanitize(rows, PLAN)
    with pytest.raises(sd.UsageError, match="anonymize: streaming DataFrames"):
        sd.anonymize(rows, quasi=["text"], model="k=2")


OWN = pd.DataFrame(
    {
        "note": ["Call 212-555-0147.", None, "Nothing in here.", "ann@example.org 😀"],
        "ward": ["north", "south", "north", "east"],
        "beds": pd.array([1, 2, None, 4], dtype="Int64"),
        "text": ["a", "b", "c", "d"],
    }
)


def own_of_spark(spark: SparkSession) -> DataFrame:
    rows = [(note, ward, None if beds is pd.NA else int(beds), text) for note, ward, beds, text in OWN.values.tolist()]
    return spark.createDataFrame(rows, "note string, ward string, beds bigint, text string").repartition(3)


def test_every_column_of_a_frame_can_be_kept_with_its_type(spark: SparkSession, kind: str) -> None:
    frame: Any = OWN if kind == "pandas" else own_of_spark(spark)
    done: Any = sd.sanitize(frame, PLAN, text="note", keep="all")
    assert list(done.frame.columns) == list(OWN.columns)
    assert (done.frame.schema if kind == "spark" else list(done.frame.dtypes)) == (
        frame.schema if kind == "spark" else list(OWN.dtypes)
    )
    assert rows_of(done.frame) == {
        ("Call [PHONE].", "north", 1, "a"),
        ("Nothing in here.", "north", None, "c"),
        ("[EMAIL] 😀", "east", 4, "d"),
    }
    assert done.counts.rejects == {"no-text": 1}


def test_a_column_that_identifies_is_refused_unless_named(spark: SparkSession, kind: str) -> None:
    others: Any = {"who is it": ["p1", "p1", "p2", "p3"]}
    frame = given(ward=["north", "call 212-555-0199", "b", "c"], **others)
    kept: Any = {"keep": "all", "subject_id": "who is it"}
    with pytest.raises(sd.GateRefused) as caught:
        sd.sanitize(made(spark, kind, frame), PLAN, **kept)
    assert re.search(r"column ward: [^;]*\bPHONE\b", str(caught.value))
    assert "column who is it: it identifies the person" in str(caught.value)
    assert "555" not in str(caught.value)
    named: Any = {"ward": "detect", "who is it": "keyed"}
    done: Any = sd.sanitize(made(spark, kind, frame), PLAN, metadata=named, **kept)
    rows = {row[0]: row for row in rows_of(done.frame)}
    assert {name: (row[1], row[2]) for name, row in rows.items()} == {
        "d1": ("Call [PHONE] at once.", "north"),
        "d2": ("Mail [EMAIL] 😀 or call [PHONE].", "call [PHONE]"),
        "d3": ("Nothing in here.", "b"),
        "d4": ("[EMAIL]", "c"),
    }
    assert rows["d1"][3] == rows["d2"][3] != rows["d3"][3]
    assert not {"p1", "p2"} & {row[3] for row in rows.values()}


def test_the_first_rows_of_a_frame_refuse_it_before_the_work(
    spark: SparkSession, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the work began")

    monkeypatch.setattr("spark_deid.api.sanitize._carried_out", never)
    texts = {f"d{number}": "Nothing in here." for number in range(1002)}
    wards = ["north", "call 212-555-0199", *["south"] * 1000]
    frame = made(spark, kind, given(texts, ward=wards, who=wards))
    with pytest.raises(sd.GateRefused, match=r"column ward: [^;]*\bPHONE\b[^;]* 1 of the first 1,000 rows"):
        sd.sanitize(frame, PLAN, keep="all", subject_id="who")
    with pytest.raises(sd.GateRefused, match="column who: it identifies the person"):
        sd.sanitize(made(spark, kind, given(who=["a"] * 4)), PLAN, keep="all", subject_id="who")
    days = given(texts, visit=["2014-03-04"] * 1002)
    with pytest.raises(sd.GateRefused, match=r"the first 1,000 documents: metadata\.visit: .*\(rules\.DATE: shift\)"):
        sd.sanitize(made(spark, kind, days), {**PLAN, "rules": {"DATE": "shift"}}, metadata=["visit"])
    with pytest.raises(sd.UsageError, match="there is no column 'absent'"):
        sd.sanitize(frame, PLAN, keep="all", text="absent")


def test_ids_are_looked_through_as_every_column(spark: SparkSession, kind: str) -> None:
    frame = given({"ann@example.org": "Nothing in here."})
    with pytest.raises(sd.GateRefused, match=r"column doc_id: [^;]*\bEMAIL\b"):
        sd.sanitize(made(spark, kind, frame), PLAN, keep="all")


def test_what_cannot_be_kept_is_reported(spark: SparkSession) -> None:
    names = OWN.set_index("ward")
    for frame, plan, message in (
        (names, PLAN, "reset_index"),
        (OWN, {**PLAN, "release_ids": "keyed"}, "release_ids"),
        (OWN, {"repeats": {"k": 2}}, "no detector of the plan reads single values"),
        (pd.DataFrame({"note": ["a"], 7: ["b"]}), PLAN, "expected strings as column names"),
        (of_spark(spark, given()).unionAll(of_spark(spark, given())), PLAN, "some occur twice"),
    ):
        text = "note" if "note" in frame.columns else "text"
        with pytest.raises(sd.UsageError, match=message):
            sd.sanitize(frame, plan, text=text, keep="all")  # type: ignore[type-var]


def test_results_show_themselves_in_notebooks_without_text(spark: SparkSession) -> None:
    done = sd.sanitize(given(), PLAN)
    shown = done._repr_html_()
    assert "every-marked-character-edited" in shown
    assert not any(word in shown for text in TEXTS.values() for word in text.split() if len(word) > 5)
    assert done.frame is None


def test_more_rejects_than_a_plan_allows_are_refused_with_hints(spark: SparkSession) -> None:
    texts = {"d1": TEXTS["d1"], "d2": "a\0b"}
    assert sd.sanitize(given(texts), {**PLAN, "max_rejects": 0.5}).counts.rejects == {"nul": 1}
    with pytest.raises(
        sd.GateRefused, match=r"1 of the 2 records was rejected \(nul 1\), more than max_rejects: 0.49.*UTF-16"
    ):
        sd.sanitize(given(texts), {**PLAN, "max_rejects": 0.49})


def test_terms_that_remain_are_counted_and_warned_of_where_annotations_mark_them(spark: SparkSession) -> None:
    gold: Any = [[{"start": 0, "end": 15, "label": "EMAIL"}]]
    frame = given({"d1": "ann@example.org, not bo@example.org"}, gold=gold)
    done = sd.sanitize(frame, {**PLAN, "allow": {"words": ["ann@example.org"]}}, gold="gold")
    assert texts_of(done.documents) == {"d1": "ann@example.org, not [EMAIL]"}
    assert "1 spans are published unchanged, because allow lists their text: patterns 1" in done.warnings
    assert "1 input annotations cover text that allow keeps" in done.warnings


def test_what_is_no_column_and_no_way_to_keep_is_refused() -> None:
    frame = pd.DataFrame({"doc_id": ["a"], "text": ["Ann"], "ward": ["3"]})
    with pytest.raises(sd.UsageError, match=r"metadata: 'wrad' is not a column of the frame; did you mean ward"):
        sd.sanitize(frame, PLAN, keep="all", metadata={"wrad": "keyed"})
    with pytest.raises(sd.UsageError, match="keep: expected 'all' or None, got 'everything'"):
        sd.sanitize(frame, PLAN, keep="everything")  # type: ignore[arg-type]


def test_annotations_only_of_which_there_are_none_refuse_a_frame(spark: SparkSession) -> None:
    plan = {"sources": ["gold"], "rules": {"NAME": "suppress"}}
    frame = spark.createDataFrame([("a", "Ann Lee came.")], "doc_id string, text string")
    with pytest.raises(sd.GateRefused, match="edits only annotations"):
        sd.sanitize(frame, plan)
