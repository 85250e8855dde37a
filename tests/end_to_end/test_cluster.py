"""The same plan on a cluster of this machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil

from tests.end_to_end.conftest import PROGRAM, SOON, Cli, read_rows

ROOT = Path(__file__).parents[2]


def test_a_cluster_gives_the_release_that_one_machine_gives(cli: Cli, notes: Path, tmp_path: Path) -> None:
    chosen = [f"--input={notes}", "--format=text", "--set=release_ids=keep"]
    places = {name: [f"--set={kind}={tmp_path}/{name}/{kind}" for kind in ("workspace", "release")] for name in "ab"}
    plan = ROOT / "conf" / "patterns.yaml"

    cli("run", plan, *chosen, *places["a"])
    done = subprocess.run(
        [ROOT / "jobs" / "local-cluster", PROGRAM, "run", plan, "--master", "{master}", *chosen, *places["b"]],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | SOON | {"TMPDIR": str(tmp_path)},
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert read_rows(tmp_path / "a" / "release" / "documents") == read_rows(tmp_path / "b" / "release" / "documents")
    assert not [process for process in psutil.process_iter(["cmdline"]) if serves(process, tmp_path)]


def test_a_lost_executor_costs_a_round_and_changes_nothing(tmp_path: Path) -> None:
    script = Path(__file__).with_name("lose_executor.py")
    done = subprocess.run(
        [ROOT / "jobs" / "local-cluster", sys.executable, script, "{master}", tmp_path],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | SOON | {"TMPDIR": str(tmp_path)},
        check=False,
    )

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["same"], told["killed"], told["rows"]) == (True, 1, 60)
    assert told["rounds"] >= 3


def serves(process: psutil.Process, folder: Path) -> bool:
    command = process.info["cmdline"] or ()
    return "org.apache.spark.deploy.worker.Worker" in command and any(str(folder) in word for word in command)
