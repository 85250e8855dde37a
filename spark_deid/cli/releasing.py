"""Commands that carry out a plan and say what it would do."""

from pathlib import Path
from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import Format, Input, Json, Master, Unit
from spark_deid.cli.printing import OUT, Progress, print_figures, write_json
from spark_deid.detection.rare import RepeatsSettings
from spark_deid.plan.load import check_repeats
from spark_deid.repeats.settings import MAX_K, Counted, Covering
from spark_deid.rewriting.mask import MaskSettings

_DEFAULTS = RepeatsSettings()
_COUNTED = Counted(_DEFAULTS.strict)


def run(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML; conf/ holds complete ones.")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="path.to.key=value, over the plan's own; may be repeated.")
    ] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Carry out a plan: read, detect, edit, check, release.

    The release appears with one commit, or not at all; exit code 3 says that a check refused it.

    Example: spark-deid run conf/patterns.yaml --set input.path=notes/ --set release=out/release
    """
    figures = app.run(plan, overrides or (), master=master, progress=Progress())
    print_figures("Released", figures)
    write_json(json_file, figures)


def explain(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML.")],
    overrides: Annotated[list[str] | None, typer.Option("--set", help="path.to.key=value; may be repeated.")] = None,
) -> None:
    """Say what a plan would do, without doing it; no Spark is started.

    Example: spark-deid explain conf/suppress.yaml
    """
    OUT.print(app.explain(plan, overrides or ()), markup=False, highlight=False, soft_wrap=True)


def repeats(
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="A new folder for documents, manifest.json and report.html.")],
    workspace: Annotated[
        str | None, typer.Option(help="A private folder that keeps originals and edits, for assess.")
    ] = None,
    k: Annotated[int, typer.Option(help=f"Hide what fewer than k share; 2 to {MAX_K}.")] = _DEFAULTS.k,
    min_length: Annotated[
        int, typer.Option(help="The fewest characters of a run that is kept.")
    ] = _DEFAULTS.min_length,
    unit: Annotated[
        Unit, typer.Option(help="What k counts; auto: persons where the input names them, else documents.")
    ] = Unit.auto,
    covering: Annotated[Covering, typer.Option(help="optimal, or greedy as in the paper.")] = _DEFAULTS.covering,
    cap: Annotated[
        int, typer.Option(help="Bytes up to which text is followed; no kept run is longer.")
    ] = _DEFAULTS.cap,
    strict: Annotated[
        Counted, typer.Option(help="published: every kept run is in k of the released texts, too.")
    ] = _COUNTED,
    shards: Annotated[
        int, typer.Option(help="Find in so many shards; by itself in one task where the text fits.")
    ] = _DEFAULTS.shards,
    mask_length: Annotated[bool, typer.Option("--mask-length", help="One star a character, not one a run.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Let the report compare other k and lengths.")] = False,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Hide every stretch of text that fewer than k persons or documents share, and nothing else.

    Example: spark-deid repeats --input notes/ --format text --output out/common --k 5
    """
    chosen = {
        "k": k,
        "min_length": min_length,
        "unit": unit.value,
        "covering": covering.value,
        "cap": cap,
        "strict": strict.value,
        "shards": shards,
        "sweep": sweep,
    }
    options = app.RepeatsOptions(
        input_path,
        input_format,
        output,
        settings=check_repeats(chosen),
        mask=MaskSettings(per="character" if mask_length else "run"),
        workspace=workspace,
    )
    figures = app.repeats(options, master=master, progress=Progress())
    shown = (
        "output",
        "documents",
        "characters",
        "runs",
        "hidden_characters",
        "unsuppressed_ratio",
        "rejects",
        "seconds",
    )
    print_figures("Hidden", {name: figures[name] for name in shown})
    write_json(json_file, figures)
