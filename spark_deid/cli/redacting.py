"""The command that redacts what flows through it, and the one that lists plans."""

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from spark_deid import app
from spark_deid.cli.options import FormatOptions, named_values
from spark_deid.cli.printing import ERR, OUT, compilation_message
from spark_deid.core.errors import UsageError

Overrides = Annotated[
    list[str] | None, typer.Option("--set", help="Value that overrides the plan, as path.to.key=value. Repeatable.")
]
_SHOWN_REJECTS = 10


def redact(
    plan: Annotated[Path, typer.Option(help="A shipped plan, or a YAML file.")] = Path("names"),
    as_json: Annotated[bool, typer.Option("--json", help="Read lines as JSON objects, and redact their text.")] = False,
    lang: Annotated[
        str | None,
        typer.Option(
            help="Language of the lines, such as es, if the plan has a model for each language. The default guesses it."
        ),
    ] = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
) -> None:
    """Redact lines from standard input, each as one document. Starts no Spark.

    With --json each line is an object. The output has its text, its id and the metadata that the plan publishes (--set
    'metadata={ward: keep}'). Other fields are removed, because they may identify people. The id is the field doc_id, or
    the field of --option id_column=NAME. To read the language of each object from a field, use --set
    language_column=lang, which overrides --lang.

    For an unreadable line, redact prints a warning and writes an empty line, or with --json an object such as {"line":
    3, "rejected": "no-text"}. If a check refuses a line, the output ends before this line and the exit code is 3.

    Example: spark-deid redact < server.log > redacted.log

    Example: spark-deid redact --json --option text_column=note --option id_column=id < notes.jsonl
    """
    if options and not as_json:
        raise UsageError("--option: plain lines have no options. Add --json")
    redactor = app.line_redactor(plan, overrides or (), lang)
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    lines = redactor.records(incoming, named_values(options or (), "--option")) if as_json else redactor.lines(incoming)
    rejects: Counter[str] = Counter()
    with compilation_message():
        for number, line in enumerate(lines, 1):
            outgoing.write(line.written)
            outgoing.flush()
            if line.warning:
                _say(f"warning: line {number}: {line.warning}")
            if line.rejected:
                rejects[line.rejected.partition(":")[0]] += 1
                if rejects.total() <= _SHOWN_REJECTS:
                    _say(f"warning: line {number}: {line.rejected}")
    for warning in redactor.warnings():
        _say(f"warning: {warning}")
    if rejects:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
        _say(f"warning: rejected lines, by reason: {reasons}")


def _say(message: str) -> None:
    ERR.print(message, markup=False, highlight=False, soft_wrap=True)


def plans(
    name: Annotated[str | None, typer.Argument(help="A plan to show.")] = None,
    copy: Annotated[bool, typer.Option("--copy", help="Write the plan to NAME.yaml in the current folder.")] = False,
) -> None:
    """List the shipped plans, show one, or copy it to a file with --copy.

    Every command and function that needs a plan accepts these names.

    Example: spark-deid plans names --copy
    """
    if name is None:
        if copy:
            raise UsageError("--copy: expected the name of a plan, such as spark-deid plans names --copy")
        table = Table("plan", "what it does", title="Shipped plans", title_justify="left")
        for each in app.shipped_plans():
            table.add_row(each, app.describe_plan(each))
        OUT.print(table)
        return
    text = app.shipped_plan(name).read_text(encoding="utf-8")
    if not copy:
        typer.echo(text, nl=False)
        return
    target = Path(f"{name}.yaml")
    try:
        with target.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise UsageError(f"{target}: file already exists. Move it, or copy the plan in another folder") from None
    OUT.print(f"{target}: edit it, then run spark-deid explain {target}", markup=False, highlight=False)
