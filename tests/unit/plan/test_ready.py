"""All that is wrong with a plan is told at once, before anything is started."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.core.detector_kind import empty_scope
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.plan.config import on_day
from spark_deid.plan.detectors import detectors_of, unwritten_rules
from spark_deid.plan.load import load_plan
from spark_deid.plan.ready import check_ready, load_ready
from spark_deid.release.workspace import OccupiedError

PLAN = """
input: {path: INPUT, format: text}
workspace: w
release: r
patterns: {kinds: [email]}
"""
FOREIGN = re.compile("pydantic|Input should|valid integer|not permitted|yaml\\.|re\\.error|Errno", re.IGNORECASE)


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Seen today.")
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN.replace("INPUT", str(tmp_path / "notes")))
    return path


def told_of(plan: Path, *overrides: str, **given: object) -> list[str]:
    """Return what is told, by ``explain`` and ``run`` alike, without the plan's name."""
    told = []
    for use in (app.explain, app.run):
        with pytest.raises(UsageError) as caught:
            use(plan, overrides, given)
        told.append([line.removeprefix(f"{plan}: ") for line in str(caught.value).splitlines()])
    assert told[0] == told[1]
    assert not [line for line in told[0] if FOREIGN.search(line)]
    return told[0]


def test_keys_values_expressions_places_and_what_is_not_there_are_reported_together(plan: Path, tmp_path: Path) -> None:
    lines = told_of(
        plan,
        "input.path=absent",
        "input.format=txt",
        "release=w/in",
        "patern={kinds: all}",
        "patterns={kinds: [phones], custom: [{label: A, pattern: '('}, {label: B, pattern: 'b*'}]}",
        "model=absent",
        "sources=[patterns, modle]",
        "rules={NAME: {technique: mask, per: char, size: 3}, CITY: supress}",
        "repeats={k: 1}",
        f"key_file={tmp_path / 'key'}",
        "report.excerpts=many",
    )
    for start, end in (
        ("input.format: expected one of text, jsonl", "got 'txt'; did you mean text?"),
        ("patern: unknown key; did you mean patterns? known keys: release_ids", ""),
        ("sources[1]: expected one of model, patterns", "got 'modle'; did you mean model?"),
        ("rules.NAME.per: expected 'run' or 'character', got 'char'; did you mean character?", ""),
        ("rules.NAME.size: unknown option; known here: per", ""),
        ("rules.CITY: expected one of suppress", "did you mean suppress?"),
        ("repeats.k: expected an integer >= 2, got 1", ""),
        ("report.excerpts: expected an integer, got 'many'", ""),
        ("patterns.kinds[0]: expected one of email", "did you mean phone?"),
        ("patterns.custom[0].pattern: expected a Python regular expression; nothing closes the ( at character 1", ""),
        ("patterns.custom[1].pattern: expected one that does not match the empty string", ""),
        ("input.path: absent: there is no such file or folder", ""),
        ("workspace (w) and release (w/in): expected separate folders", ""),
        (f"{tmp_path / 'key'}: cannot read the key file", ""),
        ("model absent: no such folder, and no such shipped model. Installed models: dutch, english", ""),
    ):
        assert [line for line in lines if line.startswith(start) and line.endswith(end)], start
    assert len(lines) == 15


def test_what_follows_from_a_mistake_is_not_reported_as_one(plan: Path) -> None:
    assert told_of(plan, "patterns=null", "patern={kinds: all}", "sources=[patterns]") == [
        line for line in told_of(plan, "patern={kinds: all}") if line.startswith("patern: ")
    ]
    [line] = told_of(plan, "repeats={k: none}", "sources=[patterns, repeats]")
    assert line == "repeats.k: expected an integer, got 'none'"
    assert told_of(plan, "input=null", "workspace=3")[:2] == [
        "input: expected keys and values, such as {key: value}, got nothing",
        "workspace: expected text, got 3",
    ]


def test_a_place_that_takes_several_types_shows_all_in_one_line(plan: Path) -> None:
    assert told_of(plan, "patterns.kinds=al") == [
        "patterns.kinds: expected a list, such as [a, b] or 'all', got 'al'; did you mean all?"
    ]
    assert told_of(plan, "patterns.kinds=[[]]") == ["patterns.kinds[0]: expected text, got a list"]


def test_keys_that_do_not_go_together_hide_no_other_mistake(plan: Path) -> None:
    told = told_of(plan, "sources=[model, repeats]", "patterns.kinds=[phones]")
    assert [line.partition(",")[0] for line in told] == [
        "sources contains 'model'",
        "sources contains 'repeats'",
        "patterns.kinds[0]: expected one of email",
    ]


def test_options_of_a_format_are_reported_with_what_was_meant(plan: Path) -> None:
    [line] = told_of(plan, "input.format=csv", **{"input.options.text_colum": "note"})
    assert line.startswith("input.options: options of format csv: text_colum not known; allowed: ")
    assert line.endswith("; did you mean text_column?")


def test_every_wrong_override_is_reported(plan: Path) -> None:
    assert told_of(plan, "release", "a=[", "b=")[:2] == [
        "--set release: expected path.to.key=value",
        "--set a: expected a YAML value. Quotation marks around it may help",
    ]


def test_a_glob_that_matches_nothing_is_no_input(plan: Path, tmp_path: Path) -> None:
    [line] = told_of(plan, f"input.path={tmp_path}/*.txt")
    assert line.endswith("no file or folder matches this glob")
    (tmp_path / "a.txt").touch()
    check_ready(load_plan(plan, [f"input.path={tmp_path}/*.txt"]))


@pytest.mark.parametrize(
    ("files", "path", "format", "told"),
    [
        ([], "notes", "text", "no file is there; format text reads names that end in .txt"),
        ([], "notes", "delta", "expected the folder of a Delta table, which contains _delta_log"),
        ([".a.txt", "_b/c.txt"], "notes", "text", "there are 2 hidden (names that begin with . or _ are not read)"),
        (["a.pdf", "b.csv.gz"], "notes", "text", "there are 1 of .csv.gz, 1 of .pdf; .csv.gz is read by format csv"),
        (["a.txt"], "notes", "jsonl", "read by format text, brat, conll or hide"),
        (["a.txt"], "note*", "eml", "format eml reads names that end in .eml, and there are 1 of .txt"),
        (["a.pdf"], "notes/*.pdf", "text", "choose another folder, or a single file, which is read with any name"),
    ],
    ids=["empty", "no-table", "hidden", "others", "another-format", "glob", "glob-of-others"],
)
def test_an_input_without_a_file_of_its_format_is_reported_before_anything_is_started(
    plan: Path, files: list[str], path: str, format: str, told: str
) -> None:
    (plan.parent / "notes" / "a.txt").unlink()
    for name in files:
        (plan.parent / "notes" / name).parent.mkdir(exist_ok=True)
        (plan.parent / "notes" / name).touch()
    given = str(plan.parent / path)
    [line] = told_of(plan, **{"input.path": given, "input.format": format})
    assert line.startswith(f"input.path: {given}: ")
    assert told in line


def test_a_file_that_is_named_is_read_whatever_its_name_and_one_deep_below_is_found(plan: Path) -> None:
    (plan.parent / "notes" / "a.txt").rename(plan.parent / "notes" / "a.log")
    check_ready(load_plan(plan, [f"input.path={plan.parent}/notes/a.log"]))
    (plan.parent / "notes" / "b" / "c").mkdir(parents=True)
    (plan.parent / "notes" / "b" / "c" / "d.txt.gz").touch()
    check_ready(load_plan(plan))


def test_named_places_win_over_the_plan_and_are_taken_as_they_occur(plan: Path, tmp_path: Path) -> None:
    given = {"input.path": str(tmp_path), "input.format": "brat", "release": "[x]", "workspace": "null"}
    settings = load_ready(plan, ["release=other"], given)
    assert (settings.input.path, settings.input.format) == (str(tmp_path), "brat")
    assert (settings.release, settings.workspace) == ("[x]", "null")
    [line] = told_of(plan, **{"input.format": "txt"})
    assert line.endswith("did you mean text?")


def test_a_plan_that_can_not_hold_what_it_demands_is_refused_where_nothing_else_is_wrong(plan: Path) -> None:
    demand = "guarantees={residual_risk: {loss_ratio: 3}}"
    with pytest.raises(GateRefused, match="residual"):
        app.explain(plan, [demand])
    with pytest.raises(UsageError, match="absent"):
        app.explain(plan, [demand, "input.path=absent"])


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("input.path=main.notes.visits", "In Python: sd.sanitize(spark.table('main.notes.visits'), plan)"),
        ("workspace=main.deid", "write ./main.deid for a folder of this name"),
        ("release=main.deid.notes", "a release is a folder for now"),
        ("workspace=s3a://bucket/w", "expected a workspace that workers see"),
        ("release=s3a://bucket/r", "expected a release that workers see"),
    ],
)
def test_places_that_are_not_written_yet_state_what_is(plan: Path, override: str, told: str) -> None:
    [line] = told_of(plan, override)
    assert line.startswith(override.partition("=")[0] + ": ")
    assert told in line


@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("release=out/{Date}", "release: out/{Date}: expected no braces except {date}"),
        ("release=~/out", "release: ~/out: expected a path without ~"),
        ("workspace=plan.yaml/w", "plan.yaml is a file, and no folder can be made there"),
        ("workspace=plan.yaml", "plan.yaml is a file, and no folder can be made there"),
        ("workspace=gone/w", "gone is a link to nothing, and no folder can be made there"),
        ("workspace=closed/w", "closed can't be written to; name another folder"),
        ("release=closed", "closed can't be written to; name another folder"),
        ("erase={table: plan.yaml, k: 2}", "plan.yaml: expected a Delta table, Parquet, CSV"),
    ],
    ids=["braces", "home", "below-a-file", "a-file", "link-to-nothing", "in-a-closed-folder", "closed", "no-table"],
)
def test_places_that_can_not_be_are_reported(
    plan: Path, monkeypatch: pytest.MonkeyPatch, override: str, told: str
) -> None:
    monkeypatch.chdir(plan.parent)
    Path("gone").symlink_to("nowhere")
    Path("closed").mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "closed")
    [line] = told_of(plan, override)
    assert told in line


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ([], "identity.mode: statistical needs anonymity"),
        (["anonymity={model: {k: 0}}"], "anonymity.model: model: k: expected an integer >= 2"),
        (["anonymity={model: 5}"], "anonymity.model: expected keys and values"),
    ],
    ids=["absent", "too-small", "a-number"],
)
def test_keys_of_people_that_do_not_fit_are_reported(plan: Path, overrides: list[str], told: str) -> None:
    [line] = told_of(plan, "identity={attributes: {AGE: age}, roles: {quasi: [age]}}", *overrides)
    assert line.startswith(told)


def test_a_day_is_in_names_of_places(plan: Path) -> None:
    settings = load_plan(plan, ["release='out/{date}/r-{date}'", "workspace='w/{date}'"])
    settings = on_day(settings, date(2026, 3, 1))
    assert (settings.release, settings.workspace) == ("out/2026-03-01/r-2026-03-01", "w/2026-03-01")
    assert f"release    out-{date.today()} " in app.explain(plan, ["release='out-{date}'"])


@pytest.mark.parametrize(("format", "noted"), [("text", False), ("mbox", False), ("csv", False), ("brat", True)])
def test_annotations_are_spoken_of_where_the_format_has_any(plan: Path, format: str, noted: bool) -> None:
    mail = "From x@example.org Thu Jan  1 00:00:00 2026\nSubject: a\n\ntext\n"
    (plan.parent / "text.csv").write_text(mail if format == "mbox" else "text\nSeen.\n")
    told = app.explain(plan, [f"input={{path: '{plan.parent / 'text.csv'}', format: {format}}}"])
    assert ("add gold to sources" in told) is noted


@pytest.mark.parametrize(
    ("rules", "source", "notes"),
    [
        ("{PHONE: {technique: mask}, '*': suppress}", "patterns", []),
        ("{PHON: suppress}", "patterns", ["PHON, but no detector of this plan finds this label; did you mean PHONE?"]),
        ("{HOSPITAL: suppress}", "patterns", ["HOSPITAL, but no detector of this plan finds this label"]),
        ("{HOSPITAL: suppress}", "gold", []),
    ],
)
def test_rules_for_labels_that_nothing_writes_are_reported(
    plan: Path, rules: str, source: str, notes: list[str]
) -> None:
    (plan.parent / "notes" / "a.ann").write_text("T1\tHOSPITAL 0 4\tSeen\n")
    given = f"input={{path: '{plan.parent}', format: brat}}"
    told = app.explain(plan, [given, "patterns={kinds: all}", f"sources=[{source}]", f"rules={rules}"])
    named = "note: rules contains "
    assert [line.removeprefix(named) for line in told.splitlines() if line.startswith(named)] == notes


@pytest.mark.parametrize(
    ("word", "meant"), [("replace", "surrogate"), ("Redact", "suppress"), ("hash", "pseudonym"), ("maks", "mask")]
)
def test_techniques_are_known_by_words_of_other_programs(plan: Path, word: str, meant: str) -> None:
    [line] = told_of(plan, f"rules.NAME={word}")
    assert line.endswith(f"got '{word}'; did you mean {meant}?")


def test_of_detectors_that_do_not_show_what_they_write_nothing_is_known(
    plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_plan(plan, ["rules={HOSPITAL: suppress}"])
    assert unwritten_rules(settings) == {"HOSPITAL": None}
    ((name, kind, section),) = detectors_of(settings)
    silent = replace(kind, seeks=empty_scope)
    monkeypatch.setattr("spark_deid.plan.detectors.detectors_of", lambda settings: [(name, silent, section)])
    assert unwritten_rules(settings) == {}


def test_places_that_are_taken_are_noted_by_explain_and_refused_by_run(plan: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis").touch()
    places = {"workspace": str(tmp_path / "full"), "release": str(tmp_path / "out")}
    told = f"{tmp_path / 'full'}: is not empty and not a workspace of spark_deid. Choose a new or empty folder"
    assert f"note: {told}" in app.explain(plan, (), places).splitlines()
    with pytest.raises(OccupiedError) as caught:
        app.run(plan, (), places)
    assert str(caught.value).splitlines()[0] == told
    assert "{date} in a name is today" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("input:\n\tpath: x\n", "line 2): unexpected tab"),
        ("input: a: b\n", "line 1): unexpected ': ' in a value"),
        ("input: [a\n", "brackets, quotes and indentation must match"),
    ],
)
def test_a_plan_that_is_not_yaml_reports_what_mostly_is_the_matter(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        app.explain(path, ())
    assert told in str(caught.value)
