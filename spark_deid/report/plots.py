"""Lines over an axis of their own scale: coordinates that templates and ``png`` draw."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 210, 40, 48
COLOURS = ("#2a6fdb", "#d9622b", "#12875f", "#7a5bd0", "#b3261e", "#56606e", "#c2185b", "#8a6d00")
NEAR = 15
"""The least distance between the names of two lines."""
LEAST_SPAN = 1e-12
"""Values that are nearer to each other, or to zero, count as one."""


class Tick(NamedTuple):
    """A number on an axis and where it stands."""

    label: str
    place: float


class Line(NamedTuple):
    """A named line: its places, each with what it stands for, and where its name is written."""

    name: str
    colour: str
    dashed: bool
    places: tuple[tuple[float, float, str], ...]
    label: tuple[float, float]

    @property
    def path(self) -> str:
        """Return the places as the points of a polyline."""
        return " ".join(f"{x},{y}" for x, y, _ in self.places)


class Plot(NamedTuple):
    """A drawing of WIDTH by HEIGHT."""

    title: str
    across_name: str
    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]


def plot(figure: Mapping[str, Any]) -> Plot:
    """Lay out a figure: ``title``, ``across`` (the name of its axis) and ``lines`` of places, values and what to tell.

    The axis across is logarithmic, for positive places, unless ``linear`` is true. Axes of values begin at 0, or where
    all values are shares near 1, below the least. A point may say more after its value; None is a value that is absent.
    """
    points = [point for line in figure["lines"] for point in line["points"] if point[1] is not None]
    low, high, step = _scale([point[1] for point in points])
    linear = figure.get("linear", False)
    share, ticks = (_linear if linear else _logarithmic)([point[0] for point in points])

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            round(LEFT + share(x) * (WIDTH - LEFT - RIGHT), 1),
            round(HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1),
        )

    across = tuple(Tick(f"{x:.6g}", place(x, low)[0]) for x in ticks)
    upward = tuple(Tick(f"{y:.6g}", place(ticks[0], y)[1]) for y in _steps(low, high, step))
    lines = tuple(
        _line(line, COLOURS[line.get("colour", number) % len(COLOURS)], place, figure["across"])
        for number, line in enumerate(figure["lines"])
    )
    return Plot(figure["title"], figure["across"], _spread(lines), across, upward)


def _linear(values: Sequence[float]) -> tuple[Callable[[float], float], tuple[float, ...]]:
    low, high, step = _scale(values)
    return lambda x: (x - low) / (high - low), _steps(low, high, step)


def _logarithmic(values: Sequence[float]) -> tuple[Callable[[float], float], tuple[float, ...]]:
    left, right = math.log(min(values)), math.log(max(values))
    return lambda x: (math.log(x) - left) / ((right - left) or 1), _ticks_across(set(values))


def _steps(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(low + number * step for number in range(round((high - low) / step) + 1))


def _line(line: Mapping[str, Any], colour: str, place: Any, across: str) -> Line:
    places = tuple(
        (*place(x, y), "; ".join((f"{across} {x:.4g}: {y:.4g}", *more)))
        for x, y, *more in line["points"]
        if y is not None
    )
    height = max(places)[1]
    return Line(line["name"], colour, line["dashed"], places, (WIDTH - RIGHT + 10, height))


def _spread(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Move the names of lines apart, so that each can be read."""
    lines = tuple(lines)
    moved: dict[int, Line] = {}
    height = float(TOP - NEAR)
    for number in sorted(range(len(lines)), key=lambda number: lines[number].label[1]):
        height = max(lines[number].label[1], height + NEAR)
        moved[number] = lines[number]._replace(label=(lines[number].label[0], height))
    over = max(0.0, height - (HEIGHT - 10))
    return tuple(
        moved[number]._replace(label=(moved[number].label[0], moved[number].label[1] - over))
        for number in range(len(lines))
    )


def _scale(values: Sequence[float]) -> tuple[float, float, float]:
    """Return where an axis begins and ends, and its step: one, two or five times a power of ten."""
    low, high = min(values), max(values)
    low = low if low > 0.5 and high <= 1 else min(0.0, low)
    span = high - low if high - low > LEAST_SPAN else abs(high)
    step = _step(span if span > LEAST_SPAN else 1)
    begin = math.floor(low / step + 1e-9) * step
    end = math.ceil(high / step - 1e-9) * step
    return begin, max(end, begin + step), step


def _step(span: float) -> float:
    """Return the least handsome step that takes at most six of it.

    >>> [_step(span) for span in (6, 0.05, 730)]
    [1.0, 0.01, 200.0]
    """
    power = 10.0 ** math.floor(math.log10(span / 6))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * 6 >= span * (1 - 1e-9))


def _ticks_across(values: Iterable[float]) -> tuple[float, ...]:
    """Return the values themselves where they are few, else powers of ten between them, else the first and the last."""
    ordered = tuple(sorted(values))
    if len(ordered) <= 8:
        return ordered
    first, last = math.floor(math.log10(ordered[0])), math.ceil(math.log10(ordered[-1]))
    powers = tuple(x for x in (10.0**power for power in range(first, last + 1)) if ordered[0] <= x <= ordered[-1])
    return powers or (ordered[0], ordered[-1])
