"""What commands tell of their input and output before Spark is started."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.app.sessions import open_session
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.repeats.settings import CountingUnit

COMMANDS: dict[str, Callable[[str, str], object]] = {
    "convert": lambda given, out: app.convert(
        app.ConvertOptions(source=given, target=out, source_format="brat", target_format="jsonl")
    ),
    "train": lambda given, out: app.train(app.TrainOptions(input=given, output=Path(out), format="brat")),
    "repeats": lambda given, out: app.repeats(app.RepeatsOptions(input=given, output=out, format="brat")),
    "experiment-greedy": lambda given, out: app.experiment_greedy(
        app.GreedyExperimentOptions(input=given, output=out, format="brat", labels=("NAME",))
    ),
    "experiment-repeats": lambda given, out: app.experiment_repeats(
        app.RepeatsExperimentOptions(input=given, output=out, format="brat")
    ),
    "anonymize": lambda given, out: app.anonymize(
        app.AnonymizeOptions(input=given, output=out, quasi=("a",), model="k=2")
    ),
}


@pytest.fixture(autouse=True)
def no_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        pytest.fail("Spark was started")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("spark_deid.engine.session.session_scope", refuse)
    for name in ("releasing", "corpora", "experimenting", "anonymizing", "assessing", "learning", "sessions"):
        monkeypatch.setattr(f"spark_deid.app.{name}.open_session", refuse)
    Path("empty").mkdir()
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("seen")
    Path("notes/a.ann").touch()
    Path("people.csv").write_text("a,b\n1,2\n")
    Path("file").touch()
    Path("closed").mkdir()


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_folder_is_reported_by_every_command(command: str) -> None:
    with pytest.raises(UsageError, match=r"empty: (no file is there|expected a Delta table)"):
        COMMANDS[command]("empty", "out")
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("place", "told"), [("file/out", "/file is a file"), ("closed/out", "/closed can't be written to")]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_can_not_be_made_is_reported_by_every_command(
    command: str, place: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "closed")
    with pytest.raises(UsageError, match=f"{place}: .*{told}"):
        COMMANDS[command]("people.csv" if command == "anonymize" else "notes", place)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (
            lambda: app.assess(app.AssessOptions(release="empty", k=2, unit=CountingUnit.DOCUMENT, published=True)),
            "empty: not a release",
        ),
        (lambda: app.verify(app.VerifyOptions(release="notes", workspace="empty")), "notes: not a release"),
        (
            lambda: app.attack(
                app.AttackOptions(release="notes", workspace="empty", gold="notes", format="brat", background=())
            ),
            "notes: not a release",
        ),
        (
            lambda: app.evaluate(app.EvaluateOptions(gold="notes", format="brat", spans="empty")),
            "empty: expected the folder of a Delta table",
        ),
    ],
    ids=["assess", "verify", "attack", "evaluate"],
)
def test_what_is_no_release_and_no_table_is_reported(use: Callable[[], object], told: str) -> None:
    with pytest.raises(SparkDeidError) as caught:
        use()
    assert str(caught.value).startswith(told)


def test_a_folder_that_is_no_workspace_is_reported_with_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.release.workspace.is_release", lambda place: True)
    Path("notes/documents/_delta_log").mkdir(parents=True)
    Path("empty/documents/_delta_log").mkdir(parents=True)
    with pytest.raises(
        UsageError, match=r"^empty: no workspace of a release, because the table edits is missing\. Expected the"
    ):
        app.verify(app.VerifyOptions(release="notes", workspace="empty"))


@pytest.mark.parametrize(
    "use",
    [
        lambda: app.evaluate(app.EvaluateOptions(gold="notes", format="brat", model=Path("empty"))),
        lambda: app.train(app.TrainOptions(input="notes", format="brat", output=Path("out"))),
        lambda: app.export(app.ExportOptions(model=Path("empty"), output=Path("out"), gold="notes", format="brat")),
        lambda: app.attack(app.AttackOptions(release="empty", workspace="empty", gold="notes", format="brat")),
    ],
    ids=["evaluate", "train", "export", "attack"],
)
def test_a_labelled_folder_without_annotations_is_reported(use: Callable[[], object]) -> None:
    Path("notes/a.ann").unlink()
    with pytest.raises(UsageError, match=r"notes: expected \.ann files next to the texts \(1\)"):
        use()


def test_a_master_that_does_not_answer_is_reported_before_spark_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.app.sessions.running_session", lambda: None)
    monkeypatch.setattr("spark_deid.app.sessions.session_scope", lambda **_: pytest.fail("Spark was started"))
    with (
        pytest.raises(SparkDeidError, match=r"^--master: nothing answers at spark://no-host\.invalid:7077"),
        open_session("evaluate", "spark://no-host.invalid:7077", "notes"),
    ):
        pytest.fail("Spark was started")
