"""The pages of docs/tutorials, command by command in the tests' own session: they print what the pages show."""

import shlex
import subprocess
from pathlib import Path

import pytest

from resources import write_tutorials as written
from tests.end_to_end.conftest import Cli

LONG = {"mail.md", "report.md", "representation.md"}
"""Pages whose commands take longest."""

PAGES = tuple(
    pytest.param(page.name, marks=[pytest.mark.thorough] if page.name in LONG else [])
    for page in sorted(written.PAGES.glob("*.md"))
    if page.name != written.OF_NOTEBOOK
)


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_shows_is_what_its_commands_print(cli: Cli, tmp_path: Path, name: str) -> None:
    written.prepare(tmp_path)
    steps = written.steps_of((written.PAGES / name).read_text(encoding="utf-8"))
    last = 0
    for step, code in zip(steps, written.codes_of(steps), strict=True):
        if step.command.startswith(written.PROGRAM):
            done = cli(*shlex.split(step.command.removeprefix(written.PROGRAM)), code=code)
        else:
            command = ["bash", "-c", f"(exit {last})\n{step.command}"]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        last = code
        told, expected = written.compared(done.stderr + done.stdout), written.compared(step.screen)
        assert told == expected, f"{step.typed}: run resources/write_tutorials.py docs/tutorials/{name}"
    assert steps
