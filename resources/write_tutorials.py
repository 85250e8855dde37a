"""Write the output of commands in tutorials and how-to guides: run each page's commands in order, in a new folder.

    python resources/write_tutorials.py docs/tutorials/notes.md

A block of ``console`` has a command after ``$``, its further lines after ``>``, and its output in the other lines. A
line ``[...]`` of a page replaces any number of lines of the output: a page that agrees with the output is kept. The
folder has links to the project's ``conf``, its ``examples`` and samples. ``notebook.md`` shows
``examples/sanitize.ipynb``, run from its first cell to the last.
"""

import io
import logging
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from spark_deid.cli import main
from spark_deid.cli.printing import ERR, OUT
from spark_deid.core.numerics.notices import COMPILING

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "tutorials"
HOW_TO, START = ROOT / "docs" / "how-to", ROOT / "docs" / "start"
NOTEBOOK, OF_NOTEBOOK = ROOT / "examples" / "sanitize.ipynb", "notebook.md"
ABOVE = """<!-- from examples/sanitize.ipynb; resources/write_tutorials.py writes this page -->
"""
GIVEN = ("conf", "examples", "spark_deid")
"""What a folder has of the project."""
PROGRAM = "spark-deid "
FOLDER, DAY = "/srv/notes", "2026-03-01"
"""What pages say of the folder and the day of their commands."""
WIDTH = 200
"""Columns of the screen, so that lines stay whole."""
TELL_CODE = "echo $?"
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_TIME = re.compile(r"^\[ *[0-9.]+ s\] ", re.MULTILINE)
_NO_TIME = "[  … s] "
_PASSING = re.compile(
    r"^(?:WARNING: Using incubator modules.*|\[ *[0-9.]+ s\]   [0-9,]+ of [0-9,]+ tasks done|"
    rf"(?:\[ *[0-9.]+ s\]   )?{re.escape(COMPILING)})\n",
    re.MULTILINE,
)
"""What Java says, what is said where a machine is slow, and what is said once after an install."""
_SECONDS = re.compile(r"(?<=^│ seconds )( +│ )([0-9.]+)", re.MULTILINE)
_LEARNED = re.compile(r"^(?:│ (?:f1|loss|epoch) │|│ (?:embeddings: )?(?:T[12]|A[12]|mean of) .*?│).*$", re.MULTILINE)
"""What a training found: the same on machines of one kind alone."""
_RUNS = re.compile(r"[ ─━]+")


class Step(NamedTuple):
    """A command as it is typed, and what it prints."""

    typed: str
    screen: str

    @property
    def command(self) -> str:
        """Return the command without marks."""
        first, *more = self.typed.splitlines()
        return "\n".join([first.removeprefix("$ "), *(line.removeprefix(">").removeprefix(" ") for line in more)])


def steps_of(page: str) -> tuple[Step, ...]:
    """Return the steps of a page, in order."""
    return tuple(step for block in _BLOCK.findall(page) for step in _steps(block.splitlines()))


def _steps(lines: Iterable[str]) -> Iterator[Step]:
    typed: list[str] = []
    screen: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            if typed:
                yield Step("\n".join(typed), "\n".join(screen))
            typed, screen = [line], []
        elif line.startswith(">") and not screen:
            typed.append(line)
        else:
            screen.append(line)
    yield Step("\n".join(typed), "\n".join(screen))


def codes_of(steps: Sequence[Step]) -> tuple[int, ...]:
    """Return the exit code of each step: what ``echo $?`` after it prints, else 0."""
    return (*(int(after.screen) if after.command == TELL_CODE else 0 for after in steps[1:]), 0)


def written(page: str, run: Callable[[str], str]) -> str:
    """Return a page with what its commands print now."""

    def block(found: re.Match[str]) -> str:
        done = ((step, run(step.command)) for step in _steps(found[0].splitlines()))
        told = ((step.typed, step.screen if agrees(screen, step.screen) else shown(screen)) for step, screen in done)
        return "".join(f"{typed}\n{screen}\n" if screen else f"{typed}\n" for typed, screen in told)

    return _BLOCK.sub(block, page)


def shown(screen: str) -> str:
    """Return what a reader is to see: no times, no passing lines, nothing at ends of lines, another folder and day.

    >>> shown("[   31.2 s] read \\n[   35.0 s]   2 of 8 tasks done\\n[   36.0 s] write")
    '[  … s] read\\n[  … s] write'
    >>> shown(f"{COMPILING}\\n[    1.0 s] read\\n[    2.0 s]   {COMPILING}\\n[   36.0 s] write")
    '[  … s] read\\n[  … s] write'
    """
    told = _SECONDS.sub(
        lambda found: found[1] + "…".ljust(len(found[2])), _TIME.sub(_NO_TIME, _PASSING.sub("", screen))
    )
    told = told.replace("use the Spark session that runs", "start Spark")
    told = told.replace(str(Path.cwd()), FOLDER).replace(date.today().isoformat(), DAY)
    return "\n".join(line.rstrip() for line in told.rstrip().splitlines())


def compared(screen: str) -> str:
    """Return what is equal each time, whatever the width of a table.

    >>> compared("│ a │ 1    │") == compared("│ a │ 1  │")
    True
    """
    told = _RUNS.sub(" ", shown(screen))
    return _LEARNED.sub(lambda found: re.sub("[0-9.]+", "…", found[0]), told)


def agrees(screen: str, page: str) -> bool:
    """Return whether a page shows the output of a command; a line ``[...]`` of the page replaces any lines.

    >>> agrees("a\\nb\\nc\\nd", "a\\n[...]\\nd"), agrees("a\\nb\\nc\\nd", "a\\n[...]\\nc"), agrees("a\\nb", "a")
    (True, False, False)
    """
    parts = re.split(r"^\[\.\.\.\]\n?", compared(page) + "\n", flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), compared(screen) + "\n") is not None


def shown_pages() -> list[Path]:
    """Return the pages that show the output of commands: tutorials, and other pages with such blocks."""
    others = (page for folder in (START, HOW_TO) for page in sorted(folder.glob("*.md")))
    return [*sorted(PAGES.glob("*.md")), *(page for page in others if steps_of(page.read_text(encoding="utf-8")))]


def notebook_page(cells: Iterable[Mapping[str, Any]]) -> str:
    """Return a page that shows what cells say and what they give, as text.

    >>> cells = [{"cell_type": "code", "source": "1 + 1", "outputs": [{"data": {"text/plain": "2"}}]}]
    >>> print(notebook_page(cells).removeprefix(ABOVE).replace("```", "---"))
    <BLANKLINE>
    ---python
    1 + 1
    ---
    <BLANKLINE>
    ---text
    2
    ---
    <BLANKLINE>
    """
    return ABOVE + "".join(f"\n{block}\n" for cell in cells for block in _blocks(cell))


def _blocks(cell: Mapping[str, Any]) -> Iterator[str]:
    if cell["cell_type"] == "markdown":
        yield cell["source"].replace("../docs/", "../")
        return
    yield f"```python\n{cell['source']}\n```"
    told = [each.get("text") or each.get("data", {}).get("text/plain") for each in cell["outputs"] if _is_shown(each)]
    if told:
        text = "\n".join(each.rstrip() for each in told)
        yield f"```text\n{text}\n```"


def _is_shown(output: Mapping[str, Any]) -> bool:
    return output.get("name") != "stderr"


def executed(folder: Path) -> list[Mapping[str, Any]]:
    """Return the cells of the notebook with what they give, run in a folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}})
    cells: list[Mapping[str, Any]] = client.execute().cells
    return cells


def prepare(folder: Path) -> None:
    """Give a folder what the pages' commands read of the project."""
    for name in GIVEN:
        (folder / name).symlink_to(ROOT / name)


def typed(command: str, folder: Path, last: int) -> tuple[str, int]:
    """Carry out a command after one that ended with the code ``last``; return what it prints, and its exit code.

    Commands of this package run in this process, so that Spark starts once.
    """
    print(f"$ {command}", file=sys.stderr)
    feeder, command = piped(command)
    given = in_shell(feeder, folder, last).stdout if feeder else ""
    if is_called(command):
        with input_of(given):
            return _called(shlex.split(command.removeprefix(PROGRAM)))
    done = in_shell(command, folder, last)
    return done.stdout, done.returncode


def piped(command: str) -> tuple[str, str]:
    """Return the command whose output feeds a command of this package, and that command without its input.

    >>> piped("echo Ann | spark-deid redact"), piped("spark-deid redact --plan p < a.txt")
    (('echo Ann', 'spark-deid redact'), ('cat a.txt', 'spark-deid redact --plan p'))
    >>> piped("spark-deid plans"), piped("cat a | sort")
    (('', 'spark-deid plans'), ('', 'cat a | sort'))
    """
    feeder, pipe, fed = command.rpartition(" | ")
    if pipe and is_called(fed):
        return feeder, fed
    fed, redirection, file = command.rpartition(" < ")
    return (f"cat {file}", fed) if redirection and is_called(fed) and file.split() == [file] else ("", command)


class ScreenText(io.TextIOWrapper):
    """A screen in memory. Commands that write bytes can use its buffer."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def getvalue(self) -> str:
        """Return the text so far."""
        self.flush()
        written: bytes = self.buffer.getvalue()  # type: ignore[attr-defined]
        return written.decode()


@contextmanager
def input_of(text: str) -> Iterator[None]:
    """Let commands of this process read a text as their standard input."""
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8")
    try:
        yield
    finally:
        sys.stdin = before


def is_called(command: str) -> bool:
    """Return whether a command is one of this package, without pipes and other files: it runs in this process."""
    return command.startswith(PROGRAM) and not re.search(r" [<>|&]", command)


def in_shell(command: str, folder: Path, last: int) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell, after a command that ended with the code ``last``; its errors are in its output."""
    given = ["bash", "-c", f"exec 2>&1; (exit {last})\n{command}"]
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "COLUMNS": str(WIDTH)}
    return subprocess.run(given, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def _called(arguments: Sequence[str]) -> tuple[str, int]:
    told, code = ScreenText(), 0
    with redirect_stdout(told), redirect_stderr(told):
        try:
            main(list(arguments))
        except SystemExit as end:
            code = int(end.code or 0)
    logging.disable(logging.NOTSET)
    return told.getvalue(), code


def write(page: Path, folder: Path) -> None:
    """Write a page anew by what its commands print in a folder."""
    os.chdir(folder)
    if page.name == OF_NOTEBOOK:
        page.write_text(notebook_page(executed(folder)), encoding="utf-8")
        return
    codes = [0]

    def run(command: str) -> str:
        told, code = typed(command, folder, codes[-1])
        codes.append(code)
        return told

    page.write_text(written(page.read_text(encoding="utf-8"), run), encoding="utf-8")


def write_pages() -> None:
    """Write the pages that the command line names, or all."""
    from spark_deid.engine.session import build_session

    pages = [Path(name).resolve() for name in sys.argv[1:]] or shown_pages()
    for console in (OUT, ERR):
        console._width = WIDTH
    with tempfile.TemporaryDirectory() as whole:
        if any(page.name != OF_NOTEBOOK for page in pages):
            build_session()
        for page in pages:
            folder = Path(whole) / page.stem
            folder.mkdir()
            prepare(folder)
            write(page, folder)


if __name__ == "__main__":
    write_pages()
