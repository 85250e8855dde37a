"""What may go wrong in a drawing: values that are absent or odd, lines alike, and what is not to be in a page."""

import math
import re
import struct
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib as mpl
import pytest

from spark_deid.core.report_section import LinePlot, PlotLine, Point
from spark_deid.report.plots import COLOURS, DARK, GROUND, png, svg
from spark_deid.report.render import experiment_page

SVG = "{http://www.w3.org/2000/svg}"


def plot(*lines: Sequence[Point], linear: bool = False, name: str = "some") -> LinePlot:
    stated: list[PlotLine] = [
        {"name": f"line {n}", "colour": n, "dashed": n == 1, "points": points} for n, points in enumerate(lines)
    ]
    title, across, upward = "A $title_2$ & more", "size, MB", "time, s"
    return LinePlot(name=name, title=title, across=across, upward=upward, linear=linear, lines=stated)


def draw(stated: LinePlot) -> Element:
    return ElementTree.fromstring(svg(stated))


def points(drawn: Element) -> list[tuple[float, float, str]]:
    """Return the place of each mark and what it shows."""
    uses = [(use, use.find(f"{SVG}title")) for use in drawn.iter(f"{SVG}use")]
    return [(float(use.get("x", "")), float(use.get("y", "")), str(t.text)) for use, t in uses if t is not None]


def texts(drawn: Element) -> list[str]:
    return [str(text.text) for text in drawn.iter(f"{SVG}text")]


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize(
    "lines",
    [
        [[(1, 5e-324)]],
        [[(7, 0)]],
        [[(10_000 + x, 0) for x in range(9)]],
        [[(1, 9999), (2, 9999 + 1e-12)]],
        [[(0.001, 1e9), (1e6, 2)], [(3, -4)]],
        [[(1, 0.99), (2, 1)]],
    ],
)
def test_every_point_is_inside_and_both_axes_have_numbers(lines: list[list[Point]], linear: bool) -> None:
    drawn = draw(plot(*lines, linear=linear))
    _, _, width, height = map(float, drawn.get("viewBox", "").split())
    placed = points(drawn)
    assert len(placed) == sum(map(len, lines))
    assert all(0 < x < width and 0 < y < height for x, y, _ in placed)
    assert len([text for text in texts(drawn) if re.match(r"[−-]?\d", text)]) >= 3


def test_equal_steps_of_a_logarithmic_axis_are_equal_factors() -> None:
    (a, low, _), (b, _, told), (c, high, _) = points(draw(plot([(1, 0), (10, 5, "k 4"), (100, 10)])))
    assert b - a == pytest.approx(c - b, abs=0.01)
    assert low > high
    assert told == "size, MB 10: 5; k 4"


def test_values_that_rise_by_factors_have_a_logarithmic_axis_of_plain_numbers() -> None:
    steps: list[Point] = [(1, 0.01), (2, 0.1), (3, 1), (4, 10)]
    drawn = draw({**plot(steps, linear=True), "rises_by_factors": True})
    heights = [y for _, y, _ in points(drawn)]
    assert max(abs(b - a - (heights[1] - heights[0])) for a, b in pairwise(heights)) < 0.01
    assert {"0.01", "0.1", "10"} <= set(texts(drawn))
    assert draw({**plot([(1, 0), (2, 10)], linear=True), "rises_by_factors": True}) is not None


def test_a_place_that_has_no_logarithm_is_drawn_all_the_same() -> None:
    placed = points(draw(plot([(0, 1), (1, 2), (10, 3)])))
    steps = [after - before for (before, *_), (after, *_) in pairwise(placed)]
    assert steps[1] == pytest.approx(9 * steps[0], rel=0.01)


def test_values_that_are_absent_are_left_out() -> None:
    drawn = draw(plot([(1, None), (2, math.nan), (3, math.inf), (math.nan, 4), (5, 6)], [(1, None)], []))
    assert [told for *_, told in points(drawn)] == ["size, MB 5: 6"]
    assert "line 0" in texts(drawn)
    assert not {"line 1", "line 2"} & {*texts(drawn)}


@pytest.mark.parametrize("lines", [[], [[]], [[(1, None)]]])
def test_a_plot_of_nothing_reports_it(lines: list[list[Point]]) -> None:
    drawn = draw(plot(*lines))
    assert "no values" in texts(drawn)
    assert drawn.get("aria-label", "").endswith("; no values")
    assert png(plot(*lines)).startswith(b"\x89PNG")


def test_values_begin_at_zero_unless_all_are_shares_near_one() -> None:
    def least(*values: float) -> float:
        drawn = draw(plot([(1 + n, value) for n, value in enumerate(values)]))
        upward = [text for text in drawn.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
        return min(float(str(text.text)) for text in upward)

    assert least(20, 30) == 0
    assert least(0.4, 0.95) == 0
    assert least(1, 1) == 0
    assert 0.5 < least(0.93, 0.95) <= 0.935


def test_counts_have_no_numbers_of_fractions_next_to_them() -> None:
    upward = [t for t in draw(plot([(1, 1), (2, 3)])).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    assert [float(str(text.text)) for text in upward] == [0, 1, 2, 3]


def test_values_that_are_all_zero_have_an_axis_up_to_one() -> None:
    upward = [t for t in draw(plot([(1, 0), (2, 0)])).iter(f"{SVG}text") if t.get("text-anchor") == "end"]
    assert [str(text.text) for text in upward] == ["0", "1"]


def test_lines_are_distinguished_without_colour_and_many_have_names() -> None:
    drawn = draw(plot(*([(1, n), (2, n + 1)] for n in range(56))))
    shapes = {path.get("id"): path.get("d") for path in drawn.iter(f"{SVG}path") if path.get("id")}
    uses = [use for use in drawn.iter(f"{SVG}use") if use.find(f"{SVG}title") is not None]
    looks = {(shapes[use.get("href", "")[1:]], use.get("stroke")) for use in uses}
    assert len(looks) == 56
    assert len({shape for shape, _ in looks}) >= 8
    height = float(drawn.get("viewBox", "").split()[3])
    names = [text for text in drawn.iter(f"{SVG}text") if str(text.text).startswith("line ")]
    assert len(names) == 56
    assert all(0 < float(name.get("y", "")) < height for name in names)


def test_points_show_large_whole_numbers_whole() -> None:
    [(*_, first), (*_, second)] = points(draw(plot([(16384, 0.25), (16384.5, 1000)])))
    assert (first, second) == ("size, MB 16,384: 0.25", "size, MB 1.638e+04: 1,000")


def test_dashed_lines_have_dashes_and_hollow_marks() -> None:
    drawn = draw(plot([(1, 2), (2, 3)], [(1, 1), (2, 2)]))
    dashed = {path.get("stroke") for path in drawn.iter(f"{SVG}path") if path.get("stroke-dasharray")}
    hollow = {use.get("stroke") for use in drawn.iter(f"{SVG}use") if use.get("fill") == GROUND}
    assert dashed == hollow == {[*COLOURS][1]}


def test_ranges_are_drawn_from_least_to_most_at_their_points() -> None:
    stated = plot([(1, 2), (3, 4)], linear=True)
    drawn = draw({**stated, "lines": [{**stated["lines"][0], "ranges": [(1, 3), (4, 4.5)]}]})
    own = (path.get("d", "") for path in drawn.iter(f"{SVG}path") if path.get("stroke") == next(iter(COLOURS)))
    bars = [
        cells for cells in ([float(cell) for cell in re.findall(r"[\d.]+", d)] for d in own) if cells[0] == cells[2]
    ]
    marks = points(drawn)
    assert [bar[0] for bar in bars] == pytest.approx([x for x, _, _ in marks], abs=0.01)
    for (_, low, _, high), (_, y, _) in zip(bars, marks, strict=True):
        assert high - 0.01 <= y <= low + 0.01


def test_every_colour_has_its_own_in_the_dark() -> None:
    drawn = draw(plot(*([(1, n)] for n in range(9))))
    style = str(drawn.findtext(f"{SVG}style"))
    used = {(what, element.get(what)) for element in drawn.iter() for what in ("fill", "stroke")}
    used = {(what, colour) for what, colour in used if colour not in (None, "none")}
    assert used == {pair for pair in used if f'[{pair[0]}="{pair[1]}"]' in style}
    assert len(used) > len(COLOURS)
    assert "screen and (prefers-color-scheme: dark)" in style
    assert all(element.get("style") is None for element in drawn.iter())
    # A use hands its colour on only where the shape has none.
    assert not [path for path in drawn.iter(f"{SVG}path") if path.get("id") and path.get("stroke")]


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("colours", "ground"), [([*COLOURS], GROUND), ([*COLOURS.values()], DARK[GROUND])], ids=["light", "dark"]
)
def test_lines_are_visible_from_the_ground_as_wcag_asks_of_graphics(colours: list[str], ground: str) -> None:
    for colour in colours:
        darker, lighter = sorted((_luminance(colour), _luminance(ground)))
        assert (lighter + 0.05) / (darker + 0.05) >= 3


def test_a_drawing_is_the_same_each_time_whatever_the_users_settings() -> None:
    stated = plot([(1, 2), (3, 4)], [(2, 2)])
    before = svg(stated), png(stated)
    with mpl.rc_context({"lines.linewidth": 9, "font.size": 30, "svg.hashsalt": None, "text.usetex": True}):
        assert (svg(stated), png(stated)) == before
        assert mpl.rcParams["lines.linewidth"] == 9
    assert not re.search(rb"tEXt|iTXt|tIME", before[1])


def test_a_drawing_refers_to_nothing_else_and_shows_what_it_is() -> None:
    told = svg(plot([(1, 2), (3, 4)]))
    assert not re.search(r"url\(|@import|<script|<!|<\?|xlink|rdf", told)
    assert re.findall(r"\w+://[^\"]*", told) == [SVG[1:-1]]
    assert re.findall(r"font-family.{12}", told) == ['font-family="system-ui,']
    assert set(re.findall(r'href="([^"]*)"', told)) == {f"#{found}" for found in re.findall(r' id="([^"]*)"', told)}
    drawn = ElementTree.fromstring(told)
    assert (drawn.get("role"), drawn.get("class")) == ("img", "plot slim")
    assert drawn.get("aria-label") == "A $title_2$ & more: time, s over size, MB; line 0"
    assert all(text.get("font-size") for text in drawn.iter(f"{SVG}text"))
    assert {"A $title_2$ & more", "time, s", "size, MB", "line 0"} <= {*texts(drawn)}


def test_a_png_is_of_the_size_of_the_svg_and_fit_for_print() -> None:
    drawn = draw(plot([(1, 2)]))
    width, height = struct.unpack(">II", png(plot([(1, 2)]))[16:24])
    points_wide, points_high = (float(drawn.get(side, "").removesuffix("pt")) for side in ("width", "height"))
    assert width / points_wide == pytest.approx(height / points_high) == pytest.approx(150 / 72, rel=0.01)


def test_a_page_has_each_plot_once_and_its_files_next_to() -> None:
    plots = [plot([(1, 2)], name="one"), plot([(1, 2)], name="two")]
    page, files = experiment_page("greedy", _told(plots))
    assert [*files] == ["one.svg", "two.svg", "one.png", "two.png"]
    assert files["one.svg"].decode() in page
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert page.count("<svg") == 2
    assert "2 runs reached the limit" in page
    assert "5 documents were drawn" in page


def test_pages_without_plots_do_not_wait_for_matplotlib() -> None:
    script = "import sys, spark_deid.report.render; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


def _told(plots: list[LinePlot]) -> dict[str, object]:
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
    settings = {
        "labels": ["PER"],
        "folds": 4,
        "documents": 5,
        "decoding": "cost",
        "counts": "train",
        "tagger": "",
        "attackers": ["svm"],
    }
    return {
        "settings": settings,
        "documents": 5,
        "instances": 50,
        "sensitive": 4,
        "summary": [row],
        "budgets": [],
        "plots": plots,
        "failed": 2,
    }


@pytest.mark.parametrize("lines", [1, 12, 13])
def test_a_long_title_takes_two_lines_and_runs_into_no_name_next_to_it(lines: int) -> None:
    title = "Share of characters that stay, over MB of text"
    line: list[Point] = [(1, 2), (3, 4)]
    drawn = plot(*[line] * lines)
    drawn["title"] = title
    told = texts(draw(drawn))
    assert title not in told
    assert " ".join(text for text in told if text in title and len(text) > 3) == title


@pytest.mark.parametrize(("lines", "is_slim"), [(1, True), (12, True), (13, False)])
def test_names_occur_below_where_they_are_few(lines: int, is_slim: bool) -> None:
    line: list[Point] = [(1, 2), (3, 4)]
    drawn = draw(plot(*[line] * lines))
    assert drawn.attrib["class"] == ("plot slim" if is_slim else "plot")
    assert float(drawn.attrib["width"].removesuffix("pt")) == pytest.approx(72 * (5.2 if is_slim else 8.4))


def test_what_occurs_upward_is_not_cut_off() -> None:
    drawn = plot([(1, 2), (3, 4)])
    drawn["upward"] = "share of persons in classes up to this size"
    told = texts(draw(drawn))
    assert "share of persons in" in told
    assert "classes up to this size" in told


@pytest.mark.parametrize(("last", "has_halves"), [(18.0, False), (18.5, True)])
def test_whole_places_are_named_by_whole_numbers(last: float, has_halves: bool) -> None:
    drawn = plot([(2, 0), (4, 2), (last, 4)])
    drawn["linear"] = True
    assert ("2.5" in texts(draw(drawn))) == has_halves
