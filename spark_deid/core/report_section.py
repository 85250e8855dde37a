"""A section that a capability, or an installed package, adds to the report of a release."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NotRequired, TypedDict

# A drawing of lines stated as plain data, so that it goes into JSON as it is.


Point = tuple[float, float | None] | tuple[float, float | None, str]
"""A place, its value, and what more to reveal it; None is a value that is absent."""


class PlotLine(TypedDict):
    """A named line of a plot.

    Attributes:
        name: The name in the legend.
        colour: A number. Lines of one colour also have the same symbol.
        dashed: Whether the line is for comparison.
        points: The points, across and upward.
        ranges: The minimum and maximum at each point, if points are means.
    """

    name: str
    colour: int
    dashed: bool
    points: Sequence[Point]
    ranges: NotRequired[Sequence[tuple[float, float]]]


class LinePlot(TypedDict):
    """Lines over two axes.

    Attributes:
        name: The name of the file.
        title: The title.
        across: The label of the horizontal axis, with its unit.
        upward: The label of the vertical axis, with its unit.
        linear: Whether the horizontal axis is linear. It is also linear if a place is not positive.
        lines: The lines.
        rises_by_factors: Whether the vertical axis is logarithmic, if all values are positive.
    """

    name: str
    title: str
    across: str
    upward: str
    linear: bool
    lines: Sequence[PlotLine]
    rises_by_factors: NotRequired[bool]


class SectionTable(NamedTuple):
    """A table of a section.

    Attributes:
        columns: A heading per column.
        rows: Rows with one cell per column. Numbers are aligned to the right.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]


@dataclass(frozen=True)
class ReportSection:
    """A section of a report, from top to bottom. The page draws it and escapes its words.

    Attributes:
        title: The heading.
        sentences: Sentences.
        tables: Tables.
        plots: Plots.
    """

    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[SectionTable, ...] = ()
    plots: tuple[LinePlot, ...] = ()

    def __post_init__(self) -> None:
        if not self.title or any(len(row) != len(table.columns) for table in self.tables for row in table.rows):
            raise ValueError("expected a title, and rows with a cell for each column")


class PublicFigures(NamedTuple):
    """Numbers that are published with the release, without words of documents.

    Attributes:
        manifest: The release's manifest.
        figures: The reports of detectors and techniques, by name.
    """

    manifest: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class ReportSectionKind:
    """Add a section to the report of every release.

    Attributes:
        show: Gets the public figures and returns a section, or None if it has nothing to show. It runs once, on the
            driver, after all guarantees are satisfied. If it fails, the release is refused.

    Example:
        A package names its section in an entry point of ``spark_deid.report_sections``::

            SECTION = ReportSectionKind(show_wards)
    """

    show: Callable[[PublicFigures], ReportSection | None]
