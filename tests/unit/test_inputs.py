"""What commands tell of their input and output before Spark is started."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.core.errors import UsageError

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
    monkeypatch.setattr("spark_deid.session.session_scope", refuse)
    for name in ("releasing", "corpora", "experimenting", "anonymizing", "sessions"):
        monkeypatch.setattr(f"spark_deid.app.{name}.open_session", refuse)
    Path("empty").mkdir()
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("seen")
    Path("people.csv").write_text("a,b\n1,2\n")
    Path("file").touch()
    Path("closed").mkdir()


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_folder_is_told_by_every_command(command: str) -> None:
    with pytest.raises(UsageError, match=r"empty: (no file is there|expected a Delta table)"):
        COMMANDS[command]("empty", "out")
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("place", "told"), [("file/out", "/file is a file"), ("closed/out", "/closed can't be written to")]
)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_can_not_be_made_is_told_by_every_command(
    command: str, place: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "closed")
    with pytest.raises(UsageError, match=f"{place}: .*{told}"):
        COMMANDS[command]("people.csv" if command == "anonymize" else "notes", place)
