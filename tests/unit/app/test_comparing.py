"""Settings of a table to compare: what is refused before a table is read, and the commands that are shown."""

import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest

import spark_deid as sd
from spark_deid.anonymity.plots import trade_off_of
from spark_deid.anonymity.recoding_kind import LossMetric
from spark_deid.app.comparing import command_of, recode_table, requests_of, write_page
from spark_deid.app.figures import ComparisonFigures, SettingFigures
from spark_deid.app.options.tables import RecodingOptions, TableCommandOptions
from spark_deid.cli.printing import print_comparison
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.report.render import comparison_page

_RISK = {"prosecutor": 0.2, "journalist": 0.2, "marketer": 0.1, "unique": 0.0}
_SUMMARY = {
    "verdict": "good",
    "rows": 9,
    "suppressed_rows": 1,
    "classes": 2,
    "loss": {"average_class_size": 4.5, "ncp": 0.25},
    "risk": {"before": _RISK, "after": _RISK},
}
HELD = SettingFigures.of_summary("k=5", "mondrian", _SUMMARY, ())
REFUSED = SettingFigures("k=20", "incognito", refused="no <generalization> satisfies k=20", command="unused")


def options(**given: Any) -> TableCommandOptions:
    return TableCommandOptions(**{"input": "people.csv", "quasi": ("age", "zip"), "compare": "k=5,10", **given})


def test_an_option_of_one_algorithm_is_not_given_to_the_other() -> None:
    found = requests_of(options(algorithm="mondrian,incognito", suppression=0.1))
    assert [(each.setting.model, each.setting.algorithm, each.options.suppression) for each in found] == [
        ("k=5", "mondrian", None),
        ("k=10", "mondrian", None),
        ("k=5", "incognito", 0.1),
        ("k=10", "incognito", 0.1),
    ]


def test_an_option_that_no_compared_algorithm_uses_is_refused_once() -> None:
    with pytest.raises(UsageError) as refused:
        requests_of(options(suppression=0.1))
    assert str(refused.value) == "--suppression: not allowed with --algorithm mondrian"


@pytest.mark.parametrize(
    ("name", "value"), [("workspace", "w"), ("previous", "w"), ("fitted", "w"), ("fail_on", "bad")]
)
def test_options_of_a_written_table_are_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}: not allowed with --compare"):
        requests_of(options(**{name: value}))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"compare": "k=5", "output": "o"}, "--output: not allowed with --compare"),
        ({"model": "k=5", "output": "o", "page": "new.html"}, "--page: only allowed with --compare"),
        ({"model": "k=5", "output": "o", "scratch": Path("s")}, "--scratch: only allowed with --compare"),
        ({"model": "k=5"}, "--output: missing"),
        ({"output": "o"}, "--model: missing"),
        ({"model": "k=5", "output": "o", "algorithm": "mondrian,incognito"}, "--algorithm: "),
    ],
)
def test_a_command_compares_or_writes(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        recode_table(TableCommandOptions(input="people.csv", quasi=("age",), **given))


def test_a_command_that_compares_nothing_is_carried_out_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr("spark_deid.app.anonymizing.anonymize", lambda options, progress: seen.append(options))
    recode_table(TableCommandOptions(input="people.csv", output="o", quasi=("age",), model="k=5", relaxed=True))
    ((given,),) = (seen,)
    assert given.given == {"quasi": ("age",), "model": "k=5", "relaxed": True, "input": "people.csv", "output": "o"}


def test_a_command_has_every_option_that_was_given_for_a_shell() -> None:
    given = RecodingOptions(
        quasi=("age", "zip code"),
        model="k=5",
        algorithm="incognito",
        loss=LossMetric.PRECISION,
        keep=("ward",),
        keep_identifying=("ward",),
        options={"missing_columns": "null"},
    )
    assert command_of(given, "my people.csv") == (
        "spark-deid anonymize --input 'my people.csv' --quasi 'age,zip code' --model k=5 --option missing_columns=null"
        " --algorithm incognito --loss precision --keep ward --keep-identifying ward --output OUTPUT"
    )


def test_the_risk_is_that_with_kept_columns() -> None:
    risk = {"after": _RISK, "after_with_kept": {**_RISK, "prosecutor": 0.5, "marketer": 0.3}}
    figures = SettingFigures.of_summary("k=5", "mondrian", {**_SUMMARY, "risk": risk}, ())
    assert (figures.highest_risk, figures.average_risk) == (0.5, 0.3)


def test_settings_without_figures_are_not_drawn() -> None:
    plot = trade_off_of(
        [("mondrian", "k=10", 0.1, 0.4), ("mondrian", "k=5", 0.2, 0.3), ("incognito", "k=5", None, None)]
    )
    assert [(line["name"], list(line["points"])) for line in plot["lines"]] == [
        ("mondrian", [(0.1, 0.4, "k=10"), (0.2, 0.3, "k=5")])
    ]


def test_the_page_has_figures_commands_and_reasons() -> None:
    command = "spark-deid anonymize --quasi 'a<b'"
    figures = ComparisonFigures("people.csv", (_with(HELD, command), REFUSED), None, 1.0)
    page = comparison_page(figures.to_json(), trade_off_of([("mondrian", "k=5", 0.2, 0.25)]))
    row = re.search(r'<th scope="row">k=5</th>(.*?)</tr>', page, re.DOTALL)
    assert row
    assert re.findall(r"<td[^>]*>(.*?)</td>", row[1])[-3:] == ["9", "2", "good"]
    assert "refused: no &lt;generalization&gt; satisfies k=20" in page
    assert "a&lt;b" in page
    assert "unused" not in page
    assert page.count("<svg") == 1
    assert "1 of 2 settings" in page


def test_only_its_owner_can_read_the_page(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    before = os.umask(0)
    try:
        write_page(ComparisonFigures("people.csv", (HELD, REFUSED), str(place), 1.0))
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="--page: file already exists"):
        options(page=str(place))


def test_the_screen_has_figures_and_commands(capsys: pytest.CaptureFixture[str]) -> None:
    print_comparison(ComparisonFigures("people.csv", (_with(HELD, "spark-deid anonymize"), REFUSED), "p.html", 1.0))
    shown = capsys.readouterr().out
    assert "1: spark-deid anonymize\n" in shown
    assert "2: refused: no <generalization> satisfies k=20\n" in shown
    assert "Page: p.html" in shown
    assert "No table was written" in shown


def test_texts_are_compared_as_before() -> None:
    assert sd.compare("Call Ann", [Edit(5, 8, "suppress", "[NAME]")]).summary == "1 edit in 8 characters"
    assert sd.compare(before="Call Ann", edits=()).summary == "0 edits in 8 characters"


@pytest.mark.parametrize(
    ("values", "given", "reason"),
    [
        (("Call Ann",), {}, "expected a text and its edits"),
        (("Call Ann", ()), {"models": "k=5"}, "expected a text and its edits"),
        ((7,), {"models": "k=5", "quasi": ["age"]}, "expected a text or a DataFrame, got int"),
        ((7, ()), {}, "edits: only a text"),
    ],
)
def test_other_comparisons_are_refused(values: tuple[Any, ...], given: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        sd.compare(*values, **given)


def _with(figures: SettingFigures, command: str) -> SettingFigures:
    return SettingFigures(**{**vars(figures), "command": command})
