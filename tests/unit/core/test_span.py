import pytest

from spark_deid.core.overlaps import join_adjacent
from spark_deid.core.span import Span, join_pieces


@pytest.mark.parametrize("between", ["", " ", "  ", "\u00a0", " \u2009"])
def test_neighbours_join_over_one_or_two_spaces(between: str) -> None:
    assert len(join_adjacent(f"Ann{between}Lee", neighbours(between))) == 1


@pytest.mark.parametrize(
    "between", ["   ", "\t", " \t", "\n", "\r\n", "\x0b", "\x0c", "\x1f", "\x85", "\u2028", "-", " ,"]
)
def test_tabs_line_breaks_and_longer_gaps_separate_neighbours(between: str) -> None:
    assert len(join_adjacent(f"Ann{between}Lee", neighbours(between))) == 2


def neighbours(between: str) -> list[Span]:
    return [Span(0, 3, "NAME"), Span(3 + len(between), 6 + len(between), "NAME")]


def test_a_discontinuous_annotation_has_a_hull() -> None:
    pieces = [Span(0, 3, "X", None, "gold", "T1"), Span(8, 9, "X", None, "gold", "T1"), Span(1, 2, "Y")]
    assert [s[:3] for s in join_pieces(pieces)] == [(0, 9, "X"), (1, 2, "Y")]


def test_hulls_of_spans_that_only_score_and_id_distinguish_are_ordered() -> None:
    spans = [Span(0, 1, "X"), Span(0, 1, "X", 0.5), Span(0, 1, "X", None, "", "T1")]
    assert len(join_pieces(spans)) == 3
