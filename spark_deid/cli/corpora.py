"""Commands that write a corpus in another format and make one."""

from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import Json, Master
from spark_deid.cli.printing import Progress, print_figures, write_json


def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, a folder or a glob.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A new folder.")],
    source_format: Annotated[str, typer.Option("--from", help="The format of IN.")],
    target_format: Annotated[str, typer.Option("--to", help="The format of OUT.")],
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Write a corpus in another format.

    Example: spark-deid convert --from brat --to jsonl notes/ notes-jsonl/
    """
    figures = app.convert(source, source_format, target, target_format, master=master, progress=Progress())
    print_figures("Converted", figures)
    write_json(json_file, figures)


def synthesize(
    documents: Annotated[int, typer.Option(min=1, help="How many documents; about 2.5 kB each.")],
    output: Annotated[str, typer.Option(help="A new folder for the documents, with gold spans inside.")],
    seed: Annotated[int, typer.Option(help="Equal seeds give equal corpora.")] = 0,
    output_format: Annotated[str, typer.Option("--format", help="The format of the documents.")] = "jsonl",
    persons: Annotated[str | None, typer.Option(help="Where the table of persons goes; a new folder.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Make a test corpus of invented notes and mail, with exact gold spans.

    Example: spark-deid synthesize --documents 1000 --seed 7 --format jsonl --output corpus/
    """
    figures = app.synthesize(
        documents, seed, output_format, output, persons=persons, master=master, progress=Progress()
    )
    print_figures("Synthesized", figures)
    write_json(json_file, figures)
