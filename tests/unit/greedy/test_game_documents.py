"""What a case shows to the next round."""

from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.game_documents import GameDocument, begin_cases
from tests.unit.greedy.toy_learner import KEY

TEXT = "Ann Ash of Rome saw Bob"
ANN, ASH, ROME, BOB = Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(11, 15, "PLACE"), Span(20, 23, "NAME")


def cases(**settings: Any) -> tuple[GameDocument, ...]:
    documents = [
        Document(f"d{number}", TEXT, person, (Span(0, 7, "NAME"), ROME, BOB))
        for number, person in enumerate(("p", "p", None, None))
    ]
    return begin_cases(documents, TrainConfig(key=KEY, labels=("NAME",), **settings))[1]


def test_the_next_round_neither_sees_nor_learns_what_was_removed() -> None:
    case = cases(auxiliary=("PLACE",))[0].without((ANN,)).without((ROME,))
    assert case.found == (ANN, ROME)
    assert [(span.start, span.end) for span in case.view.removed] == [(0, 3), (11, 15)]
    assert [(span.start, span.end) for span in case.example.spans] == [(4, 7), (20, 23)]
    assert case.example.auxiliary == ()
    assert case.example.view == case.view


def test_gold_is_unchanged() -> None:
    case = cases()[0].without((ANN, ASH))
    assert [(span.start, span.end, span.label) for span in case.gold] == [(0, 7, "NAME"), (20, 23, "NAME")]
    assert [(span.start, span.end) for span in case.whole] == [(0, 7), (20, 23)]


def test_documents_of_one_person_are_one_group() -> None:
    groups = [case.group for case in cases()]
    assert groups[0] == groups[1]
    assert len(set(groups)) == 3


@pytest.mark.parametrize("auxiliary", [(), ("PLACE",)])
def test_auxiliary_labels_are_learned_and_not_found(auxiliary: tuple[str, ...]) -> None:
    case = cases(auxiliary=auxiliary)[0]
    assert {span.label for span in case.gold} == {"NAME"}
    assert tuple(span.label for span in case.example.auxiliary) == auxiliary
