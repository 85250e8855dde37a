"""The attacker on published text, with learners small enough for a test."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.app.attacked_release import publisher_of, training_of
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import ModelError, UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.attack.attackers import (
    HOLD_OUT,
    PUBLIC,
    AttackConfig,
    Attacker,
    AttackOutcome,
    attack,
    public_examples,
)
from spark_deid.greedy.attack.figures import (
    OTHER_DATA,
    OTHER_FEATURES,
    OTHER_LEARNER,
    PublisherRecord,
    most_accurate,
    most_dangerous,
)
from spark_deid.greedy.attack.published import LabelledOriginal, MovedOffsets, PublishedDocument, publish
from spark_deid.greedy.attack.report import ReportOptions, attack_report
from spark_deid.greedy.game.counts import ConfusionCounts
from tests.unit.greedy.toy_learner import CORPUS

TEXT = "Ann Lee saw Bob in Rome, and Ann wept."


def edits_on(cuts: list[int], replacements: list[str]) -> tuple[Edit, ...]:
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return tuple(Edit(a, b, "suppress", new) for (a, b), new in zip(pairs, replacements, strict=False) if a < b)


cut_lists = st.lists(st.integers(0, len(TEXT)), max_size=8, unique=True).map(sorted)
words = st.lists(st.sampled_from(["[X]", "[NAME]", "", "y"]), min_size=4, max_size=4)


@given(cut_lists, words, cut_lists)
def test_what_is_left_of_gold_is_found_again_in_the_published_text(
    cuts: list[int], replacements: list[str], marks: list[int]
) -> None:
    edits = edits_on(cuts, replacements)
    gold = tuple(Span(a, b, "NAME") for a, b in zip(marks[::2], marks[1::2], strict=False) if a < b)
    published = publish(LabelledOriginal(Document("d", TEXT, spans=gold), edits), None)
    shown = apply_edits(TEXT, edits)
    assert published.case.view.text == shown
    hidden = {i for edit in edits for i in range(edit.start, edit.end)}
    marked = {i for span in gold for i in range(span.start, span.end)} - hidden
    left = "".join(shown[s.start : s.end] for s in published.case.gold)
    assert [c for c in left if c.isalnum()] == [TEXT[i] for i in sorted(marked) if TEXT[i].isalnum()]
    assert published.residual_words == sum(bool(marked & set(range(*m.span()))) for m in re.finditer(r"\w+", TEXT))


@given(cut_lists, words)
def test_offsets_outside_edits_move_to_the_same_character(cuts: list[int], replacements: list[str]) -> None:
    edits = edits_on(cuts, replacements)
    move, shown = MovedOffsets(edits), apply_edits(TEXT, edits)
    hidden = {i for edit in edits for i in range(edit.start, edit.end)}
    assert all(shown[move(i)] == TEXT[i] for i in range(len(TEXT)) if i not in hidden)
    assert all(shown[a:b] == edit.replacement for a, b, edit in move.replacements())


def test_placeholders_are_hidden_and_other_replacements_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.greedy.attack.published.writes_placeholders", lambda name: name != "surrogate")
    edits = (Edit(0, 3, "suppress", "[NAME]"), Edit(12, 15, "surrogate", "Max"))
    document = Document("d", TEXT, "p1", (Span(0, 7, "NAME"), Span(12, 15, "NAME"), Span(19, 23, "PLACE")))
    published = publish(LabelledOriginal(document, edits), ("NAME",))
    view = published.case.view
    assert view.text.startswith("[NAME] Lee saw Max in Rome")
    assert [(s.start, s.end, s.label) for s in view.removed] == [(0, 6, "[NAME]")]
    assert [view.text[s.start : s.end] for s in published.case.gold] == ["Lee"]
    assert (published.words, published.published_words) == (9, 7)
    assert (published.sensitive_words, published.residual_words) == (3, 1)
    assert published.case.group == "subject p1"
    assert published.labels == {"NAME": (3, 1)}
    assert publish(LabelledOriginal(document, edits), None).labels["PLACE"] == (1, 1)


def released(document: Document) -> PublishedDocument:
    """Release a document with its given name hidden: the surname behind it remains."""
    given_name = re.search("Ann|Bob", document.text).group()
    edits = [Edit(m.start(), m.end(), "suppress", "[NAME]") for m in re.finditer(given_name, document.text)]
    return publish(LabelledOriginal(document, tuple(edits)), None)


@pytest.fixture(scope="module")
def documents() -> list[PublishedDocument]:
    return [released(document) for document in CORPUS]


def config(**settings: Any) -> AttackConfig:
    return AttackConfig(**({"learners": ("svm", "adaboost"), "features": "hide", "stronger": "gazetteer"} | settings))


@pytest.fixture(scope="module")
def attacks(documents: list[PublishedDocument]) -> tuple[AttackOutcome, ...]:
    settings = config(publisher=(Attacker("svm", "hide"),), public=public_examples(CORPUS, ("NAME",)))
    return attack([each.case for each in documents], settings)[0]


def test_every_attacker_counts_on_the_same_instances(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    assert len(attacks) == 2 * (2 + 2 + 2)
    assert {(a.attacker.learner, a.attacker.source) for a in attacks if a.attacker.source == PUBLIC} == {
        ("svm", PUBLIC),
        ("adaboost", PUBLIC),
    }
    assert len({sum(a.total) for a in attacks}) == 1
    assert {a.total.sensitive for a in attacks} == {len(CORPUS)}
    assert sum(attacks[0].total) == sum(each.published_words for each in documents)


def test_names_behind_placeholders_are_found(attacks: tuple[AttackOutcome, ...]) -> None:
    assert most_accurate(attacks).total == ConfusionCounts(len(CORPUS), 0, 0, sum(attacks[0].total) - len(CORPUS))


def test_the_report_shows_counts_budgets_bounds_and_intervals(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    publisher = PublisherRecord(10.0, local_optimum=True, stand_in=ConfusionCounts(1, 12, 11, 100))
    options = ReportOptions(budgets=(6, 1000), simulate=20, dimension=5.0)
    report = attack_report(documents, attacks, publisher, options)
    assert (report["sensitive_words"], report["residual_words"]) == (36, 12)
    assert report["labels"] == {"NAME": {"sensitive_words": 36, "residual_words": 12}}
    best = report["attackers"][report["most_accurate"]]
    assert [row["identified"] for row in best["budgets"]] == [6.0, 12.0]
    assert best["budgets"][0]["identified_per_budget"] == 1.0
    assert best["simulated"][1]["mean"] == 12.0
    assert best["interval"]["recall"] == [1.0, 1.0]
    assert best["interval"]["true_positives"][0] <= 12 <= best["interval"]["true_positives"][1]
    assert [bound["theorem"] for bound in best["bounds"]] == [
        "Theorem 3",
        "Lemma 3",
        "Theorem 4",
        "Lemma 4",
        "Theorem 5",
        "Theorem 6",
    ]
    assert best["bounds"][3]["lambda_from"] == "VC dimension 5"
    statements: Any = report["statements"]
    assert not any(name in " ".join(statements) for name in ("Ann", "Ash"))


def test_strong_attackers_are_reported_by_what_the_publisher_had_not(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    publisher = PublisherRecord(10.0, local_optimum=True, stand_in=None, own=(Attacker("svm", "hide"),))
    report: dict[str, Any] = attack_report(documents, attacks, publisher, ReportOptions())
    strengths = {(a["learner"], a["features"], a["source"]): a["strengths"] for a in report["attackers"]}
    assert strengths["svm", "hide", HOLD_OUT] == []
    assert strengths["adaboost", "hide", HOLD_OUT] == [OTHER_LEARNER]
    assert strengths["svm", "gazetteer", HOLD_OUT] == [OTHER_FEATURES]
    assert strengths["adaboost", "gazetteer", PUBLIC] == [OTHER_LEARNER, OTHER_FEATURES, OTHER_DATA]
    strongest: Any = report["strongest"]
    assert set(strongest) == {OTHER_LEARNER, OTHER_FEATURES, OTHER_DATA}
    for name, index in report["strongest"].items():
        assert name in report["attackers"][index]["strengths"]
        assert any(name in line for line in report["statements"])


def test_a_training_at_its_optimum_bounds_nothing_of_a_release_that_is_none(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    """The publisher's own learner finds all 12 surnames of the release, regardless of its training ended with."""
    publisher = PublisherRecord(
        50.0, local_optimum=True, stand_in=ConfusionCounts(0, 0, 0, 100), own=(Attacker("svm", "hide"),)
    )
    report: dict[str, Any] = attack_report(documents, attacks, publisher, ReportOptions())
    own = report["attackers"][0]
    assert (own["learner"], own["true_positives"], own["local_optimum"]) == ("svm", len(CORPUS), False)
    for bound in own["bounds"]:
        assert not bound["applies"] or bound["theorem"] == "Lemma 3"
    failing = [each["statement"] for each in own["bounds"][0]["conditions"] if not each["holds"]]
    assert failing == ["counted here, a local optimum for this attacker (Theorem 2)"]


def test_of_an_unknown_publisher_only_other_data_are_reported(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    publisher = PublisherRecord(10.0, local_optimum=False, stand_in=None)
    report: dict[str, Any] = attack_report(documents, attacks, publisher, ReportOptions())
    assert set(report["strongest"]) == {OTHER_DATA}


def test_attackers_have_the_publishers_features_and_stronger_ones() -> None:
    own = Attacker("ensemble", "rich", background=("b",))
    found = AttackConfig(publisher=(own,), learners=("crf", "ensemble"), background=("c",)).attackers()
    assert found == (
        own,
        own._replace(learner="crf"),
        Attacker("crf", "full", background=("c",)),
        Attacker("ensemble", "full", background=("c",)),
    )


def test_without_a_are_in_there_are_no_sampling_bounds(
    attacks: tuple[AttackOutcome, ...], documents: list[PublishedDocument]
) -> None:
    report = attack_report(
        documents, attacks, PublisherRecord(10.0, local_optimum=False, stand_in=None), ReportOptions()
    )
    bounds = report["attackers"][0]["bounds"]
    assert [bound["theorem"] for bound in bounds] == ["Theorem 3", "Lemma 3", "Theorem 4"]
    assert not bounds[0]["applies"]


def test_the_most_dangerous_attacker_finds_most(attacks: tuple[AttackOutcome, ...]) -> None:
    hits = most_dangerous(attacks).total.true_positives
    assert hits == max(a.total.true_positives for a in attacks if a.total.false_positives == 0)


def test_one_document_is_not_enough(documents: list[PublishedDocument]) -> None:
    with pytest.raises(UsageError, match="at least two"):
        attack([documents[0].case], config())


def test_the_publishers_own_attacker_reads_what_the_publisher_read() -> None:
    settings = {"features": "rich", "background": ["public"], "tagger": "nltk:folder"}
    own = publisher_of({"settings": settings, "rounds": [{"learner": "svm"}, {"learner": "svm"}, {"learner": "gone"}]})
    assert own == (Attacker("svm", "rich", background=("public",), tagger="nltk:folder"),)
    assert publisher_of({"settings": {"features": "rich"}, "rounds": [{}]}) == (Attacker("crf", "rich"),)
    assert config(publisher=own).attackers()[1] == own[0]._replace(learner="adaboost")


@pytest.mark.parametrize(
    ("named", "way"),
    [("models/gone", "run the command in the folder in which the run"), ("/models/gone", "moved or removed")],
)
def test_a_release_whose_model_is_not_there_is_reported_with_the_way_on(tmp_path: Path, named: str, way: str) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"models": [{"path": named, "sha256": "0"}]}))
    with pytest.raises(ModelError, match=f"^{named}: the folder of this release's model is missing.*{way}"):
        training_of(str(tmp_path), None)  # type: ignore[arg-type]
