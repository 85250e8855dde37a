"""The same plan on a cluster of this machine, which then loses an executor: one cluster, as it starts slowly."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tests.end_to_end.conftest import PROGRAM, SOON, Cli, read_rows, write_notes

ROOT = Path(__file__).parents[2]
PLAN = ROOT / "conf" / "patterns.yaml"


class Served(NamedTuple):
    """What a cluster was given, and what its last command printed."""

    folder: Path
    notes: Path
    told: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    folder = tmp_path_factory.mktemp("cluster")
    notes = write_notes(folder / "notes")
    release = [PROGRAM, "run", PLAN, "--master", "{master}", *chosen(notes, folder)]
    loss = [sys.executable, Path(__file__).with_name("lose_executor.py"), "{master}", folder]
    both = " && ".join(shlex.join(map(str, command)) for command in (release, loss))
    done = subprocess.run(
        [ROOT / "jobs" / "local-cluster", "bash", "-c", both],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | SOON | {"TMPDIR": str(folder)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Served(folder, notes, done.stdout.splitlines()[-1])


def chosen(notes: Path, folder: Path) -> list[str]:
    places = [f"--set={kind}={folder}/{kind}" for kind in ("workspace", "release")]
    return [f"--input={notes}", "--format=text", "--set=release_ids=keep", *places]


@pytest.mark.thorough
def test_a_cluster_gives_the_release_that_one_machine_gives(served: Served, cli: Cli, tmp_path: Path) -> None:
    cli("run", PLAN, *chosen(served.notes, tmp_path))

    one, other = (read_rows(folder / "release" / "documents") for folder in (tmp_path, served.folder))
    assert one == other
    assert len(one) == 6
    assert not [process for process in psutil.process_iter(["cmdline"]) if serves(process, served.folder)]


@pytest.mark.thorough
def test_a_lost_executor_costs_a_round_and_changes_nothing(served: Served) -> None:
    told = json.loads(served.told)
    assert (told["same"], told["killed"], told["rows"]) == (True, 1, 60)
    assert told["rounds"] >= 3


def serves(process: psutil.Process, folder: Path) -> bool:
    command = process.info["cmdline"] or ()
    return "org.apache.spark.deploy.worker.Worker" in command and any(str(folder) in word for word in command)
