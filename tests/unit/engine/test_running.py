"""What workers are asked before anything is done with them."""

import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import spark_deid
from spark_deid.core.errors import UsageError
from spark_deid.engine import running
from spark_deid.engine.running import check_workers, own_worker

ASK = "from spark_deid.engine.running import own_worker; print(own_worker().digest)"
PACKAGE = Path(spark_deid.__file__).parent


def digest_of(folder: Path) -> str:
    """Ask a process that has the package from a folder, or from an archive."""
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); {ASK}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_digest_is_that_of_the_code_wherever_it_is(tmp_path: Path) -> None:
    copy = tmp_path / "copy" / "spark_deid"
    shutil.copytree(
        PACKAGE, copy, ignore=lambda _, names: [n for n in names if not (n.endswith(".py") or "." not in n)]
    )
    assert digest_of(copy.parent) == own_worker().digest
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", copy.parent)
    assert digest_of(Path(archive)) == own_worker().digest
    with (copy / "core" / "words.py").open("a") as file:
        file.write("# another line")
    assert digest_of(copy.parent) != own_worker().digest


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("python", "3.0", "run Python 3.0"),
        ("version", "0.0", "have version 0.0"),
        ("digest", "0", "but other files of it"),
    ],
)
def test_workers_that_differ_are_refused(monkeypatch: pytest.MonkeyPatch, field: str, value: str, named: str) -> None:
    spark = SimpleNamespace(sparkContext=SimpleNamespace(applicationId=f"other {field}", pythonExec="python"))
    monkeypatch.setattr(running, "_query_worker", lambda: own_worker()._replace(**{field: value}))
    with pytest.raises(UsageError, match=named):
        check_workers(spark)  # type: ignore[arg-type]


def test_workers_with_the_same_code_are_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    spark = SimpleNamespace(sparkContext=SimpleNamespace(applicationId="same", pythonExec="python"))
    monkeypatch.setattr(running, "_query_worker", own_worker)
    check_workers(spark)  # type: ignore[arg-type]
