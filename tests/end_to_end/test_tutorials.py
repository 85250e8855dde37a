"""Tutorials and how-to guides, command by command in the session of the tests: the commands print the pages' output."""

import shlex
from pathlib import Path

import pytest

from resources import write_tutorials as written
from tests.end_to_end.conftest import Cli

LONG = {"mail.md", "train-correct.md", "report.md", "representation.md"}
"""Pages whose commands take longest."""

PAGES = tuple(
    pytest.param(page, marks=[pytest.mark.thorough] if page.name in LONG else [], id=f"{page.parent.name}/{page.stem}")
    for page in written.shown_pages()
    if page.name != written.OF_NOTEBOOK
)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_its_commands_print(cli: Cli, tmp_path: Path, page: Path) -> None:
    written.prepare(tmp_path)
    steps = written.steps_of(page.read_text(encoding="utf-8"))
    last = 0
    for step, code in zip(steps, written.codes_of(steps), strict=True):
        feeder, command = written.piped(step.command)
        if written.is_called(command):
            given = written.in_shell(feeder, tmp_path, last).stdout if feeder else ""
            with written.input_of(given):
                done = cli(*shlex.split(command.removeprefix(written.PROGRAM)), code=code)
        else:
            done = written.in_shell(command, tmp_path, last)
            assert done.returncode == code, done.stdout
        last = code
        screen = done.stderr + done.stdout
        if not written.agrees(screen, step.screen):
            told, expected = written.compared(screen), written.compared(step.screen)
            assert told == expected, f"{step.typed}: run resources/write_tutorials.py {page.relative_to(written.ROOT)}"
    assert steps
