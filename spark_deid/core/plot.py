"""A drawing of lines stated as plain data, so that it goes into JSON as it is."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

Point = tuple[float, float | None] | tuple[float, float | None, str]
"""A place, its value, and what more to tell of it; None is a value that is absent."""


class PlotLine(TypedDict):
    """A named line. Lines of one ``colour``, a number, have the same marker too; dashed ones are for comparison.

    ``ranges`` has the least and the most at each point, where these are means.
    """

    name: str
    colour: int
    dashed: bool
    points: Sequence[Point]
    ranges: NotRequired[Sequence[tuple[float, float]]]


class LinePlot(TypedDict):
    """Lines over axes named with units; that across is logarithmic unless ``linear`` or a place is not positive.

    That upward is logarithmic where ``rises_by_factors`` is said and all values are positive.
    """

    name: str
    title: str
    across: str
    upward: str
    linear: bool
    lines: Sequence[PlotLine]
    rises_by_factors: NotRequired[bool]
