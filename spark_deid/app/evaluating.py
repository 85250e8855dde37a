"""Score a model, a table of spans, or what a plan hides, against gold."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from spark_deid.app.figures import EvaluationFigures, ResidualText
from spark_deid.app.inputs import (
    Progress,
    annotation_check,
    check_all,
    check_delta,
    models_given,
    no_progress,
    reading_check,
    unlabelled_notice,
)
from spark_deid.app.losses import tell_losses
from spark_deid.app.options.learning import EvaluateOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.app.sessions import kept_tables, open_session, read_once, tell_rejects
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import read_key

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.evaluation.residual_text import JudgedDocument
    from spark_deid.plan.config import MethodSettings


def evaluate(
    options: EvaluateOptions, progress: Progress = no_progress, settings: "MethodSettings | None" = None
) -> EvaluationFigures:
    """Score a model or a spans table against gold; with ``rounds`` each round of the model alone too.

    ``settings`` are those of the plan if its file is not to be read. ``labels`` leaves other labels out, of gold and of
    what was found; those of gold can be other names for the same.
    """
    from spark_deid.report.render import evaluation_page

    figures, worst = _scored(options, progress, settings)
    if options.page is not None:
        scored = options.model or options.spans or options.plan or "a plan"
        write_private_file(options.page, evaluation_page(figures.to_json(), PurePath(str(scored)).name, worst))
    return figures


def _scored(
    options: EvaluateOptions, progress: Progress, settings: "MethodSettings | None"
) -> tuple[EvaluationFigures, Sequence["JudgedDocument"]]:
    from pyspark.sql import functions as F

    from spark_deid.evaluation.spark import evaluate_corpus, labels_of
    from spark_deid.greedy.sanitizer import model_hash
    from spark_deid.greedy.spark.detect import detect as detect_spans
    from spark_deid.greedy.spark.detect import finder
    from spark_deid.storage.files import absolute_path

    check_all(
        *reading_check(options.gold, options.format, options.options),
        *annotation_check(options.gold, options.format, options.options, options.unlabelled),
        *models_given(options.model),
        *(partial(check_delta, str(place)) for place in (options.spans,) if place is not None),
    )
    plan = _plan_of(options, settings)
    digest = model_hash(options.model) if options.model else ""
    with (
        open_session("evaluate", options.master, options.gold, progress=progress) as spark,
        kept_tables() as keep,
        ExitStack() as temporary,
    ):
        reading = read_once(spark, options.gold, options.format, options.options, keep, progress)
        tell_losses(reading.inventory, progress)
        tell_rejects(reading, progress)
        documents, gold = reading.documents, reading.spans
        if reading.unlabelled and options.unlabelled == "leave":
            progress(f"warning: {unlabelled_notice(len(reading.unlabelled))}")
            left_out = F.broadcast(spark.createDataFrame([(each,) for each in reading.unlabelled], "doc_id string"))
            documents = documents.join(left_out, on="doc_id", how="left_anti")
        known = labels_of(gold)
        _check_labels(options.gold, known, tuple(options.renamed))
        residual: ResidualText | None = None
        worst: Sequence[JudgedDocument] = ()
        trained: Mapping[str, int] = {}
        if plan is not None:
            from spark_deid.app.scored_plan import models_trained_on, scored_plan

            carried = temporary.enter_context(scored_plan(spark, plan, reading, documents, options.scratch, progress))
            predicted, residual = carried.predicted, carried.residual()
            worst = carried.worst() if options.page is not None else ()
            trained = models_trained_on(plan, documents)
            _tell_plan(residual, trained, progress)
        elif options.model is not None:
            predicted = keep(detect_spans(documents, finder(spark, str(options.model), digest)))
        else:
            found = spark.read.format("delta").load(absolute_path(str(options.spans)))
            predicted = found.where(F.col("source") != "gold")
            if documents is not reading.documents:
                predicted = predicted.join(documents.select("doc_id"), on="doc_id", how="left_semi")
        trained_on = _trained_on(documents, options.model, progress)
        progress("score")
        if options.labels is not None:
            other = F.create_map(*(F.lit(name) for pair in options.renamed.items() for name in pair))
            gold = gold.withColumn("label", other[F.col("label")]).where(F.col("label").isNotNull())
            predicted = predicted.where(F.col("label").isin(*options.renamed.values()))
        scores = evaluate_corpus(documents, gold, predicted)
        if options.labels is None:
            _tell_other_names(gold, predicted, known, progress)
        if not options.rounds:
            return EvaluationFigures(scores, None, trained_on, residual, trained), worst
        sources = sorted(row["source"] for row in predicted.select("source").distinct().collect())
        return EvaluationFigures(
            scores,
            {name: evaluate_corpus(documents, gold, predicted.where(F.col("source") == name)) for name in sources},
            trained_on,
        ), worst


def _plan_of(options: EvaluateOptions, settings: "MethodSettings | None") -> "MethodSettings | None":
    """Return the plan that is to be scored, once it can be; None without a plan. Raises UsageError."""
    if options.plan is None:
        return None
    from spark_deid.app.scored_plan import check_scored, plan_to_score

    plan = plan_to_score(options.plan, options.overrides) if settings is None else settings
    check_scored(plan)
    return plan


def _tell_plan(residual: ResidualText, trained: Mapping[str, int], progress: Progress) -> None:
    """Report why a run of the plan would be refused, and which of its models know the text."""
    for why in residual.refused:
        progress(f"warning: a run of this plan would release nothing: {why.removeprefix('nothing is released: ')}")
    for name, count in trained.items():
        progress(f"warning: the model {name} was trained on {count} of these documents: scores on them flatter it")


def _tell_other_names(gold: "DataFrame", predicted: "DataFrame", known: set[str], progress: Progress) -> None:
    """Say how labels that go by another name in gold can be scored."""
    from spark_deid.evaluation.spark import labels_of, other_names

    found = labels_of(predicted)
    names = other_names(gold, predicted, known, found)
    if not names:
        return
    pairs = [f"{label}={names[label]}" if label in names else label for label in sorted(known & {*names, *found})]
    message = ", ".join(f"most of {label} is found as {other}" for label, other in names.items())
    progress(f"hint: {message}; to score them so: --labels {','.join(pairs)}")


def _trained_on(documents: "DataFrame", model: Path | None, progress: Progress) -> int:
    """Count the documents that a model was trained on, and say so: what it scores there tells nothing of others."""
    from spark_deid.greedy.files import KEY
    from spark_deid.greedy.spark.seen import count_seen
    from spark_deid.greedy.training_fingerprints import read_seen

    seen = read_seen(model) if model is not None else frozenset()
    if model is None or not seen:
        return 0
    count = count_seen(documents, seen, read_key(model / KEY))
    if count:
        progress(f"warning: the model was trained on {count} of these documents: scores on them tell nothing of others")
    return count


def _check_labels(gold: str, known: set[str], wanted: tuple[str, ...]) -> None:
    if not known:
        raise UsageError(f"{gold}: there is no annotation to score against")
    unknown = sorted(set(wanted) - known)
    if unknown:
        raise UsageError(
            f"labels: {', '.join(unknown)}: no annotation has it; expected some of {', '.join(sorted(known))}"
        )
