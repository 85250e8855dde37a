"""Sections of a release's report by name: those that capabilities hold, and those that installed packages bring.

A package provides a section with an entry point of the group ``spark_deid.report_sections`` whose value is a
``ReportSectionKind``::

    [project.entry-points."spark_deid.report_sections"]
    wards = "my_package.wards:SECTION"

Once installed it is asked for every release; plans do not name it.
"""

from collections.abc import Iterator
from types import MappingProxyType

from spark_deid.core.errors import UsageError
from spark_deid.core.registry import MethodRegistry
from spark_deid.core.report_section import PublicFigures, ReportSection, ReportSectionKind

REPORT_SECTIONS = MethodRegistry(
    noun="report sections",
    group="spark_deid.report_sections",
    built_in=MappingProxyType({"residual-risk": "spark_deid.greedy.report_section:SECTION"}),
    kind=ReportSectionKind,
)


def sections_of(public: PublicFigures) -> Iterator[ReportSection]:
    """Yield the sections that have something to reveal a release, those of this package first, then by name.

    Raises UsageError, without a word of what went wrong inside, where one can't be loaded, fails, or gives anything
    else than a section.
    """
    for name in REPORT_SECTIONS.names():
        section = _section_of(name, REPORT_SECTIONS.find(name), public)
        if section is not None:
            yield section


def _section_of(name: str, kind: ReportSectionKind, public: PublicFigures) -> ReportSection | None:
    try:
        section = kind.show(public)
    except Exception as error:
        raise UsageError(f"report section {name} failed ({type(error).__name__})") from None
    if section is not None and not isinstance(section, ReportSection):
        raise UsageError(f"report section {name}: expected a ReportSection or None, got {type(section).__name__}")
    return section
