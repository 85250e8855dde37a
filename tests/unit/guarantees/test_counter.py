"""Decisions counted by columns are counted as they are one by one, whatever is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.columns import cut_by_size
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.errors import EditError
from spark_deid.core.span import GOLD, Span
from spark_deid.evaluation.counts import CountCell
from spark_deid.guarantees import counter
from spark_deid.guarantees.checking import AllowedTexts, CheckSettings
from spark_deid.guarantees.columns import MAX_LABELS
from spark_deid.guarantees.counter import FAULTS, DecisionCounter
from spark_deid.rewriting.suppress import placeholder

CHECKING = CheckSettings(
    ("gold",),
    {"suppress": placeholder, "mask": lambda _: "*"},
    scored=True,
    listed=("[A]",),
    recounted=("shift",),
    allowed=AllowedTexts(folded=frozenset({"a"})),
    staying=frozenset({"B"}),
)
LABELS, SOURCES = st.sampled_from("AB"), st.sampled_from([GOLD, "model", "model/allowed"])
WRITTEN = st.sampled_from(["[A]", "[B]", "*", "**", "a", "[REMOVED]", "", "9"])


@dataclass(frozen=True)
class DrawnDecision:
    """A document with its spans and edits, and what is published of it."""

    text: str
    spans: tuple[Span, ...]
    edits: tuple[LabelledEdit, ...]
    published: str


def batch_of(decisions: list[DrawnDecision]) -> pa.RecordBatch:
    rows = [
        (f"d#{n}", None, d.text, None, [s._asdict() for s in d.spans], [e._asdict() for e in d.edits],
         [{"technique": "shift", "reason": "raised", "spans": 1}] * (n % 2), d.published, 3, 2, 1)
        for n, d in enumerate(decisions)
    ]  # fmt: skip
    return to_batch(rows, tables.DECISIONS)


def between(one: int, other: int, label: str, *rest: Any) -> Span:
    """Mark what lies between two places, whichever comes first."""
    return Span(min(one, other), max(one, other), label, *rest)


@st.composite
def disordered(draw: st.DrawFn) -> DrawnDecision:
    """Draw what no decision should be."""
    text = draw(st.text(alphabet="aB1_ .[]*\n😀", max_size=12))
    at = st.integers(-1, len(text) + 1)
    pieces = st.sampled_from([None, None, None, "T1"])
    span = st.builds(between, at, at, LABELS, st.none(), SOURCES, pieces)
    technique = st.sampled_from(["suppress", "mask", "shift", "surrogate"])
    edit = st.builds(lambda *row: LabelledEdit(*between(*row)[:2], *row[2:]), at, at, technique, WRITTEN, LABELS)
    drawn, edits = draw(st.lists(span, max_size=4)), draw(st.lists(edit, max_size=4))
    spans = [s for s in drawn if s.source != GOLD or 0 <= s.start <= s.end <= len(text)]  # as they are read
    try:
        published = apply_edits(text, edits)
    except EditError:
        published = text
    return DrawnDecision(text, tuple(spans), tuple(edits), draw(st.sampled_from([published, published, text])))


@st.composite
def nearly_right(draw: st.DrawFn) -> DrawnDecision:
    """Draw a decision with spans and their edits in order, of which one thing may be wrong."""
    text = draw(st.text(alphabet="aB1_ .\n😀", min_size=1, max_size=24))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    places = list(zip(borders[::2], borders[1::2], strict=False))
    spans = [Span(*place, draw(LABELS), None, "model") for place in places]
    at = st.integers(0, len(text))
    gold = [between(draw(at), draw(at), "A", None, GOLD) for _ in range(2)]
    new = {"mask": "**", "surrogate": "Zo", "shift": "11"}
    names = [draw(st.sampled_from(["suppress", *new])) for _ in spans]
    edits = [
        LabelledEdit(s.start, s.end, name, new.get(name, placeholder(s.label)), s.label)
        for s, name in zip(spans, names, strict=True)
    ]
    published = apply_edits(text, edits)
    is_wrong = draw(st.booleans())
    if edits and is_wrong:
        number = draw(st.integers(0, len(edits) - 1))
        right = edits[number]
        wrong = (right._replace(start=0), right._replace(replacement="a"), right._replace(label="C"))
        edits[number] = draw(st.sampled_from(wrong))
    return DrawnDecision(text, tuple(spans + gold), tuple(edits), published)


def cells(counted: Mapping[CountCell, int]) -> dict[tuple[str, str, str], int]:
    return {cell: number for cell, number in counted.items() if number}


@given(st.lists(st.one_of(disordered(), nearly_right()), max_size=5))
def test_columns_count_what_is_counted_one_by_one(decisions: list[DrawnDecision]) -> None:
    batch = batch_of(decisions)
    for checking in (CHECKING, CHECKING._replace(scored=False, exempt=(), recounted=())):
        found = DecisionCounter(checking)
        assert cells(found.count(batch)) == cells(found.count_each(batch))


def test_documents_without_a_fault_are_not_gone_through(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a document was gone through")

    monkeypatch.setattr(counter, "faults_of", refuse)
    edits = (LabelledEdit(5, 8, "suppress", "[A]", "A"), LabelledEdit(9, 10, "surrogate", "Zo", "A"))
    spans = (Span(5, 8, "A", None, "model"), Span(9, 10, "A", None, "model"), Span(5, 10, "A", None, GOLD))
    right = DrawnDecision("I am Ann L.", spans, edits, "I am [A] Zo.")
    assert DecisionCounter(CHECKING).count(batch_of([right] * 3))[CountCell(FAULTS, "", "documents")] == 3
    with pytest.raises(AssertionError, match="gone through"):
        DecisionCounter(CHECKING).count(batch_of([right, DrawnDecision(right.text, spans, edits, "I am [A] Za.")]))


def test_columns_accept_neutral_forms_next_to_a_span_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a document was gone through")

    monkeypatch.setattr(counter, "faults_of", refuse)
    spans = (Span(6, 11, "A", None, "model"),)
    hidden = LabelledEdit(6, 11, "suppress", "[A]", "A")
    edits = (LabelledEdit(3, 5, "suppress", "a(n)", "A"), hidden, LabelledEdit(11, 12, "suppress", "'s", "A"))
    right = DrawnDecision("is an Adams' dog", spans, edits, "is a(n) [A]'s dog")
    assert DecisionCounter(CHECKING).count(batch_of([right] * 3))[CountCell(FAULTS, "", "documents")] == 3
    marked = (Span(3, 5, "A", None, "model"), *spans)
    for wrong in (replace(right, spans=marked), replace(right, edits=(edits[0]._replace(replacement="an"), hidden))):
        with pytest.raises(AssertionError, match="gone through"):
            DecisionCounter(CHECKING).count(batch_of([right, wrong]))


def test_batches_of_much_text_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Ann", "", "a" * 40, "Bo"]
    batch = batch_of([DrawnDecision(text, (Span(0, len(text), "A", None, GOLD),), (), text) for text in texts])
    whole = DecisionCounter(CHECKING).count(batch)
    monkeypatch.setattr(counter, "cut_by_size", partial(cut_by_size, most=8))
    assert cells(DecisionCounter(CHECKING).count(batch)) == cells(whole)


def test_an_annotation_that_is_there_twice_is_counted_as_it_is_one_by_one() -> None:
    spans = (Span(0, 3, "A", 0.5, GOLD), Span(0, 3, "A", None, GOLD), Span(4, 7, "A", None, GOLD))
    batch = batch_of([DrawnDecision("Ann Ann", spans, (), "Ann Ann")])
    counted = cells(DecisionCounter(CHECKING).count(batch))
    assert counted == cells(DecisionCounter(CHECKING).count_each(batch))
    assert counted["entities", "", "all"] == 2  # a mention of two pieces is none of one


def test_what_shows_is_a_fault_by_columns_too() -> None:
    edits, spans = (LabelledEdit(5, 12, "surrogate", "nosnhoJ", "A"),), (Span(5, 12, "A", None, "model"),)
    counted = DecisionCounter(CHECKING).count(batch_of([DrawnDecision("I am Johnson.", spans, edits, "I am nosnhoJ.")]))
    assert counted[CountCell(FAULTS, "", "telling")] == 1


def test_documents_of_very_many_labels_are_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("documents were counted by columns")

    spans = tuple(Span(0, 3, f"L{number}", None, GOLD) for number in range(MAX_LABELS + 1))
    batch = batch_of([DrawnDecision("Ann", spans, (), "Ann")])
    monkeypatch.setattr(DecisionCounter, "count_columns", refuse)
    assert cells(DecisionCounter(CHECKING).count(batch)) == cells(DecisionCounter(CHECKING).count_each(batch))


def test_a_placeholder_over_fields_is_a_fault_by_columns_too() -> None:
    edits, spans = (LabelledEdit(0, 7, "suppress", "[A]", "A"),), (Span(0, 3, "A"), Span(4, 7, "A"))
    batch = batch_of([DrawnDecision("Ann\tLee.", spans, edits, "[A].")])
    assert DecisionCounter(CHECKING).count(batch)[CountCell(FAULTS, "", "overreaching")] == 1
