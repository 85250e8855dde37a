"""Write docs/commands.md: every command with its arguments and options, as ``--help`` tells them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from spark_deid.cli.command_list import cli

PAGE = Path(__file__).resolve().parents[1] / "docs" / "commands.md"
_HEAD = """\
# Commands

Every command with its arguments and options. `--help` shows the common options on one screen, and `--help-all` shows
every option. `--json FILE` writes the figures of a command to a file, as JSON. `resources/write_commands.py` writes
this page.

Exit codes: 0 done, 1 failed, 2 wrong options or plan, 3 refused since a check does not hold, 130 stopped by Ctrl-C,
143 by SIGTERM.
"""
_LEFT_OUT = ("--help", "--help-all", "--json")


def reference() -> str:
    """Return the commands of this package as Markdown, in the order of ``--help``."""
    return "\n".join([_HEAD, *_lines(typer.main.get_command(cli), "spark-deid")]).rstrip("\n") + "\n"


def _lines(command: Any, name: str) -> Iterator[str]:
    for part, each in getattr(command, "commands", {}).items():
        yield from _lines(each, f"{name} {part}")
    if not hasattr(command, "commands"):
        yield from _section(command, name)


def _section(command: Any, name: str) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.opts[0] not in _LEFT_OUT and each not in arguments]
    yield from (f"## {name.removeprefix('spark-deid ')}", "")
    for paragraph in re.split(r"\n\s*\n", command.help.replace("\b", "").strip()):
        told = " ".join(paragraph.split())
        yield from (_example(told) if told.startswith("Example: ") else _told(told), "")
    if arguments or options:
        yield from ("| | values | default | |", "|---|---|---|---|")
        yield from (_row(f"`{_metavar(each)}`", each, "") for each in arguments)
        yield from (_row(f"`{each.opts[0]}`", each, _metavar(each)) for each in options)
        yield ""


def _example(told: str) -> str:
    return f"    {told.removeprefix('Example: ')}"


def _told(text: str) -> str:
    return re.sub(r"\[/?(bold)?\]", "", text)


def _metavar(each: Any) -> str:
    """Return the name of an argument, or what the value of an option is to look like; a flag takes none."""
    if getattr(each, "is_flag", False):
        return ""
    noun = each.name.upper() if each.param_type_name == "argument" else "TEXT"
    return str(each.metavar or noun).strip("[]{}")


def _row(name: str, each: Any, values: str) -> str:
    default = "needed" if each.required else _default(each)
    cells = (name, values.replace("|", ", "), default, (each.help or "").replace("|", "\\|"))
    return f"| {' | '.join(cells)} |"


def _default(each: Any) -> str:
    shown = each.default not in (None, "", (), False) and not callable(each.default)
    default = ",".join(each.default) if isinstance(each.default, list) else each.default
    return f"`{default}`" if shown else ""


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
