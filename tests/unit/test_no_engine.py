"""Without a package of an engine: text is redacted, and every other command prints the line that installs one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSING = """
import sys
from importlib import metadata
ENGINES = ("pyspark", "py4j", "pysail", "delta", "grpc")

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *given):
        return None if name.partition(".")[0] in ENGINES else self.finder.find_spec(name, *given)

    def find_distributions(self, *given):
        return self.finder.find_distributions(*given) if hasattr(self.finder, "find_distributions") else ()

sys.meta_path[:] = [Without(each) for each in sys.meta_path if hasattr(each, "find_spec")]
version = metadata.version
def version_of(name):
    if name in ("pyspark", "pyspark-client", "pysail", "delta-spark"):
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = version_of
"""
"""Code that a process runs first, so that it can neither import nor find a package of an engine."""
TEXT = "Call 212-555-0147.\n"


def without_engine(script: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{MISSING}\n{script}", *arguments]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=False, cwd=ROOT)


def command(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return without_engine("from spark_deid.cli import main; main()", *arguments, given=given)


@pytest.mark.parametrize("plan", ["patterns", "names"])
def test_text_is_redacted(plan: str) -> None:
    done = command("redact", "--plan", plan, given=TEXT)
    assert (done.returncode, done.stdout) == (0, "Call [PHONE].\n"), done.stderr


def test_strings_are_redacted() -> None:
    script = "import spark_deid as sd; print(sd.redact('Call 212-555-0147.'), len(sd.detect('Call 212-555-0147.')))"
    done = without_engine(script)
    assert (done.returncode, done.stdout) == (0, "Call [PHONE]. 1\n"), done.stderr


@pytest.mark.parametrize("arguments", ["run patterns", "demo", "convert --from text --to jsonl a b"])
def test_other_commands_print_the_lines_that_install_an_engine(arguments: str) -> None:
    done = command(*arguments.split())
    assert done.returncode == 2
    for package in ("'pysail<0.8,>=0.7.2' 'pyspark-client", "'pyspark[connect]", "'delta-spark=="):
        assert package in done.stderr
    assert f"{sys.executable} -m pip install 'pysail" in done.stderr


def test_doctor_reports_all_checks_and_the_line() -> None:
    done = command("doctor")
    assert done.returncode == 1
    assert "Memory" in done.stdout
    assert "Packages: no engine is installed" in done.stdout
    assert f"{sys.executable} -m pip install 'pysail" in done.stdout


def test_an_unexpected_failure_shows_no_text() -> None:
    script = (
        "import spark_deid.app.redacting as r\n"
        "def fail(*given): raise KeyError('secret text')\n"
        "r.read_content = r.check_methods = fail\n"
        "from spark_deid.cli import main; main()"
    )
    done = without_engine(script, "redact", "--plan", "patterns", given=TEXT)
    assert done.returncode == 1
    assert "unexpected KeyError" in done.stderr
    assert "secret" not in done.stderr + done.stdout
