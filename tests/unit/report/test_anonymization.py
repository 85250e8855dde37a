"""The page of a recoded table."""

import re
import shlex
from html import unescape

from spark_deid.report.render import anonymization_report

_RISK = {"prosecutor": 0.2, "journalist": 0.2, "marketer": 0.1, "unique": 0.0}
MANIFEST = {
    "verdict": "good",
    "rows": 10,
    "classes": 2,
    "times": {"finished": "2024-01-02T03:04:05"},
    "versions": {"spark_deid": "0"},
    "algorithm": "mondrian",
    "risk": {"before": _RISK, "after": _RISK, "after_with_kept": _RISK},
    "loss": {"ncp": 0.1},
    "unit": "persons",
    "assessments": [],
    "model": "k=5",
    "columns": {"quasi": ["age", "zip"], "sensitive": [], "person": None, "kept": [], "kept_identifying": []},
    "warnings": [],
    "settings": {"recoding": None},
}


def test_the_attribute_with_most_cuts_comes_first() -> None:
    page = anonymization_report({**MANIFEST, "cuts": {"age": 2, "zip": 5, "sex": 0}}, ())
    rows = re.findall(
        r'<th scope="row">(\w+)</th>\s*<td class="graph"[^>]*>.*?width: ([\d.]+)%.*?\s*<td[^>]*>(\d+)</td>', page
    )
    assert rows == [("zip", "100.0", "5"), ("age", "40.0", "2"), ("sex", "0.0", "0")]


def test_what_was_not_cut_has_no_cuts() -> None:
    assert "Cuts by attribute" not in anonymization_report(MANIFEST, ())


def test_columns_kept_by_name_and_warnings_are_reported() -> None:
    kept = {**MANIFEST["columns"], "kept": ["note", "ward"], "kept_identifying": ["note"]}  # type: ignore[dict-item]
    page = anonymization_report({**MANIFEST, "columns": kept, "warnings": ["ends <are> values"]}, ())
    assert "note may identify people" in page
    assert "<li>ends &lt;are&gt; values</li>" in page
    assert "may identify people" not in anonymization_report(MANIFEST, ())


def test_a_column_that_remains_and_shows_people_separately_is_no_good_verdict() -> None:
    columns = {**MANIFEST["columns"], "kept": ["ward"]}  # type: ignore[dict-item]
    risk = {**MANIFEST["risk"], "after_with_kept": {**_RISK, "prosecutor": 1.0}}  # type: ignore[dict-item]
    page = anonymization_report({**MANIFEST, "columns": columns, "risk": risk, "verdict": "bad"}, ())
    assert '<section class="verdict bad"' in page
    assert "k=5 is satisfied, but not against an attacker who knows the kept columns." in page
    assert "<code>--quasi age,zip,ward</code>" in page
    good = anonymization_report({**MANIFEST, "columns": columns}, ())
    assert '<section class="verdict good"' in good
    assert "k=5 is satisfied.</h2>" in good
    places = [good.index(told) for told in ("k=5 is satisfied", "Not checked", "What to do now", "spark-deid assess")]
    assert places == sorted(places)


def test_a_table_with_warnings_has_a_fair_verdict() -> None:
    assert '<section class="verdict warn"' in anonymization_report({**MANIFEST, "verdict": "fair"}, ())


def test_columns_are_quoted_for_a_shell_in_commands() -> None:
    columns = {"quasi": ["age", "zip code"], "sensitive": ["it's"], "person": "a b", "kept": ["ward"]}
    risk = {**MANIFEST["risk"], "after_with_kept": {**_RISK, "prosecutor": 1.0}}  # type: ignore[dict-item]
    manifest = {**MANIFEST, "columns": columns | {"kept_identifying": []}, "risk": risk, "verdict": "bad"}
    page = unescape(anonymization_report(manifest, ()))
    shown = [shlex.split(command) for command in re.findall("<code>(.*?)</code>", page) if "--quasi" in command]
    assert shown[0] == ["--quasi", "age,zip code,ward"]
    expected = ["--quasi", "age,zip code", "--sensitive", "it's", "--person", "a b", "--model", "k=5"]
    assert shown[1] == ["spark-deid", "assess", "--table", "table", *expected]


def test_further_spellings_of_ids_are_reported() -> None:
    person = {**MANIFEST, "columns": {**MANIFEST["columns"], "person": "patient"}}  # type: ignore[dict-item]
    assert "further spellings" not in anonymization_report(person, ())
    page = anonymization_report({**person, "respelled_ids": 1200}, ())
    assert "patient, as a keyed hash; 1,200 further spellings of ids that look alike" in page
