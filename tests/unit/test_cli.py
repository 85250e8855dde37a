import json
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from spark_deid import app, cli
from spark_deid.cli import command_list
from spark_deid.cli.option_hints import RARE_OPTIONS
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError

FIGURES = app.ReleaseFigures("out", 1, rejects=0, rounds=0, spans=2, publish_ratio=0.5, seconds=1.0)
COMMANDS = (
    ("run", "plan.yaml"),
    ("export", "model", "out"),
    ("convert", "--from", "text", "--to", "jsonl", "in", "out"),
)


@pytest.fixture(autouse=True)
def _(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")  # else main silences the logging of every later test
    monkeypatch.chdir(tmp_path)


def exit_code(*arguments: object) -> object:
    with pytest.raises(SystemExit) as caught:
        cli.main([str(argument) for argument in arguments])
    return caught.value.code


def let_run(monkeypatch: pytest.MonkeyPatch, error: BaseException | None = None) -> list[object]:
    calls: list[object] = []

    def run(*arguments: object, **_: object) -> app.ReleaseFigures:
        calls.append(arguments)
        if error is not None:
            raise error
        return FIGURES

    monkeypatch.setattr(app, "run", run)
    return calls


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("target", [".", "file/x.json", "closed/x.json", "closed/deep/x.json"])
def test_a_file_of_figures_that_cannot_be_written_is_refused_first(
    command: tuple[str, ...], target: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = let_run(monkeypatch)
    Path("file").touch()
    Path("closed").mkdir()
    # root may write anywhere
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name != "closed")

    assert exit_code(*command, "--json", target) == 2
    assert f"--json {target}: " in capsys.readouterr().err
    assert not calls


def test_the_file_of_figures_is_written_with_its_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    let_run(monkeypatch)
    assert exit_code("run", "plan.yaml", "--json", "new/deep/x.json") == 0
    assert json.loads(Path("new/deep/x.json").read_text()) == {"status": "done", **FIGURES.to_json()}


def test_a_name_that_no_file_can_have_is_refused_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = let_run(monkeypatch)
    assert exit_code("run", "plan.yaml", "--json", "x" * 300) == 2
    assert not calls


def test_figures_that_cannot_be_written_after_all_do_not_deny_the_release(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object, **__: object) -> app.ReleaseFigures:
        Path("x.json").unlink()
        Path("x.json").mkdir()
        return FIGURES

    monkeypatch.setattr(app, "run", run)
    assert exit_code("run", "plan.yaml", "--json", "x.json") == 1
    assert "Every other result was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code", "status", "reason"),
    [
        (SparkDeidError("notes/: not found"), 1, "failed", "notes/: not found"),
        (UsageError("plan.yaml: unknown key"), 2, "failed", "plan.yaml: unknown key"),
        (GateRefused("2 annotations are readable"), 3, "refused", "2 annotations are readable"),
        (KeyboardInterrupt(), 130, "terminated", "stopped"),
        (ValueError("Ann Lee"), 1, "failed", "unexpected ValueError at test_cli.py"),
    ],
)
def test_the_file_of_figures_shows_how_a_command_ended(
    error: BaseException, code: int, status: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def run(*_: object, progress: Callable[[str], None], **__: object) -> None:
        seen.append(json.loads(Path("x.json").read_text()))
        progress("read 3 documents")
        raise error

    monkeypatch.setattr(app, "run", run)
    assert exit_code("run", "plan.yaml", "--json", "x.json") == code
    assert seen == [{"status": "running"}]
    told = json.loads(Path("x.json").read_text())
    assert (told.pop("status"), told.pop("stage")) == (status, "read 3 documents")
    assert told.pop("reason").startswith(reason)
    assert not told
    assert "Ann Lee" not in Path("x.json").read_text()


def test_a_command_without_a_file_of_figures_does_not_write_that_of_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    let_run(monkeypatch)
    assert exit_code("run", "plan.yaml", "--json", "x.json") == 0
    let_run(monkeypatch, GateRefused("refused"))
    assert exit_code("run", "plan.yaml") == 3
    assert json.loads(Path("x.json").read_text())["status"] == "done"


def cut_off(*_: object, **__: object) -> None:
    try:
        raise KeyboardInterrupt
    finally:
        raise ConnectionError("the answer was cut off")


def test_ctrl_c_is_reported_in_a_line_that_claims_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    let_run(monkeypatch, KeyboardInterrupt())
    assert exit_code("run", "plan.yaml") == 130
    assert capsys.readouterr().err == "stopped. The release is complete only if documents/_delta_log has a commit\n"
    monkeypatch.setattr(app, "run", cut_off)
    assert exit_code("run", "plan.yaml") == 130
    assert capsys.readouterr().err.startswith("stopped. ")
    monkeypatch.setattr("spark_deid.app.anonymizing.anonymize", cut_off)
    given = ("--input", "people.csv", "--quasi", "age", "--model", "k=5", "--output", "out")
    assert exit_code("anonymize", *given) == 130
    assert capsys.readouterr().err.endswith("only if the output's table/_delta_log has a commit\n")
    monkeypatch.setattr("spark_deid.app.corpora.convert", cut_off)
    assert exit_code(*COMMANDS[2]) == 130
    assert capsys.readouterr().err == "stopped\n"
    monkeypatch.setattr("spark_deid.app.experimenting.experiment_greedy", cut_off)
    given = ("--input", "notes", "--format", "brat", "--labels", "NAME", "--output", "out")
    assert exit_code("experiment", "greedy", *given) == 130
    assert capsys.readouterr().err == "stopped. Completed parts are kept. Run the same command again to continue\n"


def test_an_unexpected_failure_claims_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SPARK_DEID_DEBUG")
    monkeypatch.setattr(logging, "disable", lambda: None)
    let_run(monkeypatch, ValueError("Ann Lee"))
    assert exit_code("run", "plan.yaml") == 1
    told = capsys.readouterr().err
    assert "unexpected ValueError" in told
    assert "nothing was released" not in told
    assert "Ann Lee" not in told


@pytest.mark.parametrize(
    ("value", "features", "expected"),
    [
        (None, "full", ("english",)),
        (None, "rich", ()),
        ("none", "full", ()),
        ("public, models/letters", "rich", ("public", "models/letters")),
    ],
)
def test_background_models_are_the_shipped_ones_for_the_full_set_only(
    value: str | None, features: str, expected: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[app.TrainOptions] = []

    def train(options: app.TrainOptions, progress: object) -> app.TrainingFigures:
        told.append(options)
        return app.TrainingFigures(options.output, {"rounds": []})

    monkeypatch.setattr("spark_deid.app.learning.train", train)
    given = ("--input", "x", "--format", "brat", "--output", "model", "--features", features)
    assert exit_code("train", *given, *(("--background", value) if value else ())) == 0
    assert told[0].background == expected


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("run", "names", "--output", "out"), "--release RELEASE"),
        (("run", "names", "--text-column=note"), "--option text_column=NAME"),
        (("explain", "names", "--id-column", "number"), "--option id_column=NAME"),
        (("run", "names", "--k", "5"), "--set repeats.k=5"),
    ],
)
def test_options_of_other_programs_are_reported_by_ours(
    command: tuple[str, ...], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*command) == 2
    told = " ".join(capsys.readouterr().err.replace("\u2502", " ").split())
    assert "no such option" in told
    assert meant in told


def test_who_has_no_annotations_is_reported_what_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("train", "--input", ".", "--format", "text", "--output", "model") == 2
    assert "text cannot store annotations" in (told := capsys.readouterr().err)
    assert "spark-deid run names" in told


def test_an_option_that_a_command_has_is_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def anonymize(*_: object) -> None:
        raise UsageError("reached")

    monkeypatch.setattr("spark_deid.app.anonymizing.anonymize", anonymize)
    assert exit_code("anonymize", "--input", "t.csv", "--quasi", "a", "--model", "k=2", "--output", "o") == 2
    assert "reached" in capsys.readouterr().err


def test_list_options_that_are_given_twice_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[app.AnonymizeOptions] = []

    def keep(options: app.AnonymizeOptions, progress: object) -> None:
        seen.append(options)
        raise UsageError("stop")

    monkeypatch.setattr("spark_deid.app.anonymizing.anonymize", keep)
    lists = ("--quasi", "zip", "--quasi", "age,sex", "--model", "k=2", "--model", "l=2", "--recoding", "age=region")
    assert exit_code("anonymize", "--input", "i", "--output", "o", *lists, "--recoding", "zip=tight") == 2
    (given,) = seen
    assert (given.quasi, given.model, given.recoding) == (("zip", "age", "sex"), "k=2,l=2", "age=region,zip=tight")


@pytest.mark.parametrize(
    "twice",
    [
        ("--person", "a", "--person=b"),
        ("--relaxed", "--relaxed"),
        ("--suppression", "0.1", "--suppression", "0.1"),
        ("--json", "a", "--json", "b"),
    ],
)
def test_any_other_option_that_is_given_twice_is_refused(
    capsys: pytest.CaptureFixture[str], twice: tuple[str, ...]
) -> None:
    given = ("--input", "i", "--output", "o", "--quasi", "age", "--model", "k=2")
    assert exit_code("anonymize", *given, *twice) == 2
    assert f"{twice[0]}: expected once" in capsys.readouterr().err


def test_subcommands_refuse_options_that_are_given_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("experiment", "greedy", "--seed", "1", "--seed", "2") == 2
    assert "--seed: expected once" in capsys.readouterr().err


def command_names() -> list[str]:
    """Return every command, with the names of its groups."""
    groups = {
        "": command_list.cli,
        "experiment": command_list.experiments,
        "ontology": command_list.ontology,
        "representation": command_list.representation,
    }
    named = [(group, each.callback) for group, listed in groups.items() for each in listed.registered_commands]
    return [f"{group} {call.__name__.replace('_', '-')}".strip() for group, call in named if call]


@pytest.mark.parametrize("name", command_names())
def test_help_fits_a_screen_and_all_options_are_shown_on_request(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    shown = []
    rare = RARE_OPTIONS.get(name, ())
    for flag in ("--help", "--help-all") if rare else ("--help",):
        with pytest.raises(SystemExit) as caught:
            cli.main([*name.split(), flag])
        assert caught.value.code == 0
        shown.append(capsys.readouterr().out.rstrip())
    lines = shown[0].splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    named = [set(re.findall(r"--[a-z-]+", text)) for text in shown]
    assert not rare or (named[1] & set(rare) and not named[0] & set(rare) and "--help-all" in named[0])


def test_every_rare_option_is_one_of_its_command() -> None:
    known = set(command_names())
    assert set(RARE_OPTIONS) <= known
