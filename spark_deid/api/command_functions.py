"""The commands as functions: one keyword per option, with the option's name."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from spark_deid import app
from spark_deid.api import representation as representation
from spark_deid.api.option_keywords import AttackKeywords, EvaluateKeywords, TrainKeywords
from spark_deid.api.plan import Plan, PlanLike, methods_of
from spark_deid.core.errors import UsageError
from spark_deid.corpus.formats import NO_OPTIONS
from spark_deid.corpus.spark.read import read_corpus as read
from spark_deid.engine.session import build_session, running_session
from spark_deid.plan.clock import Progress, say_nothing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_deid.corpus.spark.read import CorpusReading


def run(
    plan: str | Path, overrides: Sequence[str] = (), *, master: str | None = None, progress: Progress = say_nothing
) -> app.ReleaseFigures:
    """Run the plan of a file.

    Args:
        plan: The name of a shipped plan, or a file.
        overrides: Values as after ``--set``: ``path.to.key=value``.
        master: A Spark master, by default the local cores.
        progress: A function that receives the name of each step.

    Returns:
        The figures of the release.

    Raises:
        GateRefused: A check refuses, so there is no release.
        UsageError: The plan or an override is wrong.
    """
    return Plan.load(plan, overrides).run(master=master, progress=progress)


def train(
    input: str | Path,
    format: str,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[TrainKeywords],
) -> app.TrainingFigures:
    """Train a model on labelled text.

    Args:
        input: The labelled corpus: a file, a folder or a glob.
        format: The format of the corpus.
        output: The new model folder.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid train``, such as ``max_rounds=2``.

    Returns:
        The figures of the training.

    Raises:
        UsageError: Options are wrong. The message lists all of them, before the corpus is read.
    """
    given = {"input": str(input), "format": format, "output": Path(output), **options}
    return app.train(app.TrainOptions(**_any(given)), progress)


def evaluate(
    gold: str | Path,
    format: str,
    *,
    model: str | Path | None = None,
    spans: str | Path | None = None,
    plan: PlanLike | None = None,
    progress: Progress = say_nothing,
    **options: Unpack[EvaluateKeywords],
) -> app.EvaluationFigures:
    """Score a model, a table of spans, or a plan.

    A plan does not see the gold annotations and writes nothing: its input, workspace and release are ignored.

    Args:
        gold: The labelled corpus: a file, a folder or a glob.
        format: The format of the corpus.
        model: A model folder, or the name of a shipped model.
        spans: A table of spans, such as that of a workspace.
        plan: A plan. ``residual`` of the figures counts the identifiers that it leaves.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid evaluate``.

    Returns:
        The scores.

    Raises:
        UsageError: Not exactly one of ``model``, ``spans`` and ``plan`` is given, or an option is wrong.
    """
    settings = None if plan is None or isinstance(plan, str | Path) else methods_of(plan).settings
    places = {"model": None if model is None else Path(model), "spans": None if spans is None else str(spans)}
    if settings is not None and options.get("overrides"):
        raise UsageError("overrides: only the path of a plan can have overrides. Set the values in the Plan instead")
    named = None if plan is None else Path(plan) if isinstance(plan, str | Path) else Path("plan")
    given = {"gold": str(gold), "format": format, **places, "plan": named, **options}
    chosen = app.EvaluateOptions(**_any(given))
    return app.evaluate(chosen, progress) if settings is None else app.evaluate_plan(settings, chosen, progress)


def attack(
    release: str | Path,
    workspace: str | Path,
    gold: str | Path,
    format: str,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[AttackKeywords],
) -> app.AttackFigures:
    """Attack a finished release with labelled documents of its text.

    Args:
        release: The folder of the release.
        workspace: The workspace of its run.
        gold: The labelled documents: a file, a folder or a glob.
        format: The format of the labelled documents.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid attack``.

    Returns:
        The identifiers that attackers find, with intervals.
    """
    given = {"release": str(release), "workspace": str(workspace), "gold": str(gold), "format": format, **options}
    return app.attack(app.AttackOptions(**_any(given)), progress)


def read_corpus(
    path: str | Path, format: str, *, options: Mapping[str, str] = NO_OPTIONS, spark: "SparkSession | None" = None
) -> "CorpusReading":
    """Read a corpus as DataFrames.

    Args:
        path: A file, a folder or a glob.
        format: The format of the corpus.
        options: Options of the format, such as ``{"text_column": "note"}``.
        spark: The session, by default the running one, otherwise a new one that remains.

    Returns:
        ``documents``, ``spans`` (the annotations), ``rejects`` and the ``inventory``.

    Raises:
        CorpusError: No document can be read.
    """
    return read(spark or running_session() or build_session(), str(path), format, options=options)


def _any(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options to be checked when they are made into what a use case takes."""
    return dict(options)
