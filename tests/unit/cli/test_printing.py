"""What commands print is legible in a window of 80 columns."""

import io
import time

import pytest
from numba.core import event
from rich.console import Console

from spark_deid.app import AttackFigures, ExperimentFigures, TableAssessmentFigures
from spark_deid.cli import printing
from spark_deid.core.numerics.notices import COMPILING


def test_an_experiment_shows_methods_separately_in_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(printing, "OUT", Console(file=told, width=80))
    row: dict[str, object] = {
        "loss_ratio": 100.0,
        "rounds": 1.25,
        "failed": 0,
        "publish_ratio": 0.9991,
        "residual_tokens": 1234,
    }
    row |= {"residual_ratio": 0.964, "attacker": "adaboost"}
    row |= {"attacker_true_positives": 1, "attacker_false_positives": 2}
    methods = ["greedy-selection", "greedy-plain-crf", "greedy-svm"]
    summary = [{**row, "method": method} for method in methods]
    printing.print_experiment(ExperimentFigures("out", {"summary": summary}))
    for name in (*methods, "published", "attacker", "adaboost", "1,234"):
        assert name in told.getvalue(), told.getvalue()
    assert "…" not in told.getvalue()


def test_an_assessed_table_is_reported_whole_in_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(printing, "OUT", Console(file=told, width=80))
    row = {"guarantee": "recursive-l-diverse", "parameters": "recursive-l=3:2, sensitive=disease, unit=persons"}
    row |= {"evidence": "classes=2, failing_classes=1, persons_in_several_classes=0"}
    assessment = {**row, "value": 1.5, "threshold": 3.0, "satisfied": False}
    printing.print_assessed_table(TableAssessmentFigures("t", 2, 5, 0, False, {"prosecutor": 0.5}, (assessment,)))
    assert "…" not in told.getvalue()
    assert "prosecutor 0.5" in told.getvalue()


def test_attackers_are_reported_in_80_columns_and_one_that_is_twice_the_first_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = io.StringIO()
    monkeypatch.setattr(printing, "OUT", Console(file=told, width=80))
    bound: dict[str, object] = {"theorem": "Theorem 3", "quantity": "true positives", "kind": "at most", "value": 2}
    bound |= {"vacuous": False, "conditions": [{"statement": "the attacker is of its space", "holds": False}]}
    entry: dict[str, object] = {"learner": "adaboost", "features": "gazetteer", "source": "hold-out", "bounds": [bound]}
    entry |= {"decoding": "viterbi", "true_positives": 1234, "false_positives": 5678, "recall": 0.1234}
    entry |= {"precision": 0.5678, "budgets": []}
    report = {"attackers": [entry, entry], "most_accurate": 1, "most_dangerous": 1, "statements": []}
    printing.print_attack(AttackFigures(report))
    for words in ("adaboost", "gazetteer", "hold-out", "viterbi", "1,234", "5,678", "no; not fulfilled: the"):
        assert words in told.getvalue(), told.getvalue()
    assert "…" not in told.getvalue()
    assert told.getvalue().count("most accurate") == 1


def test_what_holds_or_not_is_reported_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(printing, "OUT", Console(file=told, width=80))
    printing.print_figures("Verified", {"documents": 1, "compared": True, "parts": {"satisfied": False}})
    assert [line.split("│")[2].strip() for line in told.getvalue().splitlines()[2:-1]] == ["1", "yes", "satisfied no"]


@pytest.mark.parametrize("is_told_by_progress_first", [True, False])
def test_that_code_compiles_is_stated_once(is_told_by_progress_first: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(printing, "ERR", Console(file=told, width=80))
    for times in (1, 2):
        with printing.compilation_message():
            progress = printing.PrintedProgress()
            if is_told_by_progress_first:
                progress(f"  {COMPILING}")
            for pause in (1.1, 0.0):
                with event.trigger_event("numba:compile"):
                    time.sleep(pause)
            progress(f"  {COMPILING}")
            progress("reading")
        assert told.getvalue().count(COMPILING) == told.getvalue().count("reading") == times
