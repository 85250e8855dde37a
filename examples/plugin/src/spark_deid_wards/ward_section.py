"""A section of the report: how many wards each rule of the detector found."""

from spark_deid.extending import PublicFigures, ReportSection, ReportSectionKind, SectionTable


def show_wards(public: PublicFigures) -> ReportSection | None:
    """Return a table of the spans by what found them; None where no plan asks for wards."""
    found = [(source, sum(labels.values())) for source, labels in public.manifest["spans"].items()]
    rows = tuple((source, count) for source, count in sorted(found) if source.startswith("wards/"))
    return ReportSection("Wards", tables=(SectionTable(("Found by", "Spans"), rows),)) if rows else None


SECTION = ReportSectionKind(show_wards)
