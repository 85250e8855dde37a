"""The section of a release's report on people."""

from spark_deid.report.data import ReportData
from spark_deid.report.render import release_report
from tests.unit.report.test_render import check_page

FIGURES: dict[str, object] = {
    "persons": 441,
    "documents": [{"name": "1", "count": 440}, {"name": "2", "count": 1}],
    "classes": 64,
    "least": 6,
    "sizes": [{"name": "6 to 10", "count": 64}],
    "attributes": [{"attribute": "birth_date", "persons": 430, "exact": 3, "wider": 420, "hidden": 7, "loss": 0.123}],
    "labels": ["BIRTHDATE"],
}


LINKAGE = {"compared": ["name", "birth_date"], "telling": 1382, "documents": 2000}


def page(manifest: dict[str, object], figures: dict[str, object] = FIGURES, /, **identity: str) -> str:
    plan = {**manifest["plan"], "identity": identity}  # type: ignore[dict-item]
    told = {"edits": {"recode": {"BIRTHDATE": 1650}, "suppress": {"BIRTHDATE": 19}}, "gold_in_clear": {"BIRTHDATE": 4}}
    told |= {"handed_back": {"recode": {"not-covered": 19}}, "spans": {"gold": {"BIRTHDATE": 1673}}}
    return release_report(ReportData(manifest | told | {"plan": plan}, figures={"identity": figures}))


def test_people_classes_and_mentions_are_reported(manifest: dict[str, object]) -> None:
    told = page(manifest, link="subject")
    check_page(told)
    row = '<th scope="row">BIRTHDATE</th>' + "".join(f'<td class="number">{n}</td>' for n in ("1,650", "19", "4"))
    assert row in told
    assert "19 not covered" in told
    assert "named by the input" in told
    assert "tell two of these" not in told
    assert "12.3" in told


def test_people_who_were_inferred_are_called_so(manifest: dict[str, object]) -> None:
    told = page(manifest, FIGURES | {"linkage": LINKAGE}, link="splink", caution="A wrong split overstates k.")
    check_page(told)
    assert "splink inferred people by name and birth date. 1,382 of 2,000 documents have two of these or more" in told
    assert "inferred" in told
    assert "A wrong split overstates k." in told
