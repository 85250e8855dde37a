"""A section that a capability, or an installed package, adds to the report of a release."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NotRequired, TypedDict

# A drawing of lines stated as plain data, so that it goes into JSON as it is.


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


class SectionTable(NamedTuple):
    """A table of a section: a heading a column, and rows of as many cells; numbers stand to the right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]


@dataclass(frozen=True)
class ReportSection:
    """What a section shows, from top to bottom: sentences, tables, plots. The page draws it, and escapes its words."""

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[SectionTable, ...] = ()
    plots: tuple[LinePlot, ...] = ()

    def __post_init__(self) -> None:
        if not self.title or any(len(row) != len(table.columns) for table in self.tables for row in table.rows):
            raise ValueError("expected a title, and rows with a cell for each column")


class PublicFigures(NamedTuple):
    """What a section may tell of: numbers that are published with the release anyway.

    ``manifest`` is the release's own manifest, by its keys; ``figures`` what detectors and techniques report, by the
    name of each. Neither holds words of a document.
    """

    manifest: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class ReportSectionKind:
    """Add a section to the report of every release of which ``show`` has something to tell; None says that it has not.

    ``show`` runs once, on the driver, when all guarantees hold. A report whose section fails is no report: the release
    is refused.
    """

    show: Callable[[PublicFigures], ReportSection | None]
