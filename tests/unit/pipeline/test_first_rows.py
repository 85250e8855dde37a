"""The first rows of an input refuse a plan before Spark starts, and ``explain`` shows them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spark_deid as sd
from spark_deid import app
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from spark_deid.engine import choice
from spark_deid.pipeline import first_rows
from spark_deid.plan.load import check_plan

EXPLAINED = (app.explain, app.run)


@pytest.fixture
def plan_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("spark_deid.app.releasing.open_session", never)

    def make(rows: list[dict[str, object]], **plan: object) -> Path:
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        given = {"path": str(tmp_path / "in.jsonl"), "format": "jsonl"}
        places = {"workspace": str(tmp_path / "w"), "release": str(tmp_path / "r")}
        path = tmp_path / "plan.yaml"
        path.write_text(json.dumps({"input": given, **places, "patterns": {"kinds": "all"}, **plan}))
        return path

    return make


def rows(count: int, **meta: object) -> list[dict[str, object]]:
    return [{"doc_id": f"d{number}", "text": "Seen 3/4/2014.", "meta": meta} for number in range(count)]


def test_columns_of_dates_are_refused_by_their_first_values(plan_of: Callable[..., Path], tmp_path: Path) -> None:
    plan = plan_of(rows(3, visit="2014-03-04"), rules={"DATE": "shift"}, metadata=["visit"])
    for use in EXPLAINED:
        with pytest.raises(GateRefused, match=r"nothing is released: metadata\.visit: publishes unchanged dates"):
            use(plan, ())
    plan = plan_of(rows(1001, visit="2014-03-04"), rules={"DATE": "shift"}, metadata=["visit"])
    with pytest.raises(GateRefused, match=r"in the first 1,000 documents: metadata\.visit"):
        app.run(plan, ())
    assert not (tmp_path / "w").exists()


def test_a_constant_column_is_refused_only_if_all_rows_are_read(plan_of: Callable[..., Path]) -> None:
    plan: dict[str, Any] = {"rules": {"DATE": "shift"}, "metadata": {"form": "shift"}}
    for use in EXPLAINED:
        with pytest.raises(GateRefused, match=r"metadata\.form: shift moves a date that most people share"):
            use(plan_of(rows(20, form="2014-03-04"), **plan), ())
    assert "the first 1,000 records" in app.explain(plan_of(rows(1001, form="2014-03-04"), **plan), ())


def test_metadata_that_no_document_has_is_refused(plan_of: Callable[..., Path]) -> None:
    for use in EXPLAINED:
        with pytest.raises(UsageError, match=r"metadata: no document has 'bed'; "):
            use(plan_of(rows(2, ward="a"), metadata=["bed", "ward"]), ())
    told = app.explain(plan_of(rows(1001, ward="a"), metadata=["bed", "ward"]), ())
    assert "note: these documents lack metadata bed." in told


def test_explain_reports_rejects_that_a_run_refuses(plan_of: Callable[..., Path]) -> None:
    broken = [*rows(3), {"doc_id": "x", "text": ""}]
    assert "note: explain has read all 4 records of the input, 1 was rejected (empty 1)" in app.explain(
        plan_of(broken), ()
    )
    with pytest.raises(GateRefused, match=r"1 of the 4 records was rejected \(empty 1\), more than max_rejects: 0.2"):
        app.explain(plan_of(broken, max_rejects=0.2), ())
    with pytest.raises(CorpusError, match="expected readable files"):
        app.explain(plan_of([{"doc_id": "x", "text": ""}]), ())
    many = [{"doc_id": "x", "text": ""}, *rows(1001)]
    assert "if the other records are like these: 1 of" in app.explain(plan_of(many, max_rejects=0), ())


def test_explain_reports_what_detectors_find_in_kept_columns(plan_of: Callable[..., Path]) -> None:
    plan = plan_of(rows(2, ward="ann@example.org"), metadata=["ward"])
    told = app.explain(plan, ())
    assert "note: metadata.ward: published unchanged" in told
    assert "EMAIL in 2 documents" in told
    assert "ann@" not in told
    assert sd.Plan.load(plan).explain() == told


def test_an_input_without_annotations_is_refused_by_gold_only(plan_of: Callable[..., Path]) -> None:
    with pytest.raises(GateRefused, match="the plan edits only annotations"):
        app.explain(plan_of(rows(2), sources=["gold"]), ())


def test_models_are_not_read_for_common_values(plan_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("finders were made")

    monkeypatch.setattr(first_rows, "column_finders", never)
    app.explain(plan_of(rows(2, ward="oncology ward"), metadata=["ward"]), ())


def test_a_delta_table_is_left_to_spark(tmp_path: Path) -> None:
    content = {"input": {"path": str(tmp_path), "format": "delta"}, "workspace": "w", "release": "r"}
    assert first_rows.notes_of_rows(check_plan({**content, "patterns": {"kinds": "all"}}, "p")) == ()


def test_explain_names_the_engine_that_a_run_would_use_and_why(
    plan_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "running_session", lambda: None)
    monkeypatch.setattr(choice, "embedded_session", lambda: None)
    assert "\nnote: engine: embedded, pysail " in app.explain(plan_of(rows(2), engine="embedded"), ())
    assert app.explain(plan_of(rows(2), engine="spark"), ()).endswith("(engine: spark)")
    monkeypatch.setattr(choice, "is_installed", lambda: False)
    with pytest.raises(UsageError, match="the embedded engine is not installed"):
        app.explain(plan_of(rows(2), engine="embedded"), ())
