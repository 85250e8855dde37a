"""Lines of precision over recall: coordinates that the templates draw."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 130, 20, 48
COLOURS = ("#2a6fdb", "#d9622b", "#12875f", "#7a5bd0")


class Tick(NamedTuple):
    """A number on an axis and where it stands."""

    label: str
    place: float


class Line(NamedTuple):
    """A named line: its places, each with what it stands for, and where its name is written."""

    name: str
    colour: str
    places: tuple[tuple[float, float, str], ...]
    label: tuple[float, float]

    @property
    def path(self) -> str:
        """Return the places as the points of a polyline."""
        return " ".join(f"{x},{y}" for x, y, _ in self.places)


class Chart(NamedTuple):
    """A drawing of WIDTH by HEIGHT."""

    lines: tuple[Line, ...]
    across: tuple[Tick, ...]
    upward: tuple[Tick, ...]


def recall_precision(curves: Mapping[str, Iterable[Mapping[str, float]]]) -> Chart:
    """Return recall across and precision upward, from 0 to the next tenth above the highest."""
    points = {name: tuple(curve) for name, curve in curves.items()}
    top = max((point["precision"] for curve in points.values() for point in curve), default=0)
    tenths = min(10, int(top * 10) + 1)
    lines = tuple(
        _line(name, COLOURS[number % len(COLOURS)], curve, tenths / 10)
        for number, (name, curve) in enumerate(points.items())
    )
    across = tuple(Tick(f"{tenth / 10:.1f}", _x(tenth / 10)) for tenth in range(0, 11, 2))
    upward = tuple(Tick(f"{tenth / 10:.1f}", _y(tenth / 10, tenths / 10)) for tenth in range(tenths + 1))
    return Chart(lines, across, upward)


def _line(name: str, colour: str, curve: tuple[Mapping[str, float], ...], top: float) -> Line:
    places = tuple(
        (_x(p["recall"]), _y(p["precision"], top), f"k {p['k']}: {p['precision']:.3f} at {p['recall']:.3f}")
        for p in curve
    )
    right, height, _ = max(places, default=(_x(0), _y(0, top), ""))
    return Line(name, colour, places, (right + 8, height + 4))


def _x(recall: float) -> float:
    return round(LEFT + recall * (WIDTH - LEFT - RIGHT), 1)


def _y(precision: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - precision / top * (HEIGHT - TOP - BOTTOM), 1)
