"""The example plugin of version 0.1.0, but for words of three messages: old paths work for one more version."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.old_plugin import install_old_plugin

ROOT = Path(__file__).parents[2]


@pytest.mark.thorough
def test_its_own_tests_pass(tmp_path: Path) -> None:
    install_old_plugin(tmp_path)
    places = os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:faker",
        str(tmp_path / "tests"),
    ]
    ran = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": places}, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode == 0, ran.stdout[-4000:]
