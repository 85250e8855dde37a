"""The commands for S3 of docs/how-to/deploy-cluster.md, run against a server on this machine that lets one key in."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import S3Server
from tests.end_to_end.conftest import SOON

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "deploy-cluster.md"
PUT = (
    "import boto3, sys; boto3.client('s3', endpoint_url=sys.argv[1]).upload_file(sys.argv[2], 'hospital', sys.argv[3])"
)


def _lines() -> list[str]:
    block = re.search(r"```bash\n((?:(?!```).)*s3a://.*?)```", PAGE.read_text(), re.DOTALL)
    return [line for line in block[1].replace("\\\n", "").splitlines() if "spark-submit" in line]


@pytest.mark.thorough
def test_the_guide_s_lines_of_s3_hold(s3: S3Server, tmp_path: Path) -> None:
    (tmp_path / ".venv-dev").symlink_to(sys.prefix)
    (tmp_path / "jobs").symlink_to(ROOT / "jobs")
    bare = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    bare |= {**SOON, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": f"{tmp_path}/.venv-dev/bin/python"}
    keys = {"AWS_ACCESS_KEY_ID": s3.access, "AWS_SECRET_ACCESS_KEY": s3.secret}
    own = bare | keys | {"AWS_ENDPOINT_URL": s3.endpoint}
    told = bare | {"SPARK_CONF_DIR": str(tmp_path / "conf")}
    (tmp_path / "conf").mkdir()
    settings = "".join(f"spark.hadoop.{name} {value}\n" for name, value in s3.settings.items())
    (tmp_path / "conf" / "spark-defaults.conf").write_text(settings)
    run, convert, verify = _lines()

    # An endpoint that is a number has no names of buckets before it: Hadoop's client sees that by itself.
    seen = [_run(run, tmp_path, own), _run(convert, tmp_path, told)]
    for path in [path for path in (tmp_path / "out" / "notes").rglob("*") if path.is_file()]:
        place = f"release/{path.relative_to(tmp_path / 'out' / 'notes')}"
        python = [f"{tmp_path}/.venv-dev/bin/python", "-c", PUT, s3.endpoint, str(path), place]
        subprocess.run(python, check=True, env=bare | keys | {"AWS_DEFAULT_REGION": "us-east-1"})
    seen.append(_run(verify, tmp_path, told))

    assert json.loads((tmp_path / "out" / "notes" / "manifest.json").read_text())["documents"] == 40
    assert "Verified" in seen[2]
    assert s3.secret not in "".join(seen)
    written = "".join(path.read_text(errors="replace") for path in tmp_path.glob("private/**/*.json"))
    assert written
    assert s3.secret not in written


def _run(line: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr
