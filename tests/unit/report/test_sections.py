"""Sections of a release's report, with a toy package that brings some."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.app.examining import check_methods
from spark_deid.core.errors import UsageError
from spark_deid.core.report_section import PublicFigures, ReportSection, ReportSectionKind, SectionTable
from spark_deid.plan.load import check_plan
from spark_deid.plan.ready import mistakes_of
from spark_deid.report.data import ReportData
from spark_deid.report.render import release_report
from spark_deid.report.sections import sections_of
from tests.unit.report.test_render import check_page
from tests.unit.toy_packages import install

TOY = """
from spark_deid.core.report_section import ReportSection, ReportSectionKind, SectionTable

def show(public):
    if not public.manifest["documents"]:
        return None
    plot = {"name": "suns", "title": "Suns", "across": "days", "upward": "hours", "linear": True,
            "lines": [{"name": "sun", "colour": 0, "dashed": False, "points": [(1, 2.0), (2, 3.0)]}]}
    table = SectionTable(("Sky", "Hours"), (("<b>blue</b>", 12345), ("grey", 0.25)))
    return ReportSection("Weather", ("Of every sky.",), (table,), (plot,))

def fail(public):
    raise KeyError("Ann Lee")

WEATHER = ReportSectionKind(show)
FAILING = ReportSectionKind(fail)
WORDS = ReportSectionKind(lambda public: "<p>words</p>")
NONE = 7
"""
Values = dict[str, object]


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    sys.modules.pop("toy_weather", None)


def bring(folder: Path, monkeypatch: pytest.MonkeyPatch, **points: str) -> None:
    named = {name: f"toy_weather:{value}" for name, value in points.items()}
    install(folder, monkeypatch, "toy_weather", TOY, {"spark_deid.report_sections": named})


def test_a_package_s_section_is_in_the_report_with_its_table_and_plot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: Values
) -> None:
    bring(tmp_path, monkeypatch, weather="WEATHER")
    page = release_report(ReportData(manifest))
    check_page(page)
    for shown in ("Weather</h2>", "Of every sky.", ">12,345<", ">0.25<", "&lt;b&gt;blue", "Suns: hours over days; sun"):
        assert shown in page


def test_a_section_with_nothing_to_show_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: Values
) -> None:
    bring(tmp_path, monkeypatch, weather="WEATHER")
    assert [*sections_of(PublicFigures(manifest | {"documents": 0}, {}))] == []


@pytest.mark.parametrize(
    ("value", "told"), [("FAILING", r"weather failed \(KeyError\)$"), ("WORDS", "or None, got str$")]
)
def test_a_section_that_fails_is_reported_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: Values, value: str, told: str
) -> None:
    bring(tmp_path, monkeypatch, weather=value)
    with pytest.raises(UsageError, match=told) as caught:
        release_report(ReportData(manifest))
    assert "Ann" not in str(caught.value)


def test_a_section_that_is_none_is_reported_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("a note")
    places = {name: str(tmp_path / name) for name in ("workspace", "release")}
    notes = {"path": str(tmp_path / "notes.txt"), "format": "text"}
    settings = check_plan({**places, "input": notes, "patterns": {"kinds": ["email"]}}, "plan")
    assert [*mistakes_of(settings)] == []
    bring(tmp_path, monkeypatch, weather="NONE")
    assert [*mistakes_of(settings)] == ["report sections weather: expected toy_weather:NONE to be a ReportSectionKind"]
    assert "toy_weather:NONE" in check_methods().found


def test_residual_risk_is_reported_as_its_certificate_states_it(manifest: Values) -> None:
    assert "Residual risk" not in release_report(ReportData(manifest))
    page = release_report(ReportData(manifest | {"residual_risk": {"statements": ["At most 3 are left."]}}))
    check_page(page)
    assert "Residual risk</h2>" in page
    assert "<li>At most 3 are left.</li>" in page


def test_a_table_has_a_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="a cell for each column"):
        ReportSection("Weather", tables=(SectionTable(("Sky", "Hours"), (("blue",),)),))
    assert ReportSectionKind(lambda _: None).show(PublicFigures({}, {})) is None
