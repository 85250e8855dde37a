from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from spark_deid.app.experiments.repeats.curves import (
    CurvePoint,
    choose_settings,
    hide_by_each,
    label_tokens,
    precision_at,
    run_experiment,
    split_documents,
)
from spark_deid.app.experiments.repeats.tables import (
    RESULTS,
    SizeSettings,
    edits_tables,
    figures,
    measure_sizes,
    results_table,
    sizes_table,
)
from spark_deid.app.experiments.settings import JudgedTokens, RepeatsExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.core.words import WORD
from spark_deid.corpus.local import read_documents
from spark_deid.repeats.rare import find_rare
from spark_deid.repeats.settings import CountingUnit, CoveringMethod, RaritySettings
from spark_deid.repeats.text import lay_out
from spark_deid.repeats.tokens import hidden_share
from spark_deid.report.render import experiment_page
from spark_deid.samples import sample_path
from tests.unit.repeats.obvious import hide_agreed, hide_rare_words

SMALL = RepeatsExperimentSettings(k=(2, 4), min_length=(3, 6), share=(0.2, 0.8), development=0.5)


@pytest.fixture(scope="module")
def documents() -> tuple[Document, ...]:
    return read_documents(str(sample_path("meddocan-dev")), "jsonl").documents[:20]


@pytest.fixture(scope="module")
def outcome(documents: Any) -> Any:
    return run_experiment(documents, SMALL, lambda _: None)


def point(method: Any = "MR", *, k: Any = 2, hits: Any = 1, misses: Any = 0, least: Any = 1) -> Any:
    return CurvePoint("test", method, k, least, 0.2, 20, 10, hits, misses)


def test_tokens_are_gold_where_a_span_touches_them() -> None:
    labelled = (Document("a", "Dr. Ann-Lee (Ann) 日", None, (Span(6, 9, "NAME"),)), Document("b", "Ann"))
    words = label_tokens(labelled, unit=CountingUnit.DOCUMENT, tokens=JudgedTokens.WORD, cap=255)
    assert words.gold.tolist() == [False, True, True, False, False, False]
    assert words.counts.tolist() == [1, 2, 1, 2, 1, 2]
    spaced = label_tokens(labelled, unit=CountingUnit.OCCURRENCE, tokens=JudgedTokens.SPACE, cap=255)
    assert spaced.gold.tolist() == [False, True, False, False, False]
    assert spaced.counts.tolist() == [1, 1, 1, 1, 1]


@pytest.mark.thorough
def test_decisions_are_those_of_the_methods_by_themselves(documents: tuple[Document, ...]) -> None:
    part = label_tokens(documents[:6], unit=CountingUnit.DOCUMENT, tokens=JudgedTokens.WORD, cap=255)
    settings = RepeatsExperimentSettings(k=(3,), min_length=(4,), share=(0.4,))
    decided = {decision.point.method: decision.hidden for decision in hide_by_each("test", part, settings)}
    words = hide_rare_words(part.text, k=3, unit=CountingUnit.DOCUMENT)
    found = find_rare(part.text, RaritySettings(k=3, min_length=4, covering=CoveringMethod.GREEDY))
    covered = np.zeros(len(words), bool)
    for document, begin in enumerate(part.text.characters[:-1].tolist()):
        for start, end in found.runs.of(document):
            covered[begin + start : begin + end] = True
    expected = {"MR": covered, "Word": words, "MR+Word": hide_agreed(part.text, covered, words, share=0.4)}
    for method, hidden in expected.items():
        assert (decided[method] == (hidden_share(part.tokens, hidden) > 0.4)).all()


def test_people_are_not_split() -> None:
    documents = [Document(f"d{i}", "x", f"p{i % 7}") for i in range(40)]
    development, test = split_documents(documents, SMALL)
    assert len(development) + len(test) == 40
    assert not {d.subject_id for d in development} & {d.subject_id for d in test}
    assert split_documents(documents, SMALL) == (development, test)


def test_the_highest_mean_f1_is_chosen() -> None:
    tried = [
        point(name, k=k, hits=hits, least=hits) for name in ("MR", "Word", "MR+Word") for k in (2, 3) for hits in (1, 5)
    ]
    assert choose_settings(tried) == {("MR", 5, 0.2), ("Word", 5, 0.2), ("MR+Word", 5, 0.2)}


def test_precision_at_a_recall_is_between_points() -> None:
    curve = [point(hits=2, misses=2), point(hits=6, misses=18)]
    assert precision_at(curve, 0.4) == pytest.approx(0.375)
    assert precision_at(curve, 0.7) is None
    assert precision_at([], 0.5) is None
    nothing = CurvePoint("test", "MR", 2, 1, 0.2, 20, 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_an_experiment_shows_curves_of_the_test_split(outcome: Any) -> None:
    table = results_table(outcome)
    assert table.schema == RESULTS
    assert {(row["split"], row["method"]) for row in table.to_pylist()} == {
        (part, method) for part in ("development", "test") for method in ("MR", "Word", "MR+Word")
    }
    words = [decision for decision in outcome.decisions if decision.point.method == "Word"]
    assert all((a.hidden <= b.hidden).all() for a, b in pairwise(words))


def test_edits_recount_every_point(documents: Any, outcome: Any) -> None:
    texts = {document.doc_id: document.text for document in documents}
    tables = edits_tables(outcome)
    for decision, table in zip(outcome.decisions, tables, strict=True):
        assert table.num_rows == decision.point.true_positives + decision.point.false_positives
        words = [texts[row["doc_id"]][row["start"] : row["end"]] for row in table.to_pylist()]
        assert all(WORD.fullmatch(word) for word in words)


def test_a_page_and_charts_show_every_curve(documents: Any, outcome: Any) -> None:
    measured = tuple(measure_sizes(documents, SizeSettings(steps=2)))
    told = figures(outcome, measured, SMALL)
    page, files = experiment_page("repeats", told)
    names = {"curves", "over-k", "over-l", "time", "unsuppressed"}
    assert set(files) == {f"{name}.{kind}" for name in names for kind in ("svg", "png")}
    assert files["curves.svg"].count(b"<title>") == 6
    assert all(content.decode() in page for name, content in files.items() if name.endswith(".svg"))
    assert "MR+Word" in page
    plots = {plot["name"]: plot for plot in told["plots"]}
    assert [line["name"] for line in plots["curves"]["lines"]] == ["MR", "Word", "MR+Word"]
    assert [line["name"] for line in plots["over-l"]["lines"]] == [
        "MR, k 2",
        "MR, k 2, recall",
        "MR, k 4",
        "MR, k 4, recall",
    ]


def test_the_grid_has_every_length_at_the_share_chosen(outcome: Any) -> None:
    chosen = next(decision.point for decision in outcome.decisions if decision.point.method == "MR")
    assert {(point.k, point.min_length) for point in outcome.grid} == {(k, least) for k in (2, 4) for least in (3, 6)}
    assert {point.share for point in outcome.grid} == {chosen.share}
    assert chosen in outcome.grid


def test_text_without_annotations_has_sizes_only(documents: Any) -> None:
    measured = tuple(measure_sizes(documents, SizeSettings(steps=2)))
    page, files = experiment_page("repeats", figures(None, measured, SMALL))
    assert set(files) == {"time.svg", "time.png", "unsuppressed.svg", "unsuppressed.png"}
    assert "no annotations" in page
    assert sizes_table(measured).column("unsuppressed_ratio").to_pylist() == [size.unsuppressed for size in measured]


def test_sizes_hide_what_is_rare_among_the_first_documents(documents: Any) -> None:
    measured = list(measure_sizes(documents, SizeSettings(min_length=(1,), steps=3, seed=5)))
    order = np.random.default_rng(5).permutation(len(documents)).tolist()
    assert [size.documents for size in measured] == sorted({size.documents for size in measured})
    for size in measured:
        part = [documents[i].text for i in order[: size.documents]]
        found = find_rare(
            lay_out(part),
            RaritySettings(k=4, min_length=1, unit=CountingUnit.OCCURRENCE, covering=CoveringMethod.GREEDY),
        )
        runs = [run for document in range(len(part)) for run in found.runs.of(document)]
        assert size.hidden == sum(end - start for start, end in runs)
        assert (size.characters, size.bytes) == (sum(map(len, part)), sum(len(text.encode()) for text in part))
    assert measured[-1].documents == len(documents)


def test_japanese_is_cut_where_the_script_changes() -> None:
    text = "東京都のITサービス企業ヶ所2024年、ﾃｽﾄ。々"
    words = label_tokens([Document("a", text)], unit=CountingUnit.DOCUMENT, tokens=JudgedTokens.SCRIPT, cap=255)
    pieces = [text[start:end] for start, end in words.tokens.tolist()]
    assert pieces == ["東京都", "の", "IT", "サービス", "企業ヶ所", "2024", "年", "ﾃｽﾄ", "々"]


def test_text_without_annotations_is_refused(documents: Any) -> None:
    bare = [document._replace(spans=()) for document in documents]
    with pytest.raises(UsageError, match="no annotated token"):
        run_experiment(bare, SMALL, lambda _: None)


def test_repeats_that_the_cap_cuts_are_counted() -> None:
    copies = [Document(f"d{i}", "abcdefghijklmnopqrstuvwxyz 0123456789") for i in range(4)]
    for cap, cut in ((20, 4), (37, 0)):
        assert {size.cut for size in measure_sizes(copies, SizeSettings(steps=1, cap=cap))} == {cut}
    part = label_tokens(copies, unit=CountingUnit.OCCURRENCE, tokens=JudgedTokens.WORD, cap=20)
    decided = hide_by_each("test", part, RepeatsExperimentSettings(k=(4, 5), min_length=(4,), share=(0.4,)))
    assert [(each.point.method, each.point.cut) for each in decided] == [
        *(("Word", 0), ("MR", 4), ("MR+Word", 4)),
        *(("Word", 0), ("MR", 0), ("MR+Word", 0)),
    ]
