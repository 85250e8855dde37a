from collections.abc import Sequence

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.choosing import check_budget, share_published, within_budget
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.decoding import THRESHOLDS, DecodingRule
from spark_deid.greedy.fits import Predictions
from spark_deid.greedy.game_documents import GameDocument, begin_cases
from tests.unit.greedy.toy_learner import CORPUS, KEY, document

DOCUMENTS = (document(0, "Ann saw one of ten", "Ann"), document(1, "Bob saw two of ten", "Bob"))


def cases_of(documents: tuple[Document, Document]) -> tuple[GameDocument, ...]:
    return begin_cases(documents, TrainConfig(key=KEY, workers=1))[1]


def chosen(
    cases: tuple[GameDocument, ...],
    predictions: dict[DecodingRule, Predictions],
    budget: float,
    numbers: Sequence[int] = (0, 1),
) -> DecodingRule:
    counts = {decoding: share_published(cases, spans) for decoding, spans in predictions.items()}
    return within_budget(counts, numbers, budget)


def test_a_budget_above_one_minus_prevalence_is_refused() -> None:
    check_budget(cases_of(DOCUMENTS), 0.8)
    with pytest.raises(UsageError, match=r"at most 0\.8000, got 0\.81"):
        check_budget(cases_of(DOCUMENTS), 0.81)


def test_the_lowest_threshold_within_the_budget_is_taken() -> None:
    cases = cases_of(DOCUMENTS)
    name, verb = Span(0, 3, "NAME"), Span(4, 7, "NAME")
    predictions: dict[DecodingRule, Predictions] = {
        DecodingRule(threshold=0.9): ((name,), ()),
        DecodingRule(threshold=0.5): ((name,), (name,)),
        DecodingRule(threshold=0.1): ((name, verb), (name, verb)),
    }
    assert chosen(cases, predictions, 0.8) == DecodingRule(threshold=0.5)
    assert chosen(cases, predictions, 0.85) == DecodingRule(threshold=0.9)
    assert chosen(cases, predictions, 0.99) == DecodingRule(threshold=0.9)
    assert chosen(cases, predictions, 0.85, numbers=[1]) == DecodingRule(threshold=0.9)
    assert chosen(cases, predictions, 0.8, numbers=[0]) == DecodingRule(threshold=0.5)


def test_what_was_removed_before_counts() -> None:
    cases = tuple(case.without((Span(0, 3, "NAME"),)) for case in cases_of(DOCUMENTS))
    predictions: dict[DecodingRule, Predictions] = {
        DecodingRule(threshold=0.1): ((Span(4, 7, "NAME"),), ()),
        DecodingRule(threshold=1.0): ((), ()),
    }
    assert chosen(cases, predictions, 0.8) == DecodingRule(threshold=1.0)


def test_thresholds_rise_and_the_last_finds_nothing() -> None:
    assert list(THRESHOLDS) == sorted(set(THRESHOLDS))
    assert THRESHOLDS[-1] == 1.0


def test_a_budget_needs_decoding_by_cost() -> None:
    with pytest.raises(UsageError, match=r"^--publish-budget: needs decoding cost, not viterbi$"):
        TrainConfig(key=KEY, publish_budget=0.9)


@pytest.mark.parametrize("budget", [-1, 0, 1, 1.5])
def test_a_budget_is_a_share(budget: float) -> None:
    with pytest.raises(UsageError, match=r"^--publish-budget: expected a number above 0 and below 1, got "):
        TrainConfig(key=KEY, publish_budget=budget, decoding="cost")


def test_auxiliary_labels_are_neither_removed_nor_forgotten() -> None:
    documents = list(CORPUS)
    documents[0] = documents[0].__class__(
        documents[0].doc_id, documents[0].text, None, (*documents[0].spans, Span(0, 5, "DAY"))
    )
    config = TrainConfig(key=KEY, workers=1, labels=("NAME",), auxiliary=("DAY",))
    labels, cases = begin_cases(documents, config)
    assert labels == ("NAME",)
    assert cases[0].example.auxiliary == (Span(0, 5, "DAY"),)
    assert "DAY" not in {span.label for case in cases for span in (*case.gold, *case.whole)}
    with pytest.raises(UsageError, match="auxiliary: no annotation of HOUR"):
        begin_cases(documents, TrainConfig(key=KEY, workers=1, labels=("NAME",), auxiliary=("HOUR",)))
