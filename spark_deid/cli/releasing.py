"""Commands that run or explain a plan."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from spark_deid import app
from spark_deid.cli.figures_file import FIGURES
from spark_deid.cli.options import Engine, FormatOptions, Json, Master, input_options
from spark_deid.cli.printing import (
    OUT,
    PrintedProgress,
    compilation_message,
    print_comparison,
    print_figures,
    print_trial,
)

Given = dict[str, str]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", help="Value that overrides the plan, as path.to.key=value. Repeatable.")
]
InputPath = Annotated[
    str | None, typer.Option("--input", help="A file, a folder or a glob. Overrides the plan's input.path.")
]
FormatName = Annotated[str | None, typer.Option("--format", help="Format of the input. Overrides input.format.")]
Workspace = Annotated[str | None, typer.Option(help="The private folder. Overrides the plan's workspace.")]
Release = Annotated[str | None, typer.Option(help="Folder of the release. {date} is today.")]
Copy = Annotated[
    tuple[str, str] | None,
    typer.Option(
        "--to",
        metavar="FORMAT FOLDER",
        help="Also write the release to a new folder in another format: --to text out/txt.",
    ),
]
KeepColumns = Annotated[
    bool,
    typer.Option(
        "--keep-columns",
        help="Publish all columns. --to writes the input's table.",
    ),
]
IfExists = Annotated[
    Literal["fail", "skip"],
    typer.Option(
        help="Action if the release exists: fail, or skip. skip exits with 0 if the release is unchanged and its "
        "run had the same plan, input, key, models and version. Otherwise it exits with 1."
    ),
]


def run(
    plan: Annotated[Path, typer.Argument(help="A shipped plan, or a YAML file.")],
    input_path: InputPath = None,
    format_name: FormatName = None,
    workspace: Workspace = None,
    release: Release = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
    to: Copy = None,
    keep_columns: KeepColumns = False,
    if_exists: IfExists = "fail",
    master: Master = None,
    engine: Engine = None,
    json_file: Json = None,
) -> None:
    """Run a plan: read, detect, edit, check and release.

    The release is published in one commit, or not at all. Exit code 3 means that a check refused it. With --to, the
    release is also written in another format. Its files are named after the document ids of the release.

    Example: spark-deid run names --input notes/ --format text --release out/release
    """
    given = _given(input_path, format_name, workspace, release, options)
    given |= {} if engine is None else {"engine": engine}
    if keep_columns:
        given["columns"] = "all"
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
    plan: Annotated[Path, typer.Argument(help="A shipped plan, or a YAML file.")],
    input_path: InputPath = None,
    format_name: FormatName = None,
    workspace: Workspace = None,
    release: Release = None,
    overrides: Overrides = None,
    options: FormatOptions = None,
) -> None:
    """Describe the steps of a plan, or list all its errors. Reads no more than the first records and starts no Spark.

    Example: spark-deid explain names --input notes/ --format text
    """
    given = _given(input_path, format_name, workspace, release, options)
    with compilation_message():
        explained = app.explain(plan, overrides or (), given)
    OUT.print(explained, markup=False, highlight=False, soft_wrap=True)


def try_plan(
    plan: Annotated[Path, typer.Argument(help="A shipped plan, or a YAML file.")],
    input_path: InputPath = None,
    format_name: FormatName = None,
    documents: Annotated[int, typer.Option(min=1, max=1000, help="Number of documents to show.")] = 10,
    overrides: Overrides = None,
    options: FormatOptions = None,
) -> None:
    """Show documents before and after a plan. Writes no file.

    The documents are drawn at random from the first 1,000. The output shows originals.

    Example: spark-deid try names --input notes/ --format text --documents 5
    """
    given = _given(input_path, format_name, None, None, options)
    with compilation_message():
        trial = app.try_plan(plan, overrides or (), given, documents, PrintedProgress())
    print_trial(trial)


try_plan.__name__ = "try"  # a keyword of Python


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
    """Hide all text that occurs for fewer than k people or documents.

    Example: spark-deid repeats --input notes/ --format text --output out/common --k 5
    """
    print_figures("Hidden", hidden.headline())


def anonymize(done: "app.TableReleaseFigures | app.ComparisonFigures", options: "app.TableCommandOptions") -> None:
    """Recode the quasi-identifiers of a table of people so that it satisfies privacy models.

    Rows with equal quasi-identifiers form an equivalence class. The table is written only if a separate algorithm
    confirms the models. Exit code 3 means that no recoding satisfies them. Identities become keyed hashes. Columns that
    no option names are not written. --compare k=5,10,20 reports loss, risk and omitted rows by setting instead.

    Example: spark-deid anonymize --input p.parquet --quasi age,zip --sensitive disease --model k=5,l=2 --output out
    """
    if isinstance(done, app.ComparisonFigures):
        print_comparison(done)
    else:
        print_figures("Anonymized", done.headline())
