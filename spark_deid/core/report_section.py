"""A section that a capability, or an installed package, adds to the report of a release."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from spark_deid.core.plot import LinePlot


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
