"""What the commands do, as functions: a keyword for each option, named as the command names it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from spark_deid import app
from spark_deid.api import representation as representation
from spark_deid.api.option_keywords import AttackKeywords, EvaluateKeywords, TrainKeywords
from spark_deid.api.plan import Plan, PlanLike, methods_of
from spark_deid.core.errors import UsageError
from spark_deid.corpus.formats import NO_OPTIONS
from spark_deid.plan.clock import Progress, say_nothing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_deid.corpus.spark.read import CorpusReading


def run(
    plan: str | Path, overrides: Sequence[str] = (), *, master: str | None = None, progress: Progress = say_nothing
) -> app.ReleaseFigures:
    """Carry out the plan of a file; ``overrides`` are ``path.to.key=value``, as after ``--set``.

    Raises GateRefused where a check refuses.
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
    """Learn a model from labelled text; options are those of ``spark-deid train``, such as ``max_rounds=2``.

    Raises UsageError, with every option that is wrong, before anything is read.
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
    """Score a model, a table of spans, or what a plan hides; options are those of ``spark-deid evaluate``.

    A plan does not see gold, and writes nothing: its input, workspace and release are ignored. ``residual`` of the
    figures counts what it leaves.
    """
    settings = None if plan is None or isinstance(plan, str | Path) else methods_of(plan).settings
    places = {"model": None if model is None else Path(model), "spans": None if spans is None else str(spans)}
    if settings is not None and options.get("overrides"):
        raise UsageError("overrides: expected the path of a plan; a Plan has its values")
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
    """Attack a finished release with labelled documents of it; options are those of ``spark-deid attack``."""
    given = {"release": str(release), "workspace": str(workspace), "gold": str(gold), "format": format, **options}
    return app.attack(app.AttackOptions(**_any(given)), progress)


def read_corpus(
    path: str | Path, format: str, *, options: Mapping[str, str] = NO_OPTIONS, spark: "SparkSession | None" = None
) -> "CorpusReading":
    """Read a corpus as DataFrames: ``documents``, ``spans`` (its annotations), ``rejects``; and its ``inventory``.

    The session is the running one, else a new one that stays. Raises CorpusError where nothing is readable.
    """
    from spark_deid.corpus.spark.read import read_corpus as read
    from spark_deid.engine.session import build_session, running_session

    return read(spark or running_session() or build_session(), str(path), format, options=options)


def _any(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options to be checked when they are made into what a use case takes."""
    return dict(options)
