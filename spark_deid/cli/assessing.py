"""Commands that try a finished release."""

from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import (
    Format,
    Json,
    Master,
    chosen_background,
    split_commas,
    split_numbers,
)
from spark_deid.cli.printing import Progress, print_attack, print_figures, write_json
from spark_deid.core.errors import GateRefused
from spark_deid.repeats.settings import Unit


def attack(
    release: Annotated[str, typer.Option(help="A finished release.")],
    workspace: Annotated[str, typer.Option(help="The workspace of its run: its edits move gold to the release.")],
    gold: Annotated[str, typer.Option(help="Labelled documents of the release.")],
    input_format: Format,
    labels: Annotated[
        str | None, typer.Option(help="Labels of identifiers, with commas between; every label by default.")
    ] = None,
    learners: Annotated[
        str | None, typer.Option(help="The attackers' learners, with commas between; all of this package by default.")
    ] = None,
    features: Annotated[
        str, typer.Option(help="The attackers' feature set where no model made the release; else they have its own.")
    ] = "rich",
    stronger: Annotated[str, typer.Option(help="The feature set of strong attackers.")] = "full",
    background: Annotated[
        str | None,
        typer.Option(help="Models of other text that help strong attackers: shipped ones, or folders; or none."),
    ] = None,
    loss_ratio: Annotated[
        float | None, typer.Option(min=0, help="L/C; that of the release's model by default, or 10.")
    ] = None,
    budgets: Annotated[str | None, typer.Option(help="Numbers of inspected words, with commas between.")] = None,
    public: Annotated[str | None, typer.Option(help="Labelled text of another origin, for attackers too.")] = None,
    public_format: Annotated[str | None, typer.Option(help="Its format.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds: attackers learn on the others than they inspect.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of folds, intervals and simulation.")] = 0,
    simulate: Annotated[int, typer.Option(min=0, help="Also simulate the order of inspection, so many times.")] = 0,
    vc_dimension: Annotated[
        float | None, typer.Option(min=1, help="VC dimension for the sampling bounds; a measured difference else.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that train at a time; every core.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Attack a finished release as the paper's attacker does, and count what he finds.

    Attackers learn on labelled documents of the published text and inspect the others: the publisher's own way, every
    learner with the publisher's features, every learner with stronger ones, and with --public every learner on other
    data; all with plain and with cost-sensitive decoding. Says how many identifiers are left, and how many of them an
    attacker finds on a budget of inspections.

    Example: spark-deid attack --release out/release --workspace out/workspace --gold notes/labelled --format brat
    """
    report = app.attack(
        release,
        workspace,
        gold,
        input_format,
        labels=split_commas(labels),
        learners=split_commas(learners),
        features=features,
        stronger=stronger,
        background=chosen_background(background, stronger),
        loss_ratio=loss_ratio,
        budgets=split_numbers(budgets),
        public=public,
        public_format=public_format,
        folds=folds,
        seed=seed,
        simulate=simulate,
        vc_dimension=vc_dimension,
        workers=workers,
        master=master,
        progress=Progress(),
    )
    print_attack(report)
    write_json(json_file, report)


def assess(
    release: Annotated[str, typer.Option(help="A release, or the output of repeats.")],
    k: Annotated[int, typer.Option(min=2, help="What every run of the release must reach.")],
    unit: Annotated[Unit, typer.Option(help="What k counts.")],
    workspace: Annotated[str | None, typer.Option(help="The workspace of the release: its originals count.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Count in the released texts alone.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="Count at most so many distinct runs.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Count every run of a release again, by another algorithm; exit code 3 says that one is too rare.

    Example: spark-deid assess --release out/common --workspace out/private --k 5 --unit document
    """
    figures = app.assess(
        release,
        workspace=workspace,
        k=k,
        unit=unit.value,
        published=published,
        sample=sample,
        master=master,
        progress=Progress(),
    )
    print_figures("Assessed", figures)
    write_json(json_file, figures)
    if not figures["satisfied"]:
        raise typer.Exit(GateRefused.exit_code)
