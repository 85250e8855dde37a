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
    reviewing,
)
from spark_deid.cli.command import CommandRow, command_function
from spark_deid.cli.option_hints import HintingCommand

_LEARN, _RELEASE, _TRY, _HELP = "Train and apply models", "Sanitize", "Check a release", "Tools"
_COMMANDS = (
    CommandRow(learning.train, _LEARN, "learning:TrainOptions", "learning:train"),
    CommandRow(learning.evaluate, _LEARN, "learning:EvaluateOptions", "evaluating:evaluate"),
    CommandRow(learning.calibrate, _LEARN, "learning:CalibrateOptions", "calibrating:calibrate"),
    CommandRow(learning.detect, _LEARN, "learning:DetectOptions", "learning:detect"),
    CommandRow(learning.export, _LEARN, "learning:ExportOptions", "learning:export"),
    CommandRow(learning.models, _LEARN, "learning:ModelsOptions", "model_cards:models"),
    CommandRow(reviewing.review, _LEARN),
    CommandRow(learning.features, _LEARN, "learning:FeaturesOptions", "token_features:features"),
    CommandRow(releasing.run, _RELEASE),
    CommandRow(releasing.explain, _RELEASE),
    CommandRow(releasing.try_plan, _RELEASE),
    CommandRow(redacting.plans, _RELEASE),
    CommandRow(redacting.redact, _RELEASE),
    CommandRow(releasing.repeats, _RELEASE, "corpora:RepeatsOptions", "releasing:repeats"),
    CommandRow(releasing.anonymize, _RELEASE, "tables:TableCommandOptions", "comparing:recode_table"),
    CommandRow(assessing.attack, _TRY, "assessing:AttackOptions", "assessing:attack"),
    CommandRow(assessing.assess, _TRY, "assessing:AssessOptions", "assessing:assess"),
    CommandRow(assessing.verify, _TRY, "assessing:VerifyOptions", "assessing:verify"),
    CommandRow(assessing.sample, _TRY, "assessing:SampleOptions", "sampling:sample"),
    CommandRow(assessing.restore, _TRY, "assessing:RestoreOptions", "restoring:restore_file"),
    CommandRow(corpora.convert, _HELP, "corpora:ConvertOptions", "corpora:convert"),
    CommandRow(corpora.synthesize, _HELP, "corpora:SynthesizeOptions", "corpora:synthesize"),
    CommandRow(machine.demo, _HELP),
    CommandRow(machine.doctor, _HELP),
    CommandRow(machine.version, _HELP),
)
_EXPERIMENTS = (
    CommandRow(experimenting.greedy, None, "experiments:GreedyExperimentOptions", "experimenting:experiment_greedy"),
    CommandRow(
        experimenting.plausibility,
        None,
        "experiments:PlausibilityExperimentOptions",
        "experimenting:experiment_plausibility",
    ),
    CommandRow(experimenting.repeats, None, "experiments:RepeatsExperimentOptions", "experimenting:experiment_repeats"),
    CommandRow(
        experimenting.representation,
        None,
        "experiments:RepresentationExperimentOptions",
        "experimenting:experiment_representation",
    ),
    CommandRow(
        experimenting.surrogates, None, "experiments:SurrogatesExperimentOptions", "experimenting:experiment_surrogates"
    ),
)
_ONTOLOGY = (
    CommandRow(ontologies.build, None, "corpora:BuildOntologyOptions", "ontologies:build_ontology"),
    CommandRow(ontologies.check, None, "corpora:CheckOntologyOptions", "ontologies:check_ontology"),
    CommandRow(ontologies.show, None, "corpora:ShowOntologyOptions", "ontologies:show_ontology"),
)
_REPRESENTATION = (
    CommandRow(representing.embeddings, None, "representation:EmbeddingsOptions", "vectors:build_embeddings"),
    CommandRow(
        representing.learn_embeddings, None, "representation:LearnEmbeddingsOptions", "vectors:learn_embeddings"
    ),
    CommandRow(representing.pseudonymize, None, "representation:PseudonymizeOptions", "pseudonymizing:pseudonymize"),
    CommandRow(
        representing.train, None, "representation:TrainRepresentationOptions", "publishing:train_representation"
    ),
    CommandRow(representing.transform, None, "representation:TransformOptions", "transforming:transform"),
    CommandRow(representing.pool, None, "representation:PoolOptions", "publishing:pool"),
)

cli = typer.Typer(
    name="spark-deid",
    help="Sanitize large text corpora on Spark before they are shared.\n\n"
    "English texts and no labels? [bold]spark-deid run names --input FOLDER --format text[/] hides names, "
    "places, dates and numbers. Review its report before you share the release. [bold]explain[/] describes a plan "
    "without running it. [bold]demo[/] trains on a bundled sample and releases another one. [bold]plans[/] lists the "
    "shipped plans, and docs/reference/plans.md has every key. [bold]redact[/] reads lines.",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
experiments = typer.Typer(help="Generate the tables and charts of the papers.", no_args_is_help=True)

ontology = typer.Typer(help="Build, show and check ontologies for generalization.", no_args_is_help=True)


@cli.callback()
def _entry(
    version: Annotated[
        bool, typer.Option("--version", callback=machine.print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None: ...


representation = typer.Typer(
    help="Share training data for de-identifiers: pseudonyms, or vectors that adversaries cannot read.",
    no_args_is_help=True,
)

for _group, _rows in (
    (cli, _COMMANDS),
    (experiments, _EXPERIMENTS),
    (ontology, _ONTOLOGY),
    (representation, _REPRESENTATION),
):
    for _row in _rows:
        _group.command(cls=HintingCommand, rich_help_panel=_row.panel)(command_function(_row))
cli.add_typer(experiments, name="experiment", rich_help_panel=_TRY)
cli.add_typer(ontology, name="ontology", rich_help_panel=_HELP)
cli.add_typer(representation, name="representation", rich_help_panel=_RELEASE)
