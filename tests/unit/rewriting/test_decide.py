"""Techniques that misbehave: whatever they hand back, every marked character is edited, and what they leave is told."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.kinds import DocumentReading, SuppressedSpan
from spark_deid.core.overlaps import is_gap, resolve_overlaps
from spark_deid.core.span import Span
from spark_deid.rewriting.decide import LEFT_OUT, MALFORMED, RAISED, UNCHANGED, DocumentEdits, decide
from spark_deid.rewriting.mask import KIND, mask
from spark_deid.rewriting.rules import PreparedRule, PreparedRules, leave_all
from tests.unit.core.marked_texts import marked, marked_texts

TEXT = "Ann Lee met Bob."
ANN, LEE, BOB = Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(12, 15, "NAME")
Rows = Iterable[Any] | None
Place = tuple[int, int, str]
Placeholder = Callable[[str], str] | None


def by(technique: Callable[[Document, Sequence[Span]], Any], *, placeholder: Placeholder = None) -> PreparedRule:
    return PreparedRule("surrogate", technique, placeholder)


def giving(rows: Rows, *, placeholder: Placeholder = None) -> PreparedRule:
    return by(lambda document, spans: rows, placeholder=placeholder)


def edit(start: Any, end: Any, replacement: Any) -> Edit:
    return Edit(start, end, "surrogate", replacement)


def decided(rows: Rows, *spans: Span, placeholder: Placeholder = None) -> DocumentEdits:
    rules = PreparedRules({"NAME": giving(rows, placeholder=placeholder)})
    return decide(Document("d", TEXT), spans or (ANN, LEE, BOB), rules)


def places(found: DocumentEdits) -> list[Place]:
    return [(each.start, each.end, each.replacement) for each in found.edits]


def test_edits_of_whole_spans_occur_and_know_their_label() -> None:
    found = decided([edit(12, 15, "Jim"), edit(0, 3, "Eva"), edit(4, 7, "")])
    assert places(found) == [(0, 3, "Eva"), (4, 7, ""), (12, 15, "Jim")]
    assert {(each.technique, each.label) for each in found.edits} == {("surrogate", "NAME")}
    assert found.handed_back == ()


def test_an_edit_may_take_neighbours_with_spaces_between() -> None:
    found = decided([edit(0, 7, "Eva Doe"), edit(12, 15, "Jim")])
    assert places(found) == [(0, 7, "Eva Doe"), (12, 15, "Jim")]
    assert found.handed_back == ()


def test_a_technique_gets_disjoint_spans_in_order_and_no_others() -> None:
    seen: list[Sequence[Span]] = []

    def technique(document: Document, spans: Sequence[Span]) -> None:
        seen.append(tuple(spans))

    spans = [BOB, LEE, ANN, Span(0, 2, "NAME"), Span(8, 11, "CITY")]
    decide(Document("d", TEXT), spans, PreparedRules({"NAME": by(technique)}))
    assert seen == [(ANN, LEE, BOB)]


def test_a_technique_is_named_by_its_rule() -> None:
    found = decided([Edit(12, 15, "suppress", "Jim")], BOB)
    assert [each.technique for each in found.edits] == ["surrogate"]


@pytest.mark.parametrize(
    "error", [ValueError("Ann"), KeyError("Lee"), RecursionError(), MemoryError(), StopIteration()]
)
def test_what_raises_is_suppressed(error: Exception) -> None:
    def technique(document: Document, spans: Sequence[Span]) -> Iterator[Edit]:
        yield edit(0, 3, "Eva")
        raise error

    found = decide(Document("d", TEXT), [ANN, LEE, BOB], PreparedRules({"NAME": by(technique)}))
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "[NAME]")]
    assert {each.technique for each in found.edits} == {"suppress"}
    assert found.handed_back == (("surrogate", RAISED, 3),)


@pytest.mark.parametrize(
    "rows",
    [7, "Ann", [(0, 3)], [None], [edit(None, 3, "x")], [edit("a", 3, "x")], [edit(0, float("nan"), "x")], [b""]],
)
def test_what_is_no_list_of_edits_is_suppressed(rows: Any) -> None:
    found = decided(rows)
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "[NAME]")]
    assert found.handed_back == (("surrogate", RAISED, 3),)


@pytest.mark.parametrize("rows", [None, [], ()])
def test_what_is_left_out_is_suppressed(rows: Rows) -> None:
    found = decided(rows)
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "[NAME]")]
    assert found.handed_back == (("surrogate", LEFT_OUT, 3),)


def test_only_what_is_left_out_is_suppressed() -> None:
    found = decided([edit(0, 3, "Eva"), edit(12, 15, "Jim")])
    assert places(found) == [(0, 3, "Eva"), (4, 7, "[NAME]"), (12, 15, "Jim")]
    assert found.handed_back == (("surrogate", LEFT_OUT, 1),)


@pytest.mark.parametrize(
    ("rows", "handed_back"),
    [
        pytest.param([(0, 3, "Eva"), (0, 3, "Ida"), (4, 7, "Doe")], {MALFORMED: 1}, id="twice"),
        pytest.param([(0, 3, "Eva"), (0, 3, "Eva"), (4, 7, "Doe")], {MALFORMED: 1}, id="twice the same"),
        pytest.param([(0, 2, "Ev"), (4, 7, "Doe")], {MALFORMED: 1}, id="beginning"),
        pytest.param([(1, 3, "va"), (4, 7, "Doe")], {MALFORMED: 1}, id="end"),
        pytest.param([(0, 1, "E"), (1, 3, "va"), (4, 7, "Doe")], {MALFORMED: 1}, id="parts"),
        pytest.param([(0, 4, "Eva "), (4, 7, "Doe")], {MALFORMED: 1}, id="beyond its end"),
        pytest.param([(-1, 3, "Eva"), (4, 7, "Doe")], {MALFORMED: 1}, id="before the text"),
        pytest.param([(3, 0, "Eva"), (4, 7, "Doe")], {LEFT_OUT: 1}, id="backwards"),
        pytest.param([(0, 3, None), (4, 7, "Doe")], {MALFORMED: 1}, id="no text"),
        pytest.param([(0, 3, b"Eva"), (4, 7, "Doe")], {MALFORMED: 1}, id="bytes"),
        pytest.param([(0, 3, ["Eva"]), (4, 7, "Doe")], {MALFORMED: 1}, id="list"),
        pytest.param([(0, 3, "Ann"), (4, 7, "Doe")], {UNCHANGED: 1}, id="unchanged"),
        pytest.param([(3, 4, "_"), (4, 7, "Doe")], {LEFT_OUT: 1}, id="the space"),
        pytest.param([(0, 0, "x"), (4, 7, "Doe")], {LEFT_OUT: 1}, id="empty"),
    ],
)
def test_what_is_invalid_is_suppressed_and_its_neighbour_occurs(
    rows: list[tuple[int, int, Any]], handed_back: dict[str, int]
) -> None:
    found = decided([edit(*row) for row in rows], ANN, LEE)
    assert places(found) == [(0, 3, "[NAME]"), (4, 7, "Doe")]
    assert found.handed_back == tuple(("surrogate", reason, count) for reason, count in handed_back.items())


@pytest.mark.parametrize(
    ("row", "handed_back"),
    [
        pytest.param((0, 15, "Eva"), (("surrogate", MALFORMED, 3),), id="over words"),
        pytest.param((0, 5, "Eva"), (("surrogate", LEFT_OUT, 1), ("surrogate", MALFORMED, 2)), id="and a half"),
        pytest.param((0, 7, "Ann Lee"), (("surrogate", LEFT_OUT, 1), ("surrogate", UNCHANGED, 2)), id="unchanged"),
        pytest.param((15, 16, "!"), (("surrogate", LEFT_OUT, 3),), id="outside the spans"),
        pytest.param((8, 11, "saw"), (("surrogate", LEFT_OUT, 3),), id="another word"),
        pytest.param((40, 50, "x"), (("surrogate", LEFT_OUT, 3),), id="outside the text"),
        pytest.param((0, 2**70, "x"), (("surrogate", MALFORMED, 3),), id="a huge one"),
    ],
)
def test_an_edit_that_is_invalid_leaves_its_spans_to_suppression(
    row: tuple[int, int, str], handed_back: tuple[tuple[str, str, int], ...]
) -> None:
    found = decided([edit(*row)])
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "[NAME]")]
    assert found.handed_back == handed_back


def test_of_overlapping_edits_none_occurs_even_if_one_is_between_spans() -> None:
    found = decided([edit(0, 7, "Eva"), edit(3, 4, "-")], ANN, LEE)
    assert places(found) == [(0, 7, "[NAME]")]


@pytest.mark.parametrize("between", ["\n", "\r", "\u2028", " \n ", ",", "-", " a "])
def test_an_edit_takes_no_neighbours_with_more_than_spaces_between(between: str) -> None:
    text = f"Ann{between}Lee"
    spans = [ANN, Span(len(text) - 3, len(text), "NAME")]
    rules = PreparedRules({"NAME": giving([edit(0, len(text), "Eva Doe")])})
    found = decide(Document("d", text), spans, rules)
    assert places(found) == [(0, 3, "[NAME]"), (len(text) - 3, len(text), "[NAME]")]
    assert found.handed_back == (("surrogate", MALFORMED, 2),)


def test_replacements_that_are_no_text_may_overlap() -> None:
    found = decided([edit(0, 3, ["Eva"]), edit(1, 2, ["Eva"])])
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "[NAME]")]


def test_only_listed_placeholders_may_equal_what_was_there() -> None:
    assert decided([edit(12, 15, "Bob")], BOB).handed_back == (("surrogate", UNCHANGED, 1),)
    found = decided([edit(12, 15, "Bob")], BOB, placeholder=lambda label: "Bob")
    assert (places(found), found.handed_back) == ([(12, 15, "[NAME]")], (("surrogate", UNCHANGED, 1),))
    both = decided([edit(0, 3, "Bob"), edit(12, 15, "Bob")], ANN, BOB, placeholder=lambda label: "Bob")
    assert places(both) == [(0, 3, "Bob"), (12, 15, "[NAME]")]
    assert both.handed_back == (("surrogate", UNCHANGED, 1),)
    listed = PreparedRules(
        {"NAME": giving([edit(12, 15, "Bob")], placeholder=lambda label: "Bob")}, listed=frozenset({"Bob"})
    )
    assert places(decide(Document("d", TEXT), [BOB], listed)) == [(12, 15, "Bob")]


def test_a_technique_with_placeholders_writes_nothing_else() -> None:
    assert places(decided([edit(12, 15, "××")], BOB, placeholder=lambda label: "×")) == [(12, 15, "××")]
    found = decided([edit(12, 15, "Bob")], BOB, placeholder=lambda label: "×")
    assert (places(found), found.handed_back) == ([(12, 15, "[NAME]")], (("surrogate", MALFORMED, 1),))


def test_what_two_techniques_hand_back_is_reported_each() -> None:
    other = PreparedRule("initials", lambda document, spans: None, None)
    rules = PreparedRules({"NAME": giving([edit(0, 3, "Ann"), edit(4, 7, "Doe")])}, other)
    found = decide(Document("d", TEXT), [ANN, LEE, BOB, Span(8, 11, "VERB")], rules)
    assert places(found) == [(0, 3, "[NAME]"), (4, 7, "Doe"), (8, 11, "[VERB]"), (12, 15, "[NAME]")]
    assert found.handed_back == (
        ("initials", LEFT_OUT, 1),
        ("surrogate", LEFT_OUT, 1),
        ("surrogate", UNCHANGED, 1),
    )
    assert [each.label for each in found.edits] == ["NAME", "NAME", "VERB", "NAME"]


def test_what_is_handed_back_joins_its_suppressed_neighbour() -> None:
    rules = PreparedRules({"NAME": giving([edit(12, 15, "Jim")])})
    found = decide(Document("d", TEXT), [ANN, LEE, BOB], rules)
    assert places(found) == [(0, 7, "[NAME]"), (12, 15, "Jim")]


def test_edits_that_are_in_each_other_s_gaps_leave_nothing_uncovered() -> None:
    text = "x  y"
    spans = [Span(0, 1, "NAME"), Span(1, 2, "CITY"), Span(2, 3, "NAME"), Span(3, 4, "CITY")]
    found = decide(Document("d", text), spans, PreparedRules({"CITY": giving([edit(1, 4, "?")])}))
    check(text, spans, found)


def reading(further: Sequence[Span], *rows: Edit | SuppressedSpan, reasons: tuple[str, ...] = ()) -> PreparedRule:
    """Make a technique that asks for further text."""

    def read(document: Document, pieces: Sequence[Span]) -> DocumentReading:
        assert document.spans
        assert all(isinstance(piece, Span) for piece in pieces)
        return DocumentReading(tuple(further), lambda document, spans: rows)

    return PreparedRule("surrogate", leave_all, None, read, reasons)


def test_a_technique_that_reads_may_replace_what_no_one_marked() -> None:
    rules = PreparedRules({"NAME": reading([BOB], edit(0, 3, "Eva"), edit(12, 15, "Jim"))})
    found = decide(Document("d", TEXT), [ANN], rules)
    assert places(found) == [(0, 3, "Eva"), (12, 15, "Jim")]


def test_further_text_that_is_left_is_suppressed_and_reported_by_its_reason() -> None:
    rule = reading([BOB], edit(0, 3, "Eva"), SuppressedSpan(12, 15, "outside"), reasons=("outside",))
    found = decide(Document("d", TEXT), [ANN], PreparedRules({"NAME": rule}))
    assert places(found) == [(0, 3, "Eva"), (12, 15, "[NAME]")]
    assert found.handed_back == (("surrogate", "outside", 1),)


def test_a_reason_that_a_technique_does_not_declare_is_not_reported() -> None:
    found = decide(Document("d", TEXT), [ANN], PreparedRules({"NAME": reading([], SuppressedSpan(0, 3, "Ann"))}))
    assert found.handed_back == (("surrogate", LEFT_OUT, 1),)


@pytest.mark.parametrize(
    "further",
    [Span(2, 5, "NAME"), Span(8, 99, "NAME"), Span(15, 99, "NAME"), Span(8, 8, "NAME"), Span(13, 14, "NAME")],
)
def test_further_text_that_is_not_free_is_not_replaced(further: Span) -> None:
    rules = PreparedRules({"NAME": reading([further], edit(0, 3, "Eva"))})
    found = decide(Document("d", TEXT), [ANN, Span(12, 15, "CITY")], rules)
    assert places(found) == [(0, 3, "[NAME]"), (12, 15, "[CITY]")]


def test_a_reader_that_raises_leaves_its_spans_suppressed() -> None:
    def read(document: Document, pieces: Sequence[Span]) -> DocumentReading:
        raise ValueError(document.text)

    found = decide(
        Document("d", TEXT), [ANN], PreparedRules({"NAME": PreparedRule("surrogate", leave_all, None, read)})
    )
    assert places(found) == [(0, 3, "[NAME]")]
    assert found.handed_back == (("surrogate", RAISED, 1),)


ROW = st.tuples(st.integers(-1, 25), st.integers(-1, 25), st.sampled_from(["", "a", "b", " ", "ab", None, 7, b"a"]))


@st.composite
def misbehaving(draw: st.DrawFn, text: str, spans: list[Span]) -> PreparedRule:
    """Draw a technique: its edits are of whole spans, of neighbours, what was there, anything, or an error."""
    pieces = resolve_overlaps(text, spans)
    borders = st.sampled_from(sorted({p.start for p in pieces} | {p.end for p in pieces}) or [0])
    whole = st.sampled_from([(p.start, p.end, "!") for p in pieces] or [(0, 0, "!")])
    between = st.tuples(borders, borders, st.sampled_from(["!", None]))
    same = st.sampled_from([(p.start, p.end, text[p.start : p.end]) for p in pieces] or [(0, 0, "")])
    rows = draw(st.lists(st.one_of(whole, between, same, ROW), max_size=6))
    raises = draw(st.integers(0, 9)) == 0

    def technique(document: Document, pieces: Sequence[Span]) -> Iterator[Edit]:
        yield from (edit(*row) for row in rows)
        if raises:
            raise ValueError(document.text)

    return PreparedRule(draw(st.sampled_from(["surrogate", "shift"])), technique, placeholder=None)


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[Span], PreparedRules]:
    """Draw marked text, and rules of which one or two misbehave beside suppression and stars."""
    text, spans = draw(marked_texts())
    star = PreparedRule("mask", lambda document, pieces: mask(document, pieces, per="run"), KIND.placeholder)
    first, second = draw(misbehaving(text, spans)), draw(misbehaving(text, spans))
    given_rules = [{"X": first}, {"X": first, "Y": star}, {"X": first, "Y": second}, {"X": first, "Y": first}]
    return text, spans, PreparedRules(draw(st.sampled_from(given_rules)))


def check(text: str, spans: Sequence[Span], found: DocumentEdits) -> None:
    """Check what holds whatever techniques do."""
    edits = found.edits
    assert all(each.start < each.end <= other.start for each, other in pairwise(edits))
    edited = {i for each in edits for i in range(each.start, each.end)}
    assert marked(spans) <= edited
    assert all(is_gap(text[i]) for i in edited - marked(spans))
    assert all(isinstance(each.replacement, str) for each in edits)
    assert not [e for e in edits if e.technique not in ("suppress", "mask") and text[e.start : e.end] == e.replacement]
    apply_edits(text, edits)


@given(cases())
def test_whatever_techniques_do_every_marked_character_is_edited(case: tuple[str, list[Span], PreparedRules]) -> None:
    text, spans, rules = case
    found = decide(Document("d", text), spans, rules)
    check(text, spans, found)
    assert all(count > 0 for _, _, count in found.handed_back)


@given(cases())
def test_every_piece_of_a_technique_is_replaced_by_it_or_reported(case: tuple[str, list[Span], PreparedRules]) -> None:
    text, spans, rules = case
    # One technique, over all labels: nothing else can be suppressed or are in its gaps.
    rules = PreparedRules({}, rules.of("X"))
    found = decide(Document("d", text), spans, rules)
    check(text, spans, found)
    pieces = resolve_overlaps(text, spans)
    by_it = [each for each in found.edits if each.technique == rules.others.technique]
    replaced = [p for p in pieces if any(each.start <= p.start and p.end <= each.end for each in by_it)]
    assert len(replaced) + sum(count for _, _, count in found.handed_back) >= len(pieces)
    assert {technique for technique, _, _ in found.handed_back} <= {rules.others.technique}


@given(cases())
def test_the_order_of_spans_does_not_matter(case: tuple[str, list[Span], PreparedRules]) -> None:
    text, spans, rules = case
    document = Document("d", text)
    assert decide(document, spans[::-1], rules) == decide(document, spans, rules)


SMALL = st.text("a ", min_size=4, max_size=6)
LABELS = st.lists(st.sampled_from("XY"), min_size=4, max_size=6)


@given(SMALL, LABELS)
def test_techniques_that_join_neighbours_leave_nothing_uncovered(text: str, labels: list[str]) -> None:
    """Mark each character by a separate label; two techniques take as much with one edit as they may."""

    def join(document: Document, pieces: Sequence[Span]) -> Iterator[Edit]:
        for group in together(document.text, pieces):
            yield edit(group[0].start, group[-1].end, "!")

    rules = PreparedRules({"X": PreparedRule("one", join), "Y": PreparedRule("other", join)})
    spans = [Span(i, i + 1, label) for i, label in enumerate(labels[: len(text)])]
    check(text, spans, decide(Document("d", text), spans, rules))


def together(text: str, pieces: Sequence[Span]) -> list[list[Span]]:
    """Group neighbours with nothing but spaces between."""
    groups: list[list[Span]] = []
    for piece in pieces:
        if groups and is_gap(text[groups[-1][-1].end : piece.start]):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def test_a_technique_may_be_a_value_without_a_hash() -> None:
    class Names(dict[str, str]):
        def __call__(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
            return [edit(span.start, span.end, self[document.text[span.start : span.end]]) for span in spans]

    found = decide(Document("d", TEXT), [BOB], PreparedRules({"NAME": by(Names(Bob="Jim"))}))
    assert places(found) == [(12, 15, "Jim")]


def test_a_replacement_that_no_file_can_hold_is_suppressed() -> None:
    found = decided([edit(12, 15, "\ud800")], BOB)
    assert places(found) == [(12, 15, "[NAME]")]
    assert found.handed_back == (("surrogate", MALFORMED, 1),)
