"""Commands that carry out a plan and say what it would do."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from spark_deid import app
from spark_deid.cli.figures_file import FIGURES
from spark_deid.cli.options import FormatOptions, Json, Master, input_options
from spark_deid.cli.printing import OUT, PrintedProgress, compilation_message, print_figures

Given = dict[str, str]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", help="path.to.key=value, over the plan's own; may be repeated.")
]
InputPath = Annotated[
    str | None, typer.Option("--input", help="A file, a folder or a glob, in place of the plan's input.path.")
]
FormatName = Annotated[str | None, typer.Option("--format", help="Its format, in place of input.format.")]
Workspace = Annotated[str | None, typer.Option(help="The private folder, in place of the plan's workspace.")]
Release = Annotated[str | None, typer.Option(help="The release, in place of the plan's; {date} is today.")]
Copy = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--to", metavar="FORMAT FOLDER", help="Also write what was released to a new folder: --to text out/txt."
    ),
]
IfExists = Annotated[
    Literal["fail", "skip"],
    typer.Option(
        help="Action if the release exists: fail, or skip the run if the release is unchanged and its run had the"
        " same plan, files of the plan, input, key, models and version; otherwise exit code 1 names what differs."
    ),
]


def run(
    plan: Annotated[Path, typer.Argument(help="A plan that comes with the package, or a file in YAML.")],
    input_path: InputPath = None,
    format_name: FormatName = None,
    workspace: Workspace = None,
    release: Release = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
    to: Copy = None,
    if_exists: IfExists = "fail",
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Carry out a plan: read, detect, edit, check, release.

    The release appears with one commit, or not at all; exit code 3 says that a check refused it. With --to, what was
    released is written in another format, too: under the same ids, so that names of files are those of the release.

    Example: spark-deid run names --input notes/ --format text --release out/release
    """
    given = _given(input_path, format_name, workspace, release, options)
    if if_exists == "skip":
        skipped = app.skip_repeated(plan, overrides or (), given, progress=PrintedProgress())
        if skipped is not None:
            print_figures("Skipped", skipped.to_json())
            FIGURES.finish(skipped.to_json())
            return
    with compilation_message():
        released = app.run(plan, overrides or (), given, to=to, master=master, progress=PrintedProgress())
    print_figures("Released", released.to_json())
    FIGURES.finish(released.to_json())


def explain(
    plan: Annotated[Path, typer.Argument(help="A plan that comes with the package, or a file in YAML.")],
    input_path: InputPath = None,
    format_name: FormatName = None,
    workspace: Workspace = None,
    release: Release = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
) -> None:
    """Say what a plan would do, without doing it, or all that is wrong with it; no Spark is started.

    Example: spark-deid explain names --input notes/ --format text
    """
    given = _given(input_path, format_name, workspace, release, options)
    with compilation_message():
        explained = app.explain(plan, overrides or (), given)
    OUT.print(explained, markup=False, highlight=False, soft_wrap=True)


def _given(
    input_path: str | None,
    format_name: str | None,
    workspace: str | None,
    release: str | None,
    options: list[str] | None,
) -> Given:
    """Return what was given of a plan's places, by the paths of their keys."""
    places = {"input.path": input_path, "input.format": format_name, "workspace": workspace, "release": release}
    return {key: value for key, value in places.items() if value is not None} | input_options(options)


def repeats(hidden: "app.RepeatsFigures", options: "app.RepeatsOptions") -> None:
    """Hide every stretch of text that fewer than k persons or documents share, and nothing else.

    Example: spark-deid repeats --input notes/ --format text --output out/common --k 5
    """
    print_figures("Hidden", hidden.headline())


def anonymize(done: "app.TableReleaseFigures", options: "app.AnonymizeOptions") -> None:
    """Recode the quasi-identifiers of a table of people so that every class satisfies privacy models.

    A class is all rows that agree on the quasi-identifiers. The table is written only if a recount by another
    algorithm holds; exit code 3 says that no recoding does. Persons become keyed hashes, and columns that nobody names
    are not written.

    Example: spark-deid anonymize --input p.parquet --quasi age,zip --sensitive disease --model k=5,l=2 --output out
    """
    print_figures("Anonymized", done.headline())
