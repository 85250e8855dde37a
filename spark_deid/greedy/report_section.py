"""The section of a release's report about the certificate of residual risk."""

from spark_deid.core.report_section import PublicFigures, ReportSection, ReportSectionKind


def show_residual_risk(public: PublicFigures) -> ReportSection | None:
    """Return the certificate's statements, None where a release has no certificate."""
    certified = public.manifest.get("residual_risk")
    return ReportSection("Residual risk", tuple(certified["statements"])) if certified else None


SECTION = ReportSectionKind(show_residual_risk)
