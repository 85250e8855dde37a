"""Every command, in the order in which help lists them."""

from typing import Annotated

import typer

from spark_deid.cli import (
    assessing,
    corpora,
    experimenting,
    learning,
    machine,
    ontologies,
    redacting,
    releasing,
    representing,
)
from spark_deid.cli.option_hints import HintingCommand

_LEARN, _RELEASE, _TRY, _HELP = "Train and apply models", "Sanitize", "Check a release", "Tools"
_COMMANDS = (
    (learning.train, _LEARN),
    (learning.evaluate, _LEARN),
    (learning.calibrate, _LEARN),
    (learning.detect, _LEARN),
    (learning.export, _LEARN),
    (learning.models, _LEARN),
    (learning.features, _LEARN),
    (releasing.run, _RELEASE),
    (releasing.explain, _RELEASE),
    (redacting.plans, _RELEASE),
    (redacting.redact, _RELEASE),
    (releasing.repeats, _RELEASE),
    (releasing.anonymize, _RELEASE),
    (assessing.attack, _TRY),
    (assessing.assess, _TRY),
    (assessing.verify, _TRY),
    (assessing.sample, _TRY),
    (assessing.restore, _TRY),
    (corpora.convert, _HELP),
    (corpora.synthesize, _HELP),
    (machine.demo, _HELP),
    (machine.doctor, _HELP),
    (machine.version, _HELP),
)

cli = typer.Typer(
    name="spark-deid",
    help="Sanitize large text corpora on Spark before they are shared.\n\n"
    "English texts and no labels? [bold]spark-deid run names --input FOLDER --format text[/] hides names, "
    "places, dates and numbers; look at its report before you share. [bold]explain[/] says first what a plan would do, "
    "and [bold]demo[/] trains on a bundled sample and releases another. [bold]plans[/] lists whole plans, "
    "docs/reference/plans.md has every key, and [bold]redact[/] takes lines.",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
experiments = typer.Typer(help="Draw the figures of the papers.", no_args_is_help=True)

ontology = typer.Typer(help="Build, show and check ontologies for generalization.", no_args_is_help=True)


@cli.callback()
def _entry(
    version: Annotated[
        bool, typer.Option("--version", callback=machine.print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


representation = typer.Typer(
    help="Share what trains a de-identifier: pseudonyms, or vectors that adversaries can't read.", no_args_is_help=True
)

for _command, _panel in _COMMANDS:
    cli.command(cls=HintingCommand, rich_help_panel=_panel)(_command)
experiments.command(cls=HintingCommand)(experimenting.greedy)
experiments.command(cls=HintingCommand)(experimenting.plausibility)
experiments.command(cls=HintingCommand)(experimenting.repeats)
experiments.command(cls=HintingCommand)(experimenting.representation)
experiments.command(cls=HintingCommand)(experimenting.surrogates)
cli.add_typer(experiments, name="experiment", rich_help_panel=_TRY)
ontology.command(cls=HintingCommand)(ontologies.build)
ontology.command(cls=HintingCommand)(ontologies.check)
ontology.command(cls=HintingCommand)(ontologies.show)
cli.add_typer(ontology, name="ontology", rich_help_panel=_HELP)
representation.command(cls=HintingCommand)(representing.embeddings)
representation.command(cls=HintingCommand)(representing.learn_embeddings)
representation.command(cls=HintingCommand)(representing.pseudonymize)
representation.command(cls=HintingCommand)(representing.train)
representation.command(cls=HintingCommand)(representing.transform)
representation.command(cls=HintingCommand)(representing.pool)
cli.add_typer(representation, name="representation", rich_help_panel=_RELEASE)
