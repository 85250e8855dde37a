"""Plots drawn by matplotlib: as SVG, for pages as for files, in light and in dark, and as PNG.

No script draws them, as those of Altair and its like need: pages run none, print as they look, and the leak scan reads
what they show as it occurs.
"""

import io
import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

from spark_deid.core.report_section import LinePlot, PlotLine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = {
    "#1d4fd0": "#7389ff",
    "#e8500a": "#e0602c",
    "#00855a": "#35e8a4",
    "#b858c4": "#bd9cca",
    "#6f9a2a": "#f2bb30",
    "#7f1d53": "#c2557f",
    "#14181f": "#e8ebf0",
}
"""Of lines, in light and in dark: apart for the colour-blind too, and most of them in shades of grey."""
MARKERS = "os^DvPX*"
"""One more than there are colours, so that fifty lines and more differ in one of the two."""
GROUND, INK, GRID = "#ffffff", "#14181f", "#dfe3e8"
DARK = {**COLOURS, GROUND: "#171b22", GRID: "#2a303a"}
RINGS: dict[str, Any] = {"linestyle": "--", "markerfacecolor": GROUND, "markersize": 10, "zorder": 1.9}
WIDTH, HEIGHT, NAME = 8.4, 4.6, 0.26
"""Inches, of a plot with the names of its lines beside it, and of such a name."""
SLIM, LOW, FEW = 5.2, 3.7, 12
"""Inches of the width and height of a plot of that few lines that their names are below: legible on a phone."""
THIN = 1.2
"""Points, of the width of a range."""
NOTHING = "no values"
TWO_DECADES = 200
"""The most that the last place is of the first where a logarithmic axis also names twos and fives."""
STYLE = {
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.formatter.useoffset": False,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.facecolor": GROUND,
    "font.family": "DejaVu Sans",
    "font.size": 12.0,
    "axes.labelsize": 13.0,
    "axes.titlesize": 14.0,
    "grid.color": GRID,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "lines.linewidth": 2.0,
    "lines.markersize": 7.0,
    "savefig.dpi": 150.0,
    "svg.fonttype": "none",
    "svg.hashsalt": "spark_deid",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


class PlotMark(NamedTuple):
    """A value, its place, and the text that a reader gets about it."""

    x: float
    y: float
    note: str


TITLE, WIDE_TITLE = 34, 44
"""Characters of a title in a line, of a slim plot and of one with names beside it."""
UPWARD, WIDE_UPWARD = 26, 34
"""The same of what stands along the axis upward."""
Marks = Mapping[str, tuple[PlotLine, Sequence[PlotMark]]]
"""Lines that have a value, by the identifier of each in a drawing."""


def svg(plot: LinePlot) -> str:
    """Draw a plot as an SVG element, the same each time; it refers to nothing outside itself.

    Colours follow the reader's preference for light or dark, on a screen. Each point shows its values.
    """
    marks = _marks(plot)
    names = ", ".join(line["name"] for line, _ in marks.values())
    return self_contained(
        _saved(plot, marks, "svg"),
        name=plot["name"],
        label=f"{plot['title']}: {plot['upward']} over {plot['across']}; {names or NOTHING}",
        notes={identifier: [mark.note for mark in points] for identifier, (_, points) in marks.items()},
        dark=DARK,
        slim=len(marks) <= FEW,
    )


def png(plot: LinePlot) -> bytes:
    """Draw a plot as PNG, in the colours of light, the same bytes each time."""
    return _saved(plot, _marks(plot), "png", Software=None)


def _marks(plot: LinePlot) -> Marks:
    found = {f"line-{n}": (line, _present(line, plot["across"])) for n, line in enumerate(plot["lines"])}
    return {identifier: (line, points) for identifier, (line, points) in found.items() if points}


def _present(line: PlotLine, across: str) -> list[PlotMark]:
    return [
        PlotMark(x, y, "; ".join((f"{across} {_figure(x)}: {_figure(y)}", *more)))
        for x, y, *more in line["points"]
        if y is not None and math.isfinite(x) and math.isfinite(y)
    ]


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 and value == int(value) else f"{value:.4g}"


def _saved(plot: LinePlot, marks: Marks, kind: str, **metadata: None) -> bytes:
    # Imported where something is drawn: it takes a second.
    from matplotlib import style
    from matplotlib.figure import Figure

    out = io.BytesIO()
    # Whatever the user's own settings of matplotlib are; these come back after.
    with style.context(["default", STYLE]):
        figure = Figure(figsize=_size(len(marks)), layout="constrained")
        _draw(figure, plot, marks)
        figure.savefig(out, format=kind, metadata=metadata)
    return out.getvalue()


def _size(lines: int) -> tuple[float, float]:
    return (SLIM, LOW + NAME * lines) if lines <= FEW else (WIDTH, max(HEIGHT, NAME * (lines + 2)))


def _draw(figure: "Figure", plot: LinePlot, marks: Marks) -> None:
    axes = figure.subplots()
    is_slim = len(marks) <= FEW
    title = textwrap.fill(plot["title"], TITLE if is_slim else WIDE_TITLE)
    upward = textwrap.fill(plot["upward"], UPWARD if is_slim else WIDE_UPWARD)
    axes.set(title=title, xlabel=plot["across"], ylabel=upward)
    for identifier, (line, points) in marks.items():
        _draw_line(axes, line, points, identifier)
    if marks:
        _scale(axes, [mark for _, points in marks.values() for mark in points], plot)
        figure.legend(loc="outside lower left" if is_slim else "outside right upper")
    else:
        axes.text(0.5, 0.5, NOTHING, ha="center", transform=axes.transAxes)


def _draw_line(axes: "Axes", line: PlotLine, points: Sequence[PlotMark], identifier: str) -> None:
    colour = [*COLOURS][line["colour"] % len(COLOURS)]
    # A dashed line goes below with wide rings, so that it is seen where a line of its colour runs over it.
    axes.plot(
        [mark.x for mark in points],
        [mark.y for mark in points],
        color=colour,
        marker=MARKERS[line["colour"] % len(MARKERS)],
        **RINGS if line["dashed"] else {},
        label=line["name"],
        clip_on=False,
        gid=identifier,
    )
    ranges = line.get("ranges", ())
    if ranges:
        least, most = zip(*ranges, strict=True)
        axes.vlines([mark.x for mark in points], least, most, colors=colour, linewidth=THIN, clip_on=False)


def _scale(axes: "Axes", marks: Sequence[PlotMark], plot: LinePlot) -> None:
    places, values = [mark.x for mark in marks], [mark.y for mark in marks]
    if plot["linear"] or min(places) <= 0:
        axes.set_xlim(*_ends(places))
        if all(place == int(place) for place in places):
            axes.locator_params("x", integer=True)
    else:
        _scale_by_factors(axes, max(places) / min(places))
    if plot.get("rises_by_factors") and min(values) > 0:
        _rise_by_factors(axes)
    else:
        axes.set_ylim(*_ends(values))
        if all(value == int(value) for value in values):
            axes.locator_params("y", integer=True)


def _ends(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return where an axis begins and ends, None where it may as it likes.

    An axis begins at 0, or where all values are shares near 1, below the least; equal values could be counts.

    >>> _ends([3, 5]), _ends([0, 0]), _ends([0.8, 0.9]), _ends([1, 1]), _ends([-1, 4])
    ((0, None), (0, 1), (None, None), (0, None), (None, None))
    """
    low, high = min(values), max(values)
    if low < 0 or 0.5 < low < high <= 1:
        return None, None
    return 0, None if high else 1


def _rise_by_factors(axes: "Axes") -> None:
    from matplotlib import ticker

    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())


def _scale_by_factors(axes: "Axes", factor: float) -> None:
    from matplotlib import ticker

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if factor <= TWO_DECADES else (1,)))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))


# An SVG of matplotlib's made fit to be in a page.


SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
FONT = "font-family"
CLIPS = "clip-path"
"""Omitted: nothing is drawn beyond its axes."""
DEFAULTS = {FONT: "system-ui, sans-serif", "stroke-linejoin": "round"}


def self_contained(
    drawn: bytes,
    *,
    name: str,
    label: str,
    notes: Mapping[str, Sequence[str]],
    dark: Mapping[str, str],
    slim: bool = False,
) -> str:
    """Return an SVG that loads nothing, whose identifiers begin with ``name``, and which follows the reader's colours.

    ``notes`` has, by the identifier of a line, what each of its markers shows; ``dark`` a colour for each in the dark.
    A page shows what is ``slim`` narrower.
    """
    root = ElementTree.fromstring(drawn)
    parts = [child for child in root if child.tag == f"{SVG}g"]
    for line, texts in ((root.find(f".//{SVG}g[@id='{line}']"), texts) for line, texts in notes.items()):
        for marker, words in zip(() if line is None else line.iter(f"{SVG}use"), texts, strict=True):
            ElementTree.SubElement(marker, f"{SVG}title").text = words
    used = {element.get(HREF, "") for element in root.iter()}
    for part in parts:
        for element in part.iter():
            _plain(element, name, used)
    root[:] = [_style(dark), *parts]
    size = {name: root.get(name, "") for name in ("viewBox", "width", "height")}
    root.attrib = {
        "xmlns": SVG[1:-1],
        "class": "plot slim" if slim else "plot",
        "role": "img",
        "aria-label": label,
        **size,
        **DEFAULTS,
    }
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    ElementTree.indent(root, "")
    return ElementTree.tostring(root, encoding="unicode")


def _plain(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Turn the style of an element into attributes, over which a style sheet has its way, and what it refers to."""
    attributes = element.attrib
    style = dict(pair.split(": ", 1) for pair in attributes.pop("style", "").split("; ") if pair)
    attributes.update((key, value) for key, value in style.items() if key != FONT)
    attributes.pop(CLIPS, None)
    identifier = attributes.pop("id", "")
    if f"#{identifier}" in used:
        attributes["id"] = f"{name}-{identifier}"
        # A shape has the colour of its use: style sheets find uses, but in some browsers not what these refer to.
        attributes.pop("stroke", None)
    if HREF in attributes:
        attributes["href"] = f"#{name}-{attributes.pop(HREF)[1:]}"
    if "d" in attributes:
        attributes["d"] = " ".join(attributes["d"].split())


def _style(dark: Mapping[str, str]) -> ElementTree.Element:
    rules = (
        f'svg.plot [{what}="{light}"]{{{what}:{shade}}}' for light, shade in dark.items() for what in ("fill", "stroke")
    )
    style = ElementTree.Element(f"{SVG}style")
    style.text = f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"
    return style
