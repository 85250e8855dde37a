import re
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.evaluation.counts import MatchCounts, count_documents
from spark_deid.evaluation.score import MatchScores, evaluate

TEXTS = st.text(alphabet="aAé1_ .\n😀", max_size=24)


@st.composite
def spans(draw: st.DrawFn, text: str, most: int = 5) -> list[Span]:
    found = []
    for _ in range(draw(st.integers(0, most)) if text else 0):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, min(len(text), start + 8)))
        found.append(Span(start, end, draw(st.sampled_from("XY")), None, "", draw(st.sampled_from([None, "T1", "T2"]))))
    return found


@st.composite
def scored_documents(draw: st.DrawFn) -> tuple[str, list[Span], list[Span]]:
    text = draw(TEXTS)
    return text, draw(spans(text)), draw(spans(text))


def hull_set(found: list[Span]) -> set[tuple[int, int, str]]:
    hulls = set()
    for span in found:
        group = [s for s in found if s.annotation_id == span.annotation_id and s.label == span.label]
        group = [span] if span.annotation_id is None else group
        hulls.add((min(s.start for s in group), max(s.end for s in group), span.label))
    return hulls


def words(text: str) -> list[range]:
    return [range(*m.span()) for m in re.finditer(r"\w+", text)]


def word_labels(text: str, found: list[Span], label: str) -> set[int]:
    return {i for i, word in enumerate(words(text)) for s in found if s.label == label and set(word) & {*range(*s[:2])}}


def most_pairs(gold: set[tuple[Any, ...]], predicted: set[tuple[Any, ...]]) -> int:
    """Try every pairing."""
    small, large = sorted((list(gold), list(predicted)), key=len)
    return max(sum(_fit(a, b) for a, b in zip(small, order, strict=True)) for order in permutations(large, len(small)))


def _fit(gold: tuple[Any, ...], predicted: tuple[Any, ...]) -> bool:
    return gold[::2] == predicted[::2] and bool(abs(gold[1] - predicted[1]) <= 2)


def cells(scores: MatchScores, measure: str, label: str) -> tuple[int, ...]:
    return tuple(scores.counts[measure, label, kind] for kind in ("matched", "gold", "predicted"))


@given(scored_documents())
def test_strict_and_relaxed_agree_with_sets_and_with_every_pairing(case: tuple[str, list[Span], list[Span]]) -> None:
    _, gold, predicted = case
    scores = evaluate([case])
    for label in "XY":
        left = {s for s in hull_set(gold) if s[2] == label}
        right = {s for s in hull_set(predicted) if s[2] == label}
        assert cells(scores, "strict", label) == (len(left & right), len(left), len(right))
        assert cells(scores, "relaxed", label) == (most_pairs(left, right), len(left), len(right))


@given(scored_documents())
def test_token_scores_agree_with_looking_at_every_word(case: tuple[str, list[Span], list[Span]]) -> None:
    text, gold, predicted = case
    scores = evaluate([case])
    sides = {label: (word_labels(text, gold, label), word_labels(text, predicted, label)) for label in "XY"}
    for label, (left, right) in sides.items():
        assert cells(scores, "token", label) == (len(left & right), len(left), len(right))
    left, right = (sides["X"][side] | sides["Y"][side] for side in (0, 1))
    assert cells(scores, "binary_token", "") == (len(left & right), len(left), len(right))
    total = len(words(text))
    assert scores.publish_ratio == ((total - len(right)) / total if total else 1.0)


@given(scored_documents())
def test_entity_recall_agrees_with_looking_at_every_mention(case: tuple[str, list[Span], list[Span]]) -> None:
    text, gold, predicted = case
    gold = [s._replace(annotation_id=None) for s in gold]
    covered = {i for s in predicted for i in range(s.start, s.end)}
    entities: dict[tuple[str, str], list[range]] = {}
    for span in gold:
        key = (span.label, " ".join(text[span.start : span.end].casefold().split()))
        entities.setdefault(key, []).extend(w for w in words(text) if set(w) & {*range(span.start, span.end)})
    entities = {key: found for key, found in entities.items() if found}
    kept = [key for key, found in entities.items() if all(set(w) & covered for w in found)]
    assert evaluate([(text, gold, predicted)]).entity_recall == (len(kept) / len(entities) if entities else 0.0)


@given(st.lists(scored_documents(), max_size=4), st.integers(0, 4))
def test_counts_of_parts_add_up(cases: list[tuple[str, list[Span], list[Span]]], cut: int) -> None:
    assert count_documents(cases[:cut]) + count_documents(cases[cut:]) == count_documents(cases)
    assert sum((count_documents([case]) for case in cases), MatchCounts()) == count_documents(cases)


@given(scored_documents())
def test_perfect_prediction_scores_one(case: tuple[str, list[Span], list[Span]]) -> None:
    text, gold, _ = case
    scores = evaluate([(text, gold, gold)])
    if gold:
        assert scores.micro("strict") == scores.micro("relaxed") == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    if any(set(w) & {*range(*s[:2])} for s in gold for w in words(text)):
        assert scores.entity_recall == 1.0
        assert scores.micro("binary_token")["f1"] == 1.0


def test_json_has_the_keys_of_the_contract() -> None:
    figures: dict[str, Any] = evaluate(
        [("Ann met Bo", [Span(0, 3, "NAME")], [Span(0, 3, "NAME"), Span(8, 10, "CITY")])]
    ).to_json()
    assert list(figures) == [
        "documents", "publish_ratio", "entity_recall", "strict", "relaxed", "token", "binary_token",
    ]  # fmt: skip
    assert set(figures["strict"]) == set(figures["relaxed"]) == set(figures["token"]) == {"micro", "labels"}
    assert set(figures["binary_token"]) == {"micro"}
    assert figures["strict"]["micro"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}
    assert figures["strict"]["labels"]["CITY"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "support": 0}
    assert figures["documents"] == 1
    assert figures["publish_ratio"] == pytest.approx(1 / 3)


def test_empty_corpus_scores_without_dividing_by_zero() -> None:
    figures = evaluate([]).to_json()
    assert figures["documents"] == 0
    assert figures["entity_recall"] == 0.0
    assert figures["strict"] == {"micro": {"precision": 0.0, "recall": 0.0, "f1": 0.0}, "labels": {}}


def test_relaxed_allows_two_characters_at_the_end_and_none_at_the_start() -> None:
    text = "0123456789"
    assert evaluate([(text, [Span(0, 4, "X")], [Span(0, 6, "X")])]).micro("relaxed")["f1"] == 1.0
    assert evaluate([(text, [Span(0, 4, "X")], [Span(0, 7, "X")])]).micro("relaxed")["f1"] == 0.0
    assert evaluate([(text, [Span(0, 4, "X")], [Span(1, 4, "X")])]).micro("relaxed")["f1"] == 0.0


def test_one_missed_mention_loses_the_entity() -> None:
    text = "Ann Lee, ann lee, Bo"
    gold = [Span(0, 7, "NAME"), Span(9, 16, "NAME"), Span(18, 20, "NAME")]
    assert evaluate([(text, gold, [Span(0, 7, "NAME"), Span(18, 20, "CITY")])]).entity_recall == 0.5
    assert evaluate([(text, gold, gold)]).entity_recall == 1.0


def test_pieces_of_an_annotation_are_one_entity() -> None:
    pieces = [Span(start, start + 3, "N", annotation_id="T1") for start in (0, 6)]
    counts = count_documents([("Ann b Lee", pieces, [Span(0, 3, "N")])])
    assert [counts["entities", "", kind] for kind in ("all", "kept")] == [1, 0]
    whole = count_documents([("Ann b Lee", pieces, [Span(0, 9, "N")])])
    assert [whole["entities", "", kind] for kind in ("all", "kept")] == [1, 1]
    assert [whole["strict", "N", kind] for kind in ("gold", "matched")] == [1, 1]
