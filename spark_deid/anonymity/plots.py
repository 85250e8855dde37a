"""Drawings of what recoding did to a table: sizes of classes, and risks."""

from collections.abc import Mapping, Sequence

import numpy as np

from spark_deid.core.report_section import LinePlot, PlotLine, Point

_MOST_POINTS = 40

ClassSizes = Mapping[int, int]
"""The number of classes by their number of people, or of rows if the table names no people."""


def plots_of(before: ClassSizes, after: ClassSizes, unit: str = "persons") -> tuple[LinePlot, LinePlot]:
    """Plot sizes of classes and risks before and after. Sizes count the ``unit``: people or rows."""
    both = {"before": before, "after": after}
    sizes: LinePlot = {
        "name": "class-sizes",
        "title": f"{unit.capitalize()} by the size of their class",
        "across": f"{unit} in a class",
        "upward": f"fraction of {unit} in classes up to this size",
        "linear": False,
        "lines": [_line(name, at, _up_to(each)) for at, (name, each) in enumerate(both.items())],
    }
    risks: LinePlot = {
        "name": "risks",
        "title": f"{unit.capitalize()} by re-identification risk",
        "across": f"risk: 1 / {unit} in the class",
        "upward": f"fraction of {unit} with this risk or a higher one",
        "linear": False,
        "lines": [_line(name, at, _at_risk(each)) for at, (name, each) in enumerate(both.items())],
    }
    return sizes, risks


def trade_off_of(settings: Sequence[tuple[str, str, float | None, float | None]]) -> LinePlot:
    """Draw the loss of settings over their highest risk, a line for each algorithm.

    Args:
        settings: Algorithm, model, highest risk and loss of each. A setting without one of these is not drawn.

    Returns:
        The plot. Each point names its model.
    """
    points: dict[str, list[Point]] = {}
    for algorithm, model, risk, loss in settings:
        if risk is not None and loss is not None:
            points.setdefault(algorithm, []).append((risk, loss, model))
    return {
        "name": "trade-off",
        "title": "Information loss and risk by setting",
        "across": "highest re-identification risk",
        "upward": "information loss (NCP)",
        "linear": True,
        "lines": [_line(name, at, sorted(each)) for at, (name, each) in enumerate(points.items())],
    }


def _line(name: str, colour: int, points: Sequence[Point]) -> PlotLine:
    return {"name": name, "colour": colour, "dashed": False, "points": points}


def _up_to(sizes: ClassSizes) -> list[Point]:
    """Return, by size, the fraction of people in classes of at most that size."""
    size, people = _persons(sizes)
    shares = np.cumsum(people) / max(float(people.sum()), 1.0)
    return [(float(size[at]), float(shares[at])) for at in _spread(size)]


def _at_risk(sizes: ClassSizes) -> list[Point]:
    """Return, by risk, the fraction of people who have it or a higher one. The risk is 1 over the size."""
    return [(1 / point[0], point[1]) for point in reversed(_up_to(sizes))]


def _persons(sizes: ClassSizes) -> tuple[np.ndarray, np.ndarray]:
    size = np.array(sorted(each for each in sizes if each), np.float64)
    return size, np.array([each * sizes[int(each)] for each in size], np.float64)


def _spread(size: np.ndarray) -> list[int]:
    """Choose places at even factors from the first to the last, each once."""
    if size.size <= _MOST_POINTS:
        return list(range(size.size))
    marks = np.geomspace(size[0], size[-1], _MOST_POINTS)
    return sorted({int(place) for place in np.searchsorted(size, marks)} & set(range(size.size)) | {size.size - 1})
