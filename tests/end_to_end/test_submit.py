"""The same plan through spark-submit."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark

from tests.end_to_end.conftest import SOON, Cli, read_rows

ROOT = Path(__file__).parents[2]


def test_a_submitted_job_gives_the_release_that_the_command_gives(cli: Cli, notes: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text((ROOT / "conf" / "patterns.yaml").read_text())
    chosen = [f"--input={notes}", "--format=text", "--set=release_ids=keep"]
    places = {name: [f"--set={kind}={tmp_path}/{name}/{kind}" for kind in ("workspace", "release")] for name in "ab"}
    submit = Path(pyspark.__path__[0]) / "bin" / "spark-submit"

    cli("run", plan, *chosen, *places["a"])
    subprocess.run(
        [submit, "--master", "local[1]", ROOT / "jobs" / "run.py", plan, *chosen, *places["b"]],
        check=True,
        capture_output=True,
        timeout=300,
        env={**os.environ, **SOON, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable},
    )

    one, other = (read_rows(tmp_path / name / "release" / "documents") for name in "ab")
    assert one == other
    assert len(one) == 6
