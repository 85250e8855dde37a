"""What becomes of names and of rare text, side by side."""

from functools import partial
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.document import Document
from spark_deid.core.edit import LabelledEdit, apply_edits
from spark_deid.core.span import Span
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.mask import KIND, mask
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from tests.unit.core.marked_texts import marked, marked_texts

RULES = PreparedRules({"RARE": PreparedRule("mask", partial(mask, per="run"), KIND.placeholder)})


def edits_of(text: str, spans: list[Span], rules: PreparedRules = RULES) -> tuple[LabelledEdit, ...]:
    return decide(Document("d", text), spans, rules).edits


def test_neighbouring_names_become_one_placeholder_and_rare_runs_remain_separate() -> None:
    names = edits_of("Ann Lee", [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    rare = edits_of("Ann Lee", [Span(0, 3, "RARE"), Span(4, 7, "RARE")])
    assert [(e.start, e.end, e.replacement) for e in names] == [(0, 7, "[NAME]")]
    assert [(e.start, e.end, e.replacement) for e in rare] == [(0, 3, "★"), (4, 7, "★")]


def test_rare_space_between_joined_names_goes_with_them() -> None:
    edits = edits_of("Ann Lee", [Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(3, 4, "RARE")])
    assert [(e.start, e.end, e.replacement) for e in edits] == [(0, 7, "[NAME]")]


def test_a_star_may_represent_every_character() -> None:
    rules = PreparedRules({"RARE": PreparedRule("mask", partial(mask, per="character"), KIND.placeholder)})
    [edit] = edits_of("Ann", [Span(0, 3, "RARE")], rules)
    assert edit == (0, 3, "mask", "★★★", "RARE")


def test_a_star_may_equal_what_it_hides_and_a_placeholder_may_not() -> None:
    spans = [Span(0, 6, "NAME"), Span(7, 8, "RARE")]
    decided = decide(Document("d", "[NAME] ★"), spans, RULES)
    assert [(e.technique, e.replacement) for e in decided.edits] == [("suppress", "[REMOVED]"), ("mask", "★")]
    assert decided.handed_back == ()


SPANS = st.builds(
    lambda start, length, label: (start, start + length, label),
    st.integers(0, 11),
    st.integers(1, 5),
    st.sampled_from(["NAME", "CITY", "RARE"]),
)


@given(st.text(alphabet="ab .\n", min_size=12, max_size=12), st.lists(SPANS, max_size=6))
def test_edits_are_disjoint_and_cover_every_span(text: str, rows: list[tuple[int, int, str]]) -> None:
    spans = [Span(start, min(end, len(text)), label) for start, end, label in rows]
    edits = edits_of(text, spans)
    assert all(a.start < a.end <= b.start for a, b in pairwise(edits))
    covered = {offset for edit in edits for offset in range(edit.start, edit.end)}
    assert covered >= {offset for span in spans for offset in range(span.start, span.end)}


@given(marked_texts())
def test_no_marked_character_is_left_unedited(case: tuple[str, list[Span]]) -> None:
    text, spans = case
    edits = edits_of(text, spans)
    edited = {i for e in edits for i in range(e.start, e.end)}
    assert marked(spans) <= edited
    assert all(text[i] in " " for i in edited - marked(spans))
    apply_edits(text, edits)
