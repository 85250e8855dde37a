"""Commands that show the software and look at the machine."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from spark_deid import app
from spark_deid.cli.options import Master
from spark_deid.cli.printing import OUT, PrintedProgress, print_figures
from spark_deid.core.version import VERSION


def demo(
    output: Annotated[
        Path | None, typer.Option(help="The folder. The default is a new one in the current folder.")
    ] = None,
    master: Master = None,
) -> None:
    """Train on a bundled public sample, release another sample, and print the paths of the results."""
    # Start-up: only the demo trains a model.
    from spark_deid.app import demo as demonstration

    result = demonstration.demo(output, master=master, progress=PrintedProgress())
    OUT.print()
    OUT.rule("before and after, on a public sample", align="left")
    for before, after in result.examples:
        OUT.print(f"- {before}", style="red", markup=False, highlight=False)
        OUT.print(f"+ {after}", style="green", markup=False, highlight=False)
    OUT.rule()
    print_figures("Released", result.released.to_json())
    for name, path in result.places.items():
        OUT.print(f"{name:>10}: {path}", markup=False, highlight=False, soft_wrap=True)


def doctor(
    deep: Annotated[bool, typer.Option(help="Also start Spark, and write and read a small Delta table.")] = False,
) -> None:
    """Check this machine, and print a fix for each problem."""
    findings = app.doctor(deep=deep)
    marks = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}
    table = Table("", "check", "found")
    for finding in findings:
        table.add_row(marks[finding.level], finding.check, Text(finding.found, overflow="fold"))
    OUT.print(table)
    for finding in findings:
        if finding.remedy:  # below the table, where no column cuts a command
            OUT.print(f"{finding.check}: {finding.remedy}", markup=False, highlight=False, soft_wrap=True)
    if any(finding.level == "fail" for finding in findings):
        raise typer.Exit(1)


def print_version(is_wanted: bool) -> None:
    """Print the version, and end, where it is asked for."""
    if is_wanted:
        version()
        raise typer.Exit


def version() -> None:
    """Print the version."""
    OUT.print(VERSION)
