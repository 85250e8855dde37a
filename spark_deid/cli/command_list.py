"""Every command, in the order in which help lists them."""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Signature
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from spark_deid.cli import (
    assessing,
    corpora,
    experimenting,
    learning,
    machine,
    redacting,
    releasing,
    representing,
    reviewing,
)
from spark_deid.cli.figures_file import FIGURES
from spark_deid.cli.option_hints import WITH_OPTIONS, HintingCommand
from spark_deid.cli.printing import PrintedProgress
from spark_deid.core.errors import VerdictRefused

# A command as a row of the table: the function that prints its figures, its options, and its use case.
#
# Options and use case are named by text and imported when the command is used, so that help starts at once.


class CommandRow(NamedTuple):
    """A command.

    Attributes:
        show: Prints the figures of the use case and returns the exit code, None for 0. Its name is that of the
            command, its docstring the help. Without ``options`` it is the command itself, with its own parameters.
        panel: The heading in the list of commands.
        options: The class of its options, as ``module:Class`` below ``spark_deid.app.options``.
        use_case: A function of options and progress that returns figures, as ``module:function`` below
            ``spark_deid.app``.
    """

    show: Callable[..., int | None]
    panel: str | None
    options: str = ""
    use_case: str = ""


def command_function(row: CommandRow) -> Callable[..., Any]:
    """Return the function of a command; its parameters are known when ``with_options`` of it is called."""
    if not row.options:
        return row.show

    @wraps(row.show)
    def waiting() -> None:
        raise AssertionError("a command runs with its options")

    waiting.__annotations__, waiting.__dict__["__signature__"] = {}, Signature()
    waiting.__dict__[WITH_OPTIONS] = lambda: _with_options(row)
    return waiting


def _with_options(row: CommandRow) -> Callable[..., None]:
    """Make a function whose parameters are the options of a command; it writes figures to the file of ``--json``."""
    # Start-up: only a called command needs the parameters of its options.
    from spark_deid.cli.option_parameters import read_values, signature_of

    kind = _loaded("app.options", row.options)

    @wraps(row.show)
    def run(json_file: Path | None = None, help_all: bool = False, **given: Any) -> None:
        try:
            options = kind(**read_values(kind, given))
            figures = _loaded("app", row.use_case)(options, PrintedProgress())
        except VerdictRefused as error:
            FIGURES.finish({"output": None, **error.figures})
            raise
        code = row.show(figures, options)
        FIGURES.finish(figures.to_json())
        if code:
            raise typer.Exit(code)

    run.__annotations__, run.__dict__["__signature__"] = {}, signature_of(kind)
    return run


def _loaded(package: str, place: str) -> Any:
    """Import a name by its ``module:name`` below a package."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"spark_deid.{package}.{module}"), name)


_LEARN, _RELEASE, _TRY, _HELP = "Train and apply models", "Sanitize", "Check a release", "Tools"
_COMMANDS = (
    CommandRow(learning.train, _LEARN, "learning:TrainOptions", "learning:train"),
    CommandRow(learning.evaluate, _LEARN, "learning:EvaluateOptions", "evaluating:evaluate"),
    CommandRow(learning.calibrate, _LEARN, "learning:CalibrateOptions", "calibrating:calibrate"),
    CommandRow(learning.detect, _LEARN, "learning:DetectOptions", "learning:detect"),
    CommandRow(learning.export, _LEARN, "learning:ExportOptions", "learning:export"),
    CommandRow(learning.models, _LEARN, "learning:ModelsOptions", "model_cards:models"),
    CommandRow(reviewing.review, _LEARN),
    CommandRow(learning.features, _LEARN, "learning:FeaturesOptions", "model_cards:features"),
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
    CommandRow(corpora.build, None, "corpora:BuildOntologyOptions", "ontologies:build_ontology"),
    CommandRow(corpora.check, None, "corpora:CheckOntologyOptions", "ontologies:check_ontology"),
    CommandRow(corpora.show, None, "corpora:ShowOntologyOptions", "ontologies:show_ontology"),
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
