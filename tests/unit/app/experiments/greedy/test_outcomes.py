"""Tables and figures of the experiment, recounted."""

import re
from pathlib import Path
from typing import Any

import pytest

from spark_deid.app.experiments.greedy.figures import figures
from spark_deid.app.experiments.greedy.fit_plans import fit_plans
from spark_deid.app.experiments.greedy.fits import FitStore
from spark_deid.app.experiments.greedy.outcomes import gold_tokens, make_tables, measure
from spark_deid.app.greedy_experiment import play_all
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.text.view import TextView
from tests.unit.greedy.guessing import Guesser, corpus, experiment_data


@pytest.fixture
def played(tmp_path: Path) -> tuple[Any, ...]:
    documents = corpus()
    base = experiment_data(documents, loss_ratios=(1.0, 5.0, 10.0), methods=("crf", "plain-crf"))
    store = FitStore(tmp_path)
    outcomes = play_all(fit_plans(base), store, Guesser(base.cases), lambda line: None)
    return base, documents, outcomes


def test_results_can_be_recounted_from_the_edits(played: tuple[Any, ...]) -> None:
    base, documents, outcomes = played
    tables = make_tables(base, documents, outcomes)
    edits = tables.edits.to_pylist()
    texts = {document.doc_id: document for document in documents}
    for row in tables.results.to_pylist():
        same = [e for e in edits if all(e[name] == row[name] for name in ("method", "fold", "loss_ratio"))]
        numbers = base.inside(row["fold"])
        words = published = left = gold = 0
        for document in (documents[i] for i in numbers):
            own = [Edit(e["start"], e["end"], "suppress", "★") for e in same if e["doc_id"] == document.doc_id]
            words += len(re.findall(r"\w+", document.text))
            published += len(re.findall(r"\w+", apply_edits(document.text, own)))
            gold += len(document.spans)
            left += sum(not any(e.start <= s.start and s.end <= e.end for e in own) for s in document.spans)
        assert row["publish_ratio"] == published / words
        assert (row["gold_tokens"], row["residual_tokens"]) == (gold, left)
        assert (row["rounds"] is None) == (not row["method"].startswith("greedy-"))
    assert {edit["doc_id"] for edit in edits} <= set(texts)
    assert tables.results.num_rows == 6 * 3 * 3


def test_budgets_begin_at_the_precision_of_the_best_order_and_end_with_everything(played: tuple[Any, ...]) -> None:
    tables = make_tables(*played)
    rows = [row for row in tables.budgets.to_pylist() if row["method"] == "greedy-crf"]
    assert {row["loss_ratio"] for row in rows} == {5.0, 10.0}
    for row in rows:
        assert row["identified"] >= row["uniform"] - 1e-9
        assert row["identified_per_budget"] == row["identified"] / row["budget"]
    assert rows[-1]["identified"] == pytest.approx(rows[-1]["uniform"])


def test_figures_hold_no_text_and_every_plot_has_its_lines(played: tuple[Any, ...]) -> None:
    told: dict[str, Any] = figures(*played)
    assert not any(name in str(told) for name in ("Birch", "d0", "mill"))
    names = {plot["name"] for plot in told["plots"]}
    assert names >= {"attack-crf", "budget-5", "budget-10", "publish", "rounds", "residual"}
    assert "attack-selection" not in names or all(plot["lines"] for plot in told["plots"])
    assert len(told["summary"]) == 6 * 3


def test_a_token_is_left_unless_edits_cover_all_of_it() -> None:
    document = Document("d", "Dr. J.-P. Sartre came", None, (Span(4, 16, "NAME"),), tokens=((0, 3), (4, 9), (10, 16)))
    [case] = [each for each in experiment_data((document, *corpus())).cases if each.doc_id == "d"]
    assert gold_tokens(document, case) == ((4, 9), (10, 16))
    assert gold_tokens(document._replace(tokens=()), case) == ((4, 5), (7, 8), (10, 16))
    part = measure(TextView(document.text, (Span(4, 8, "NAME"), Span(10, 16, "NAME"))), gold_tokens(document, case))
    assert (part.gold_tokens, part.residual_tokens, part.words, part.published_words) == (2, 1, 5, 2)
