"""Commands that draw the figures of the papers."""

from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import CountedUnit, Covering, Format, Input, Json, Master, Tokens
from spark_deid.cli.printing import Progress, print_curves, write_json


def repeats(
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="A new folder for results, edits, curves.svg and report.html.")],
    unit: Annotated[CountedUnit, typer.Option(help="What k counts; the paper: occurrence.")] = CountedUnit.occurrence,
    tokens: Annotated[
        Tokens, typer.Option(help="word, or space: all between white space, as in the paper.")
    ] = Tokens.word,
    covering: Annotated[Covering, typer.Option(help="greedy as in the paper, or optimal.")] = Covering.greedy,
    seed: Annotated[int, typer.Option(help="Seed of the development split.")] = 0,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Draw precision and recall of hiding rare text, of hiding rare words, and of both, for k from 2 to 18.

    Example: spark-deid experiment repeats --input notes/labelled --format brat --output out/curves
    """
    figures = app.experiment_repeats(
        input_path,
        input_format,
        output,
        unit=unit.value,
        tokens=tokens.value,
        covering=covering.value,
        seed=seed,
        master=master,
        progress=Progress(),
    )
    print_curves(figures)
    write_json(json_file, figures)
