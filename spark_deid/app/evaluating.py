"""Score a model, a table of spans, or what a plan hides, against gold."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

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
from spark_deid.app.scored_plan import check_scored, models_trained_on, plan_to_score, scored_plan
from spark_deid.app.sessions import open_session, read_once, tell_rejects
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import read_key
from spark_deid.engine import functions as F
from spark_deid.engine.keeping import Keep, kept_tables
from spark_deid.engine.tables import read_delta
from spark_deid.evaluation.spark import evaluate_corpus, labels_of, other_names
from spark_deid.greedy.files import KEY
from spark_deid.greedy.sanitizer import model_hash
from spark_deid.greedy.spark import count_seen, finder
from spark_deid.greedy.spark import detect as detect_spans
from spark_deid.greedy.training_fingerprints import read_seen
from spark_deid.report.render import evaluation_page
from spark_deid.storage.files import absolute_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.corpus.spark.read import CorpusReading
    from spark_deid.evaluation.residual_text import JudgedDocument
    from spark_deid.plan.config import MethodSettings


def evaluate(options: EvaluateOptions, progress: Progress = no_progress) -> EvaluationFigures:
    """Score a model, a spans table or a plan against gold; with ``rounds`` each round of the model separately as well.

    ``labels`` omits other labels, of gold and of the spans found; labels of gold can be other names for the same.
    """
    return _evaluate(options, None, progress)


def evaluate_plan(
    settings: "MethodSettings", options: EvaluateOptions, progress: Progress = no_progress
) -> EvaluationFigures:
    """Score a plan of Python against gold, as ``evaluate`` scores a file."""
    return _evaluate(options, settings, progress)


def _evaluate(options: EvaluateOptions, settings: "MethodSettings | None", progress: Progress) -> EvaluationFigures:
    figures, worst = _scored(options, progress, settings)
    if options.page is not None:
        scored = options.model or options.spans or options.plan or "a plan"
        write_private_file(options.page, evaluation_page(figures.to_json(), PurePath(str(scored)).name, worst))
    return figures


class _FoundSpans(NamedTuple):
    """The spans of what is scored; of a plan, the text that it leaves, the worst documents, and models that know it."""

    predicted: "DataFrame"
    residual: ResidualText | None = None
    worst: Sequence["JudgedDocument"] = ()
    trained: Mapping[str, int] = MappingProxyType({})


def _scored(
    options: EvaluateOptions, progress: Progress, settings: "MethodSettings | None"
) -> tuple[EvaluationFigures, Sequence["JudgedDocument"]]:
    check_all(
        *reading_check(options.gold, options.format, options.options),
        *annotation_check(options.gold, options.format, options.options, options.unlabelled),
        *models_given(options.model),
        *(partial(check_delta, str(place)) for place in (options.spans,) if place is not None),
    )
    plan = _plan_of(options, settings)
    with (
        open_session("evaluate", options.master, options.gold, progress=progress, engine=options.engine) as spark,
        kept_tables() as keep,
        ExitStack() as temporary,
    ):
        reading = read_once(spark, options.gold, options.format, options.options, keep, progress)
        tell_losses(reading.inventory, progress)
        tell_rejects(reading, progress)
        documents = _labelled_documents(reading, options, progress)
        known = labels_of(reading.spans)
        _check_labels(options.gold, known, tuple(options.renamed))
        if plan is not None:
            found = _found_by_plan(plan, options, reading, documents, temporary, progress)
        else:
            found = _FoundSpans(_predicted(options, reading, documents, keep))
        trained_on = _trained_on(documents, options.model, progress)
        progress("score")
        figures = _figures(options, documents, reading.spans, found, known, progress)
        return replace(figures, trained_on=trained_on), found.worst


def _labelled_documents(reading: "CorpusReading", options: EvaluateOptions, progress: Progress) -> "DataFrame":
    """Return the documents, by the option without those that have no annotation."""
    documents = reading.documents
    if not reading.unlabelled or options.unlabelled != "leave":
        return documents
    progress(f"warning: {unlabelled_notice(len(reading.unlabelled))}")
    rows = [(each,) for each in reading.unlabelled]
    unlabelled = F.broadcast(documents.sparkSession.createDataFrame(rows, "doc_id string"))
    return documents.join(unlabelled, on="doc_id", how="left_anti")


def _found_by_plan(
    plan: "MethodSettings",
    options: EvaluateOptions,
    reading: "CorpusReading",
    documents: "DataFrame",
    temporary: ExitStack,
    progress: Progress,
) -> _FoundSpans:
    spark = documents.sparkSession
    carried = temporary.enter_context(scored_plan(spark, plan, reading, documents, options.scratch, progress))
    residual, trained = carried.residual(), models_trained_on(plan, documents)
    _tell_plan(residual, trained, progress)
    return _FoundSpans(carried.predicted, residual, carried.worst() if options.page is not None else (), trained)


def _predicted(options: EvaluateOptions, reading: "CorpusReading", documents: "DataFrame", keep: Keep) -> "DataFrame":
    """Return the spans of a model, or those of a table in the documents that are scored."""
    spark = documents.sparkSession
    if options.model is not None:
        return keep(detect_spans(documents, finder(spark, str(options.model), model_hash(options.model))))
    found = read_delta(spark, absolute_path(str(options.spans)))
    predicted = found.where(F.col("source") != "gold")
    if documents is reading.documents:
        return predicted
    return predicted.join(documents.select("doc_id"), on="doc_id", how="left_semi")


def _figures(
    options: EvaluateOptions,
    documents: "DataFrame",
    gold: "DataFrame",
    found: _FoundSpans,
    known: set[str],
    progress: Progress,
) -> EvaluationFigures:
    """Return the scores of all spans, and if rounds are requested those of each round."""
    predicted = found.predicted
    if options.labels is not None:
        other = F.create_map(*(F.lit(name) for pair in options.renamed.items() for name in pair))
        gold = gold.withColumn("label", other[F.col("label")]).where(F.col("label").isNotNull())
        predicted = predicted.where(F.col("label").isin(*options.renamed.values()))
    scores = evaluate_corpus(documents, gold, predicted)
    if options.labels is None:
        _tell_other_names(gold, predicted, known, progress)
    if not options.rounds:
        return EvaluationFigures(scores, None, 0, found.residual, found.trained)
    sources = sorted(row["source"] for row in predicted.select("source").distinct().collect())
    by_round = {name: evaluate_corpus(documents, gold, predicted.where(F.col("source") == name)) for name in sources}
    return EvaluationFigures(scores, by_round)


def _plan_of(options: EvaluateOptions, settings: "MethodSettings | None") -> "MethodSettings | None":
    """Return the plan that is to be scored, once it can be; None without a plan. Raises UsageError."""
    if options.plan is None:
        return None
    plan = plan_to_score(options.plan, options.overrides) if settings is None else settings
    check_scored(plan)
    return plan


def _tell_plan(residual: ResidualText, trained: Mapping[str, int], progress: Progress) -> None:
    """Report why a run of the plan would be refused, and which of its models know the text."""
    for why in residual.refused:
        progress(
            f"warning: a run of this plan would not publish a release: {why.removeprefix('nothing is released: ')}"
        )
    for name, count in trained.items():
        progress(f"warning: the model {name} was trained on {count} of these documents, so its scores are too high")


def _tell_other_names(gold: "DataFrame", predicted: "DataFrame", known: set[str], progress: Progress) -> None:
    """Show how to score labels that have another name in gold."""
    found = labels_of(predicted)
    names = other_names(gold, predicted, known, found)
    if not names:
        return
    pairs = [f"{label}={names[label]}" if label in names else label for label in sorted(known & {*names, *found})]
    message = ", ".join(f"most {label} entities are found as {other}" for label, other in names.items())
    progress(f"hint: {message}. To count them as equal, set --labels {','.join(pairs)}")


def _trained_on(documents: "DataFrame", model: Path | None, progress: Progress) -> int:
    """Count the documents that a model was trained on, and warn: its scores there are too good."""
    seen = read_seen(model) if model is not None else frozenset()
    if model is None or not seen:
        return 0
    count = count_seen(documents, seen, read_key(model / KEY))
    if count:
        progress(f"warning: the model was trained on {count} of these documents, so its scores are too high")
    return count


def _check_labels(gold: str, known: set[str], wanted: tuple[str, ...]) -> None:
    if not known:
        raise UsageError(f"{gold}: expected annotations to score against, found no annotation")
    unknown = sorted(set(wanted) - known)
    if unknown:
        raise UsageError(
            f"labels: {', '.join(unknown)}: no annotation has this label. Expected some of {', '.join(sorted(known))}"
        )
