"""Layout of plots, and that they can be drawn."""

import io
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from spark_deid.report.plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, plot
from spark_deid.report.png import SCALE, png
from spark_deid.report.render import greedy_experiment


def _figure(*lines: Sequence[tuple[float, float | None]]) -> dict[str, Any]:
    parts = [{"name": f"line {n}", "dashed": n == 1, "points": points} for n, points in enumerate(lines)]
    return {"name": "x", "title": "A title", "across": "L/C", "lines": parts}


VALUES = st.floats(0, 1e4, allow_nan=False) | st.floats(0.9, 1)


@given(st.lists(st.lists(st.tuples(st.floats(0.1, 1e5), VALUES), min_size=1, max_size=9), min_size=1, max_size=7))
@example([[(1.0, 5e-324)]])
@example([[(10000.0 + x, 0.0) for x in range(1, 10)]])
@example([[(1.0, 9999.0), (2.0, 9999.0 + 1e-12)]])
def test_every_point_and_name_lies_inside(lines: list[list[tuple[float, float]]]) -> None:
    drawn = plot(_figure(*lines))
    for line in drawn.lines:
        for x, y, _ in line.places:
            assert LEFT <= x <= WIDTH - RIGHT
            assert TOP - 0.1 <= y <= HEIGHT - BOTTOM + 0.1
        assert 0 <= line.label[1] <= HEIGHT
    heights = sorted(line.label[1] for line in drawn.lines)
    assert all(after - before >= 14.9 for before, after in pairwise(heights))
    assert 2 <= len(drawn.upward) <= 9


def test_equal_steps_of_a_logarithmic_axis_are_equal_factors() -> None:
    [line] = plot(_figure([(1, 0.0), (10, 5.0), (100, 10.0)])).lines
    (a, top, _), (b, _, told), (c, bottom, _) = line.places
    assert b - a == pytest.approx(c - b)
    assert (top, bottom) == (HEIGHT - BOTTOM, TOP)
    assert told == "L/C 10: 5"


def test_shares_near_one_are_not_squeezed_under_the_top() -> None:
    drawn = plot(_figure([(1, 0.95), (10, 0.93)]))
    assert drawn.upward[0].label == "0.93"


def test_png_and_svg_are_of_the_same_plot() -> None:
    figure = _figure([(1, 3.0), (10, 1.0)], [(1, None), (10, 2.0)])
    drawn = plot(figure)
    image = Image.open(io.BytesIO(png(drawn)))
    assert image.size == (WIDTH * SCALE, HEIGHT * SCALE)
    assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 5
    page, charts = greedy_experiment(_told(figure))
    assert charts["x"][1] == drawn
    assert "stroke-dasharray" in charts["x"][0]
    assert "2 runs reached the limit" in page
    assert "5 documents were drawn" in page


def _told(figure: dict[str, list[Any] | str]) -> dict[str, dict[str, Any] | int | list[Any]]:
    row = {
        "method": "greedy-crf",
        "loss_ratio": 10.0,
        "rounds": 1.5,
        "failed": 2,
        "publish_ratio": 0.95,
        "gold_tokens": 100,
        "residual_tokens": 3,
        "residual_ratio": 0.03,
        "attacker": "svm",
        "attacker_true_positives": 1,
        "attacker_false_positives": 2,
        "seconds": 3.0,
    }
    settings = {"labels": ["PER"], "folds": 4, "documents": 5, "decoding": "cost", "attackers": ["svm"]}
    return {
        "settings": settings,
        "documents": 5,
        "instances": 50,
        "sensitive": 4,
        "summary": [row],
        "budgets": [],
        "plots": [figure],
        "failed": 2,
    }
