"""Commands that carry out a plan and say what it would do."""

from pathlib import Path
from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import FormatOptions, Json, Master, input_options, takes
from spark_deid.cli.printing import OUT, Progress, print_figures, write_json


def run(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML; conf/ holds complete ones.")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="path.to.key=value, over the plan's own; may be repeated.")
    ] = None,
    options: FormatOptions = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Carry out a plan: read, detect, edit, check, release.

    The release appears with one commit, or not at all; exit code 3 says that a check refused it.

    Example: spark-deid run conf/patterns.yaml --set input.path=notes/ --set release=out/release
    """
    released = app.run(plan, (*(overrides or ()), *input_options(options)), master=master, progress=Progress())
    print_figures("Released", released.to_json())
    write_json(json_file, released.to_json())


def explain(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML.")],
    overrides: Annotated[list[str] | None, typer.Option("--set", help="path.to.key=value; may be repeated.")] = None,
    options: FormatOptions = None,
) -> None:
    """Say what a plan would do, without doing it; no Spark is started.

    Example: spark-deid explain conf/suppress.yaml
    """
    OUT.print(
        app.explain(plan, (*(overrides or ()), *input_options(options))), markup=False, highlight=False, soft_wrap=True
    )


@takes(app.RepeatsOptions)
def repeats(options: app.RepeatsOptions) -> app.Hidden:
    """Hide every stretch of text that fewer than k persons or documents share, and nothing else.

    Example: spark-deid repeats --input notes/ --format text --output out/common --k 5
    """
    hidden = app.repeats(options, Progress())
    print_figures("Hidden", hidden.shown())
    return hidden


@takes(app.AnonymizeOptions)
def anonymize(options: app.AnonymizeOptions) -> app.Anonymized:
    """Recode the quasi-identifiers of a table of people so that every class satisfies privacy models.

    A class is all rows that agree on the quasi-identifiers. The table is written only if a recount by another
    algorithm holds; exit code 3 says that no recoding does. Persons become keyed hashes, and columns that nobody names
    are not written.

    Example: spark-deid anonymize --input p.parquet --quasi age,zip --sensitive disease --model k=5,l=2 --output out
    """
    done = app.anonymize(options, Progress())
    print_figures("Anonymized", done.shown())
    return done
