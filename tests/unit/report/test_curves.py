"""Curves of reports."""

from typing import Any

import pytest

from spark_deid.report.charts import leak_curve, learning_curve, more_labels, ratio_curve, sweep_curves
from spark_deid.report.render import training_report


def shares(left: float, published: float, **more: float | None) -> dict[str, float | None]:
    return {"left": left, "published": published, **more}


def round_of(number: int, *tried: dict[str, float | None], kept: bool = True) -> dict[str, object]:
    return {"round": number, "kept": kept, "bias": -0.5, "threshold": None, "tried": list(tried)}


def test_rounds_are_drawn_by_what_they_chose_with_what_else_they_tried() -> None:
    first = round_of(1, shares(0.2, 0.99, bias=0.0, threshold=None), shares(0.1, 0.97, bias=-0.5, threshold=None))
    second = round_of(2, shares(0.05, 0.96, bias=-0.5, threshold=None))
    plot = leak_curve({"rounds": [first, second, round_of(3, kept=False)]})
    assert plot is not None
    rounds, tried = plot["lines"]
    assert rounds["points"] == [(3.0, 10.0, "round 1"), (4.0, 5.0, "round 2")]
    assert tried["dashed"]
    assert [point[:2] for point in tried["points"]] == [(1.0, 20.0), (3.0, 10.0)]


def test_the_plot_of_a_training_has_its_explanation_next_to_it(training: dict[str, Any]) -> None:
    counted = training["rounds"][0] | {
        "bias": -0.5,
        "threshold": None,
        "tried": [shares(0.1, 0.97, bias=-0.5, threshold=None)],
    }
    page = training_report(training | {"rounds": [counted]})
    beside = page.partition('<div class="beside">')[2].partition("</section>")[0]
    assert beside.index("<svg") < beside.index("Points show their values")


def test_a_training_that_did_not_count_has_no_curve() -> None:
    assert leak_curve({"rounds": [{"round": 1, "kept": True}]}) is None


@pytest.mark.parametrize(
    ("half", "whole", "told"),
    [(0.10, 0.05, "More labels would help"), (0.10, 0.09, "would hardly help"), (0.0, 0.0, "would hardly help")],
)
def test_more_labels_help_where_the_last_doubling_did(half: float, whole: float, told: str) -> None:
    assert told in more_labels({"points": [shares(0.9, 1), shares(half, 1), shares(whole, 1)]})


def test_a_training_report_shows_recall_and_curves_where_they_were_asked_for(training: dict[str, Any]) -> None:
    points = [shares(left, 0.99, documents=n) for left, n in ((0.3, 5), (0.2, 10), (0.1, 20))]
    curve = {"points": points, "ratios": [shares(0.1, 0.99, loss_ratio=10)]}
    recall = {"NAME": {"annotations": 10, "in_clear": 1, "untouched": 0}}
    page = training_report(training | {"recall": recall, "learning_curve": curve})
    for shown in ("Would more labels help?", "More labels would help", "labelled documents left", "L/C 10", "90.0%"):
        assert shown in page
    assert "Would more labels help?" not in training_report(training)
    assert learning_curve(curve)["lines"][0]["points"][0][:2] == (5, 30.0)
    assert ratio_curve({"points": points, "ratios": []}) is None


def test_a_sweep_has_a_line_for_each_k() -> None:
    plot = sweep_curves({"min_lengths": [1, 6], "rows": [{"k": 2, "ratios": [0.9, 0.8]}, {"k": 4, "ratios": [0.5, 0]}]})
    assert [line["name"] for line in plot["lines"]] == ["k = 2", "k = 4"]
    assert plot["lines"][1]["points"] == [(1, 50.0), (6, 0)]
