"""The engine of a command, its reason, and what is missing if no engine can run."""

from pathlib import Path

import pytest

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.engine import choice
from spark_deid.engine.choice import EngineRequest, choose_engine, describe_choice
from spark_deid.engine.engines import EngineKind

FAULT = "Java: none; install Java 17"


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with pysail, without Java and without a session."""
    monkeypatch.setattr(choice, "running_session", lambda: None)
    monkeypatch.setattr(choice, "embedded_session", lambda: None)
    monkeypatch.setattr(choice, "classic_fault", lambda: FAULT)
    monkeypatch.setattr(choice, "is_installed", lambda: True)
    for name in ("SPARK_REMOTE", "SPARK_CONF_DIR", "PYSPARK_GATEWAY_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_without_java_the_embedded_engine_is_chosen_and_the_reason_names_the_fault() -> None:
    assert choose_engine(EngineRequest("run")) == (EngineKind.EMBEDDED, "Spark can't start: Java: none")


def test_an_embedded_engine_that_runs_is_used_if_it_can_carry_out_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "embedded_session", object)
    monkeypatch.setattr(choice, "classic_fault", lambda: "")
    assert choose_engine(EngineRequest("run")) == (EngineKind.EMBEDDED, "a session runs")
    assert choose_engine(EngineRequest("sample", lacks="this command")).kind is EngineKind.CLASSIC
    assert choose_engine(EngineRequest("run", master="local")).kind is EngineKind.CLASSIC


def test_with_java_classic_spark_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "classic_fault", lambda: "")
    assert choose_engine(EngineRequest("run")) == (EngineKind.CLASSIC, "Java is installed")
    lacking = choose_engine(EngineRequest("sample", lacks="this command"))
    assert lacking == (EngineKind.CLASSIC, "the embedded engine does not have this command")
    monkeypatch.setattr(choice, "is_installed", lambda: False)
    assert choose_engine(EngineRequest("run")) == (EngineKind.CLASSIC, "the embedded engine is not installed")


def test_without_any_engine_the_message_names_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "is_installed", lambda: False)
    with pytest.raises(SparkDeidError, match=r"run: .*Java: none; install Java 17, or run .*pysail"):
        choose_engine(EngineRequest("run"))
    with pytest.raises(UsageError, match=r"run: the embedded engine is not installed; run .*pysail"):
        choose_engine(EngineRequest("run", "embedded"))


def test_a_command_that_no_engine_has_here_is_refused_before_reading() -> None:
    with pytest.raises(SparkDeidError, match=r"sample: .*this command, and Spark can't start: Java: none"):
        choose_engine(EngineRequest("sample", lacks="this command"))


def test_large_inputs_without_java_are_refused_with_both_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "available_memory", lambda: 6_000)
    assert choose_engine(EngineRequest("run", size=1_000)).kind is EngineKind.EMBEDDED
    with pytest.raises(SparkDeidError, match=r"1,001 bytes.*1,000"):
        choose_engine(EngineRequest("run", size=1_001))


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (EngineRequest("run", "embedded", master="local[2]"), "--engine embedded"),
        (EngineRequest("run", "embedded", is_remote=True), "local paths"),
        (EngineRequest("sample", "embedded", lacks="this command"), "this command"),
    ],
)
def test_requests_that_the_embedded_engine_can_t_carry_out_are_refused(request_: EngineRequest, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        choose_engine(request_)


def test_a_default_master_chooses_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.master spark://host:7077\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert choose_engine(EngineRequest("run")) == (EngineKind.CLASSIC, "a master is set")


def test_an_engine_is_named_with_version_and_reason() -> None:
    assert describe_choice(choose_engine(EngineRequest("run"))).startswith("embedded, pysail 0.")
    assert describe_choice(choose_engine(EngineRequest("run", "spark"))).endswith(" (engine: spark)")
