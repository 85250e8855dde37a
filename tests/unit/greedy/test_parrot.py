"""The parrot attack: names that the learner of the other half does not tag, beside chance."""

from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.attack.parrot import EITHER, LISTS, PARROT, ParrotCounts, name_like, parrot_attack, parrot_report
from spark_deid.greedy.attack.published import LabelledOriginal
from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.parallel import LocalProcesses
from tests.unit.greedy.toy_learner import FailingLearner, ToyLearner

MISSED = ("Zimt", "Quax", "Ypsi", "Xanten")


def released(number: int, missed: str) -> LabelledOriginal:
    """Make "Today Ann saw Zimt in Graz.", in which Ann became Bea, and Zimt was missed; Graz is of another label."""
    text = f"Today Ann saw {missed} in Graz."
    end = 14 + len(missed)
    spans = (Span(6, 9, "NAME"), Span(14, end, "NAME"), Span(end + 4, end + 8, "CITY"))
    edits = (Edit(6, 9, "surrogate", "Beatrix"), Edit(end + 4, end + 8, "surrogate", "Linz"))
    return LabelledOriginal(Document(f"d{number}", text, None, spans), edits)


ORIGINALS = tuple(released(number, missed) for number, missed in enumerate(MISSED))


def test_names_are_surrogates_and_what_was_missed_in_the_released_text() -> None:
    document = name_like(ORIGINALS[0], None)
    shown = [document.view.text[slice(*span[:2])] for span in document.example.spans]
    assert shown == ["Beatrix", "Zimt", "Linz"]
    assert [document.view.text[slice(*span[:2])] for span in document.missed] == ["Zimt"]
    assert len(name_like(ORIGINALS[0], ("NAME",)).surrogates) == 1


def test_suppressed_names_are_no_names_any_more() -> None:
    original = ORIGINALS[0]._replace(edits=(Edit(6, 9, "suppress", "[NAME]"),))
    document = name_like(original, ("NAME",))
    assert (document.surrogates, [span.start for span in document.view.removed]) == ((), [6])


def test_a_parrot_takes_what_it_does_not_know_for_real() -> None:
    documents = [name_like(original, ("NAME",)) for original in ORIGINALS]
    outcomes = parrot_attack(documents, ToyLearner(), {"viterbi": PLAIN}, {"Ypsi"}.__contains__, LocalProcesses(1))
    found = {each.attacker: each.total for each in outcomes}
    assert found[PARROT] == ParrotCounts(4, 4, 0, 4)  # Beatrix is in both halves, each real name in one only
    assert found[LISTS] == ParrotCounts(4, 4, 4, 3)
    assert found[EITHER] == ParrotCounts(4, 4, 4, 4)
    assert found[LISTS].random_recall == 7 / 8
    report: Any = parrot_report(documents, outcomes, learner="toy", seed=0)
    parrot = next(row for row in report["attackers"] if row["attacker"] == PARROT)
    shares = [parrot[name] for name in ("precision", "random_precision", "recall", "random_recall")]
    assert shares == [1, 0.5, 1, 0.5]
    assert parrot["precision_interval"] == [1.0, 1.0]
    assert any("guesses that 4 names are real. 4 of them are" in each for each in report["statements"])


def test_each_half_is_inspected_by_what_learned_from_the_other() -> None:
    documents = [name_like(original, ("NAME",)) for original in ORIGINALS]
    twice = [each._replace(doc_id=f"{each.doc_id}{copy}") for each in documents for copy in "ab"]
    alone, both = (
        parrot_attack(each, ToyLearner(), {"viterbi": PLAIN}, lambda word: True, LocalProcesses(1))[1].total
        for each in (documents, twice)
    )
    assert alone.guessed_missed == 4
    assert both.guessed_missed < 8  # a copy in the other half states that what it shows was tagged there


def test_a_release_without_surrogates_is_not_attacked() -> None:
    documents = [name_like(original._replace(edits=()), None) for original in ORIGINALS]
    with pytest.raises(UsageError, match="at least two labelled documents with surrogates"):
        parrot_attack(documents, FailingLearner(), {"viterbi": PLAIN}, lambda word: True, LocalProcesses(1))


def test_without_a_name_that_was_missed_there_is_nothing_to_find() -> None:
    documents = [name_like(original, None)._replace(missed=()) for original in ORIGINALS]
    outcomes = parrot_attack(documents, ToyLearner(), {}, lambda word: True, LocalProcesses(1))
    report = parrot_report(documents, outcomes, learner="toy", seed=0)
    assert "this attack has nothing to find" in str(report["statements"])
    assert (outcomes[0].total.recall, outcomes[0].total.precision) == (0.0, 0.0)
