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
    list[str] | None, typer.Option("--set", help="path.to.key=value, over the plan's own; may be repeated.")
]
_SHOWN_REJECTS = 10


def redact(
    plan: Annotated[Path, typer.Option(help="A plan that comes with the package, or a file in YAML.")] = Path("names"),
    as_json: Annotated[
        bool, typer.Option("--json", help="Lines are JSON objects, of which the text is redacted.")
    ] = False,
    lang: Annotated[
        str | None,
        typer.Option(
            help="The language of lines, such as es, where the plan has a model for each; else it is guessed."
        ),
    ] = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
) -> None:
    """Redact what flows through: lines in, and of each line what a run would release of it as a document of its own.

    No Spark is started. With --json a line is an object; its text and id come out, and the metadata that the plan lets
    through (--set 'metadata={ward: keep}'); every other field is left out, since it may name somebody, too. Ids are in
    doc_id, or where --option id_column=NAME says. A line that can't be read comes out empty, or as an object with its
    number and why ({"line": 3, "rejected": "no-text"}), and is told of. Exit code 3 says that a check refused a line,
    which ends the stream before it. A field may say the language of each object: --set language_column=lang; it goes
    before --lang.

    Example: spark-deid redact < server.log > redacted.log

    Example: spark-deid redact --json --option text_column=note --option id_column=id < notes.jsonl
    """
    if options and not as_json:
        raise UsageError("--option: lines have none; it goes with --json")
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
        _say(f"warning: lines that were rejected, by reason: {reasons}")


def _say(message: str) -> None:
    ERR.print(message, markup=False, highlight=False, soft_wrap=True)


def plans(
    name: Annotated[str | None, typer.Argument(help="A plan to show.")] = None,
    copy: Annotated[bool, typer.Option("--copy", help="Write it into this folder, as NAME.yaml.")] = False,
) -> None:
    """List the plans that come with the package, or show one; with --copy it becomes a file to change.

    Wherever a plan is named its name will do.

    Example: spark-deid plans names --copy
    """
    if name is None:
        if copy:
            raise UsageError("--copy: name the plan, such as spark-deid plans names --copy")
        table = Table("plan", "what it does", title="Plans that come with the package", title_justify="left")
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
        raise UsageError(f"{target}: is there already; move it, or copy the plan in another folder") from None
    OUT.print(f"{target}: change it, then spark-deid explain {target}", markup=False, highlight=False)
