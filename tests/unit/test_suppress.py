from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.span import Span
from spark_deid.rewriting.suppress import suppress


def test_neighbouring_names_become_one_placeholder_and_rare_runs_stay_apart() -> None:
    names = suppress("Ann Lee", [Span(0, 3, "NAME"), Span(4, 7, "NAME")])
    rare = suppress("Ann Lee", [Span(0, 3, "RARE"), Span(4, 7, "RARE")])
    assert [(e.start, e.end, e.replacement) for e in names] == [(0, 7, "[NAME]")]
    assert [(e.start, e.end, e.replacement) for e in rare] == [(0, 3, "★"), (4, 7, "★")]


def test_rare_space_between_joined_names_goes_with_them() -> None:
    edits = suppress("Ann Lee", [Span(0, 3, "NAME"), Span(4, 7, "NAME"), Span(3, 4, "RARE")])
    assert [(e.start, e.end, e.replacement) for e in edits] == [(0, 7, "[NAME]")]


SPANS = st.builds(
    lambda start, length, label: (start, start + length, label),
    st.integers(0, 11),
    st.integers(1, 5),
    st.sampled_from(["NAME", "CITY", "RARE"]),
)


@given(st.text(alphabet="ab .\n", min_size=12, max_size=12), st.lists(SPANS, max_size=6))
def test_edits_are_disjoint_and_cover_every_span(text: str, rows: list[tuple[int, int, str]]) -> None:
    spans = [Span(start, min(end, len(text)), label) for start, end, label in rows]
    edits = suppress(text, spans)
    assert all(a.start < a.end <= b.start for a, b in pairwise(edits))
    covered = {offset for edit in edits for offset in range(edit.start, edit.end)}
    assert covered >= {offset for span in spans for offset in range(span.start, span.end)}
