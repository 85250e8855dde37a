"""What workers are asked before anything is done with them."""

import shutil
import subprocess
import sys
from pathlib import Path

import spark_deid
from spark_deid.runtime.running import own_worker

ASK = "from spark_deid.runtime.running import own_worker; print(own_worker().digest)"
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
