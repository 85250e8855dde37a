"""Write docs/reference/commands.md: every command with its arguments and options, in the groups of ``--help``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from spark_deid.cli.command_list import cli

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "commands.md"
_HEAD = """\
# Commands

Every command with its arguments and options. `--help` shows the common options on one screen, and `--help-all` shows
every option. `--json FILE` writes the results of a command to a file, as JSON. `resources/write_commands.py` writes
this page.

Exit codes: 0 done, 1 failed, 2 wrong options or plan, 3 refused because a check failed, 130 stopped by Ctrl-C,
143 by SIGTERM.
"""
_LEFT_OUT = ("--help", "--help-all", "--json")


def reference() -> str:
    """Return the commands of this package as Markdown, in the order of ``--help``."""
    return "\n".join([_HEAD, *_lines(typer.main.get_command(cli))]).rstrip("\n") + "\n"


def _lines(command: Any) -> Iterator[str]:
    groups: dict[str, list[tuple[str, Any]]] = {}
    for name, each in command.commands.items():
        groups.setdefault(each.rich_help_panel, []).extend(_leaves(each, name))
    for group, leaves in groups.items():
        yield from (f"## {group}", "")
        for name, each in leaves:
            yield from _section(each, name)


def _leaves(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield name, command
    for part, each in getattr(command, "commands", {}).items():
        yield from _leaves(each, f"{name} {part}")


def _section(command: Any, name: str) -> Iterator[str]:
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.opts[0] not in _LEFT_OUT and each not in arguments]
    yield from (f"### {name}", "")
    for paragraph in re.split(r"\n\s*\n", command.help.replace("\b", "").strip()):
        text = " ".join(paragraph.split())
        yield from (_example(text) if text.startswith("Example: ") else _plain(text), "")
    if arguments or options:
        yield from ("| Name | Values | Default | Meaning |", "|---|---|---|---|")
        yield from (_row(f"`{_metavar(each)}`", each, "") for each in arguments)
        yield from (_row(f"`{each.opts[0]}`", each, _metavar(each)) for each in options)
        yield ""


def _example(text: str) -> str:
    return f"    {text.removeprefix('Example: ')}"


def _plain(text: str) -> str:
    return re.sub(r"\[/?(bold)?\]", "", text)


def _metavar(each: Any) -> str:
    """Return the name of an argument, or what the value of an option is to look like; a flag takes none."""
    if getattr(each, "is_flag", False):
        return ""
    noun = each.name.upper() if each.param_type_name == "argument" else "TEXT"
    return str(each.metavar or noun).strip("[]{}")


def _row(name: str, each: Any, values: str) -> str:
    default = "required" if each.required else _default(each)
    cells = (name, values.replace("|", ", "), default, (each.help or "").replace("|", "\\|"))
    return f"| {' | '.join(cells)} |"


def _default(each: Any) -> str:
    shown = each.default not in (None, "", (), False) and not callable(each.default)
    default = ",".join(each.default) if isinstance(each.default, list) else each.default
    return f"`{default}`" if shown else ""


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
