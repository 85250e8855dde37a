"""The command of the page to annotate and correct."""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from spark_deid import review as pages
from spark_deid.cli.options import FormatOptions, input_options
from spark_deid.cli.printing import OUT
from spark_deid.core.errors import UsageError

_PROJECT = typer.Argument(help="The private folder of the project.")


def review(
    project: Annotated[Path, _PROJECT],
    input_path: Annotated[
        str | None, typer.Option("--input", help="A local file, folder or glob. Needed on first use.")
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", help="Format of the input. Needed on first use.")
    ] = None,
    options: FormatOptions = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A model folder or shipped model that suggests spans. Repeatable."),
    ] = None,
    plan: Annotated[str | None, typer.Option("--plan", help="A plan whose detectors suggest spans.")] = None,
    labels: Annotated[str | None, typer.Option("--labels", help="Labels, separated by commas.")] = None,
    annotator: Annotated[str, typer.Option("--annotator", help="Name of the person who uses the link.")] = "a1",
    port: Annotated[int, typer.Option("--port", help="Port of the page. The default is a free one.", min=0)] = 0,
    origin: Annotated[
        list[str] | None,
        typer.Option("--origin", help="Origin of a proxy, such as https://hub.example.org. Repeatable."),
    ] = None,
    link: Annotated[bool, typer.Option("--link", help="Print a new link of the server that runs.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Verify the log, and exit.")] = False,
    backup: Annotated[
        Path | None, typer.Option("--backup", help="Copy the project to a new tar file, also while the server runs.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write the documents that are done to a new private folder as JSON lines."),
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="List the files of the project, and delete it.")] = False,
) -> None:
    """Annotate and correct a corpus on a page of this machine.

    The project folder contains only your actions and no text. Every action is synced to disk before the page shows
    it as saved. The page needs `pip install 'spark-deid[review]'`.

    Example: spark-deid review projects/notes --input notes/ --format text --model english

    Example: spark-deid review projects/notes --backup notes.tar
    """
    if check:
        OUT.print(pages.check_log(project), markup=False, highlight=False)
    elif backup is not None:
        OUT.print(pages.back_up(project, backup), markup=False, highlight=False)
    elif export is not None:
        OUT.print(pages.export(project, export), markup=False, highlight=False)
    elif delete:
        _delete(pages.list_files(project), project)
    else:
        _need_server()
        if link:
            OUT.print(pages.new_link(project, annotator), markup=False, highlight=False, soft_wrap=True)
            return
        given = pages.ProjectRequest(input_path, format_name, input_options(options), tuple(model or ()), plan, labels)
        pages.serve(project, given, annotator, port=port, origins=tuple(origin or ()), show=_show)


def _show(link: str) -> None:
    """Print the link; its secret is valid once and for ten minutes."""
    OUT.print(f"Open within ten minutes: {link}", markup=False, highlight=False, soft_wrap=True)
    OUT.print("Stop: Ctrl-C. New link: spark-deid review PROJECT --link --annotator NAME", markup=False)


def _delete(listing: str, project: Path) -> None:
    """Delete a project after its name was typed."""
    OUT.print(listing, markup=False, highlight=False, soft_wrap=True)
    name = os.path.basename(os.path.realpath(project))
    typed = typer.prompt(f"Type {name} to delete the project", default="", show_default=False)
    if typed != name:
        raise UsageError(f"{project}: the name differs, so the project is not deleted")
    pages.delete_project(project)
    OUT.print(f"Deleted: {project}", markup=False, highlight=False)


def _need_server() -> None:
    """Refuse an installation without the packages of the page."""
    if any(find_spec(name) is None for name in ("starlette", "uvicorn")):
        raise UsageError("review: expected Starlette and uvicorn. Run: pip install 'spark-deid[review]'")
