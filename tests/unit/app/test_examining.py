import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.app import engine_checks, examining
from spark_deid.cli import machine
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine import choice
from spark_deid.engine.java import check_java, java_fault, java_version
from tests.unit.toy_packages import install

START = """
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.session import build_session
try:
    build_session()
except SparkDeidError as error:
    print(error)
"""


def fake_java(folder: Path, told: str, code: int = 0) -> dict[str, str]:
    java = folder / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{told}' >&2\nexit {code}\n")
    java.chmod(0o755)
    return {"JAVA_HOME": str(folder), "PATH": ""}


@pytest.mark.parametrize(
    ("told", "level"),
    [
        ('openjdk version "17.0.15" 2025-04-15', "ok"),
        ('openjdk version "21-ea" 2023-09-19', "ok"),
        ('openjdk version "25" 2025-09-16', "ok"),
        ('java version "1.8.0_291"', "fail"),
        ('openjdk version "11.0.2"', "fail"),
        ("something else", "fail"),
    ],
)
def test_java_must_be_recent(tmp_path: Path, told: str, level: str) -> None:
    finding = examining.check_java(fake_java(tmp_path, told))

    assert finding.level == level
    assert ("apt-get install" in finding.remedy) == (level == "fail")


@pytest.mark.parametrize(("told", "version"), [('java version "1.8.0_291"', 8), ('openjdk version "21-ea"', 21)])
def test_the_version_of_an_old_java_is_its_second_number(tmp_path: Path, told: str, version: int) -> None:
    assert java_version(str(Path(fake_java(tmp_path, told)["JAVA_HOME"]) / "bin" / "java")) == version


def test_a_java_that_spark_can_t_take_is_one_message_before_spark_tries(tmp_path: Path) -> None:
    fake = fake_java(tmp_path, 'openjdk version "11.0.2"')
    with pytest.raises(SparkDeidError) as error:
        check_java(fake)
    finding = examining.check_java(fake)
    assert str(error.value) == f"Java: {finding.found}; {finding.remedy}"
    assert finding.found == f"11 at {tmp_path}/bin/java"
    told = subprocess.run([sys.executable, "-c", START], env=os.environ | fake, capture_output=True, text=True)
    assert told.stdout == f"{error.value}\n"
    assert told.stderr == ""
    (tmp_path / "spark-env.sh").write_text("JAVA_HOME=/elsewhere\n")
    check_java(fake | {"SPARK_CONF_DIR": str(tmp_path)})


def test_the_file_next_to_a_java_shows_its_version_and_one_that_is_not_there_has_none(tmp_path: Path) -> None:
    fake = fake_java(tmp_path, "nothing to tell")
    (tmp_path / "release").write_text('IMPLEMENTOR="x"\nJAVA_VERSION="11.0.4"\n')
    fault = java_fault(fake)
    assert fault is not None
    assert fault.found == f"11 at {tmp_path}/bin/java"
    assert java_fault({"JAVA_HOME": "/nonexistent"}) == java_fault({"JAVA_HOME": "/nonexistent", "PATH": "/usr/bin"})
    assert examining.check_java({"JAVA_HOME": "/nonexistent"}).found == "/nonexistent/bin/java does not run"


def test_a_java_that_does_not_start_is_reported_by_the_doctor_whatever_is_next_to_it(tmp_path: Path) -> None:
    fake = fake_java(tmp_path, 'openjdk version "21.0.4"', code=1)
    (tmp_path / "release").write_text('JAVA_VERSION="21.0.4"\n')
    assert java_fault(fake) is None
    assert examining.check_java(fake).found == f"{tmp_path}/bin/java does not run"


@pytest.mark.parametrize("hidden", [PermissionError, IsADirectoryError])
def test_a_java_with_a_file_next_to_it_that_can_t_be_read_is_asked(
    hidden: type[OSError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = fake_java(tmp_path, 'openjdk version "21.0.4"')
    (tmp_path / "release").write_text('JAVA_VERSION="11.0.4"\n')

    def refuse(*_: object, **__: object) -> str:
        raise hidden

    monkeypatch.setattr(Path, "read_text", refuse)
    assert java_fault(fake) is None


def test_no_command_of_the_doctor_is_cut(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    remedy = "apt-get install openjdk-17-jre-headless, or " + "a-very-long-word" * 9
    monkeypatch.setattr(app, "doctor", lambda *, deep: (examining.DoctorFinding("warn", "Java", "/a" * 60, remedy),))
    machine.doctor(deep=False)
    shown = capsys.readouterr().out
    assert f"Java: {remedy}\n" in shown
    assert "…" not in shown


def test_java_that_does_not_run_is_reported(tmp_path: Path) -> None:
    finding = examining.check_java(fake_java(tmp_path, "", code=1))

    assert (finding.level, "does not run" in finding.found) == ("fail", True)


def test_missing_java_is_reported(tmp_path: Path) -> None:
    assert examining.check_java({"PATH": str(tmp_path)}).found == "none"


def test_old_python_is_reported() -> None:
    assert examining.check_python((3, 10, 4)).level == "fail"
    assert examining.check_python((3, 11, 0)).level == "ok"


def test_missing_jars_are_reported_with_the_command_that_fetches_them(tmp_path: Path) -> None:
    finding = examining.check_jars({"SPARK_DEID_JARS": str(tmp_path)})

    assert finding.level == "warn"
    assert "the first run downloads them" in finding.remedy
    assert "-m spark_deid.engine.jars" in finding.remedy


@pytest.mark.parametrize(
    ("spark", "delta", "level"),
    [("4.0.1", "4.4.0", "ok"), ("4.2.0", "4.4.0", "ok"), ("4.20.0", "4.4.0", "warn"), ("4.1.1", "4.3.1", "warn")],
)
def test_versions_of_spark_and_delta_that_do_not_fit_are_a_warning(
    spark: str, delta: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "installed_version", {"pyspark": spark, "delta-spark": delta}.get)
    monkeypatch.setattr(examining, "NEEDED", ())
    finding = examining.check_packages()
    assert finding.level == level
    assert f"pyspark {spark}, delta-spark {delta}" in finding.found
    assert ("(not 4.0, 4.1, 4.2 with 4.4.0)" in finding.found) == (level == "warn")


@pytest.mark.parametrize(
    ("installed", "level", "words"),
    [
        ({"pyspark": "4.2.0", "pyspark-client": "4.2.0", "delta-spark": "4.4.0"}, "fail", "pip uninstall -y"),
        ({}, "fail", "pip install 'pysail"),
        ({"pyspark-client": "4.2.0", "pysail": "0.7.2"}, "ok", ""),
        ({"pyspark-client": "4.2.0"}, "warn", "pip install 'pysail"),
    ],
)
def test_engines_that_are_mixed_or_missing_are_reported_with_the_cure(
    installed: dict[str, str], level: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "installed_version", installed.get)
    monkeypatch.setattr("spark_deid.engine.installed.installed_version", installed.get)
    monkeypatch.setattr(examining, "NEEDED", ())
    finding = examining.check_packages()
    assert (finding.level, words in finding.remedy) == (level, True)


def test_the_engine_is_reported_with_version_and_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine_checks.check_engine().level == "ok"
    monkeypatch.setattr(choice, "running_session", lambda: None)
    monkeypatch.setattr(choice, "embedded_session", lambda: None)
    monkeypatch.setattr(choice, "classic_fault", lambda: "Java: none; install Java 17")
    finding = engine_checks.check_engine()
    assert finding.level == "ok"
    assert re.fullmatch(r"embedded, pysail [\d.]+ \(Spark can't start: Java: none\)", finding.found)
    monkeypatch.setattr(choice, "is_installed", lambda: False)
    finding = engine_checks.check_engine()
    assert (finding.level, finding.found) == ("fail", "none")
    assert "install Java 17" in finding.remedy
    assert "pysail" in finding.remedy


def test_missing_package_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examining, "NEEDED", ("no-such-package",))

    assert examining.check_packages().level == "fail"


def test_packages_that_bring_what_can_not_be_loaded_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examining.check_methods().level == "ok"
    install(tmp_path, monkeypatch, "toy_moths", "", {"spark_deid.formats": {"moth": "toy_moths:FORMAT", "csv": "x:Y"}})
    finding = examining.check_methods()

    assert finding.level == "warn"
    assert "format moth: toy_moths:FORMAT can't be loaded (AttributeError)" in finding.found
    assert "format csv: x:Y is ignored" in finding.found


def test_short_memory_and_disk_are_warnings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(examining, "MEMORY_WANTED", 1 << 60)
    monkeypatch.setattr(examining, "DISK_WANTED", 1 << 60)

    assert (examining.check_memory().level, examining.check_disk(tmp_path).level) == ("warn", "warn")


def test_every_finding_that_is_not_well_reports_how_to_fix_it() -> None:
    findings = app.doctor()

    assert len({finding.check for finding in findings}) == len(findings) == 10
    assert all(finding.remedy for finding in findings if finding.level != "ok")
