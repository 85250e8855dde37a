"""Drawings of class sizes and of risks."""

from spark_deid.anonymity.plots import plots_of
from spark_deid.report.plots import svg


def test_shares_of_people_grow_with_the_size_and_fall_with_the_risk() -> None:
    sizes, risks = plots_of({1: 4, 2: 3}, {5: 2})
    assert [line["points"] for line in sizes["lines"]] == [[(1.0, 0.4), (2.0, 1.0)], [(5.0, 1.0)]]
    assert [line["points"] for line in risks["lines"]] == [[(0.5, 1.0), (1.0, 0.4)], [(0.2, 1.0)]]


def test_many_sizes_are_drawn_by_few_points_from_the_first_to_the_last() -> None:
    sizes, _ = plots_of(dict.fromkeys(range(1, 3000), 1), {})
    points = sizes["lines"][0]["points"]
    assert len(points) <= 41
    assert (points[0][0], points[-1][:2]) == (1.0, (2999.0, 1.0))


def test_rows_are_not_called_people() -> None:
    words = [str(plot[key]) for plot in plots_of({1: 4}, {5: 2}, "rows") for key in ("title", "across", "upward")]
    assert all("rows" in each.lower() and "persons" not in each.lower() for each in words)


def test_all_is_drawn() -> None:
    assert all("<svg" in svg(plot) for plot in plots_of({1: 4}, {5: 2}))
