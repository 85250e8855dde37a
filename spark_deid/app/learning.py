"""Learn a model, score it, annotate with it and give it away."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.figures import (
    ConversionFigures,
    ExportFigures,
    Json,
    TrainingFigures,
)
from spark_deid.app.inputs import (
    Progress,
    annotation_check,
    check_all,
    check_output,
    models_given,
    no_progress,
    read_labelled,
    reading_check,
)
from spark_deid.app.losses import tell_formulas, tell_skipped
from spark_deid.app.options.learning import DetectOptions, ExportOptions, TrainOptions
from spark_deid.app.sessions import are_spread, open_session, open_workers, read_once, tell_rejects, tell_written
from spark_deid.core.document import Document
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.hashing import random_key, read_key
from spark_deid.corpus.spark.read import write_corpus
from spark_deid.detection.context.detector import correlations_of
from spark_deid.detection.context.rules import SUFFIX, CorrelationSettings, find_rules, label_terms, terms_by_label
from spark_deid.engine.keeping import kept_tables
from spark_deid.evaluation.score import evaluate as score
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.files import check_destination
from spark_deid.greedy.learning_curve import learning_curve
from spark_deid.greedy.sanitizer import load_sanitizer, model_hash
from spark_deid.greedy.spark import detect as detect_spans
from spark_deid.greedy.spark import finder
from spark_deid.greedy.train import train as train_sanitizer
from spark_deid.greedy.training_fingerprints import write_seen
from spark_deid.greedy.training_settings import SELECTION, TrainingSettings
from spark_deid.learners.background import uses_of
from spark_deid.learners.registry import LEARNERS
from spark_deid.plan.load import load_plan
from spark_deid.report.render import training_report
from spark_deid.text.patterns.detector_kind import pattern_detector

if TYPE_CHECKING:
    from spark_deid.greedy.sanitizer import GreedySanitizer


def train(options: TrainOptions, progress: Progress = no_progress) -> TrainingFigures:
    """Learn a model by GreedySanitize from labelled text; return its training report.

    ``context`` is a plan: terms that give its categories of route ``label`` away are labels to be learned and removed.
    Fits run in ``workers`` processes of this machine, or as tasks of Spark on ``master``; the model is the same.

    Raises UsageError where the output is not empty, before anything is learned.
    """
    _check_places(options)
    documents = read_labelled(options.input, options.format, options.options, options.unlabelled, progress)
    chosen = options.of(TrainingSettings)
    record: Json = {}
    if options.context is not None:
        documents, record = _with_context(documents, _correlations(options.context), progress)
        if options.labels is not None:
            chosen["labels"] = (*options.labels, *(f"{label}{SUFFIX}" for label in sorted(record)))
    chosen["background"] = tuple(use.place for use in uses_of(options.background))
    if options.patterns is not None:
        plan = load_plan(options.patterns)
        chosen |= {"placeholders": plan.placeholders, "patterns": pattern_detector(plan)}
    config = TrainConfig(**chosen, key=read_key(options.key_file) if options.key_file else random_key())
    with open_workers("train", options.master, options.workers) as crew:
        sanitizer = train_sanitizer(documents, config, progress, workers=crew)
        if sanitizer.rounds and options.learning_curve:
            more_results = learning_curve(documents, config, sanitizer.rounds[0].decoding, progress, workers=crew)
            sanitizer = replace(sanitizer, report={**sanitizer.report, "learning_curve": more_results})
    if not sanitizer.rounds:
        raise SparkDeidError(f"{options.output}: not written: {sanitizer.report['message']}")
    report: Json = {**sanitizer.report, "context": {**record}}
    replace(sanitizer, report=report).save(options.output)
    write_seen(options.output, (document.text for document in documents), config.key)
    (options.output / "training.html").write_text(training_report(report), encoding="utf-8")
    return TrainingFigures(options.output, report)


def _check_places(options: TrainOptions) -> None:
    """Check, before anything is read, what the options of a training name."""
    check_all(
        partial(check_destination, options.output),
        *reading_check(options.input, options.format, options.options),
        *annotation_check(options.input, options.format, options.options, options.unlabelled),
        *(partial(load_plan, path) for path in (options.patterns,) if path),
        *(partial(_correlations, path) for path in (options.context,) if path),
        *(partial(read_key, path) for path in (options.key_file,) if path),
        *(partial(LEARNERS.find, name) for name in (options.learner,) if name != SELECTION),
        partial(uses_of, options.background),
        partial(are_spread, "train", options.master, options.workers),
    )


def _correlations(plan: Path) -> tuple[CorrelationSettings, ...]:
    """Return a plan's categories of route label; raises UsageError if it lacks one."""
    correlations = correlations_of(load_plan(plan), "label")
    if not correlations:
        raise UsageError(
            "--context: expected a plan whose context has a category with route label: {NAME: {route: label}}"
        )
    return correlations


def _with_context(
    documents: Sequence[Document], correlations: tuple[CorrelationSettings, ...], progress: Progress
) -> tuple[tuple[Document, ...], Json]:
    """Label the terms that give categories away; return documents, and what was found, a category each."""
    rules = find_rules(documents, correlations)
    terms = terms_by_label(rules)
    record: Json = {
        label: {
            "rules": sum(rule.label == label for rule in rules),
            "terms": sum(each == label for each in terms.values()),
        }
        for label in sorted(set(terms.values()))
    }
    counted = ", ".join(f"{label} {each['terms']}" for label, each in record.items()) or "none"
    progress(f"context: terms that reveal identifiers, by category: {counted}")
    return label_terms(documents, terms), record


def export(options: ExportOptions, progress: Progress = no_progress) -> ExportFigures:
    """Write a model to give away: without key, features that carry words, train lexicon, and custom patterns.

    With ``gold``, labelled text that the model was not trained on, the figures state what of the strict and the binary
    token F1 is lost; nothing else can show. Raises ModelError for a model that can't be exported.
    """
    check_all(
        partial(check_destination, options.output),
        *models_given(options.model),
        *reading_check(options.gold, options.format, options.options),
        *annotation_check(options.gold, options.format, options.options, options.unlabelled),
    )
    whole = load_sanitizer(options.model)
    progress("remove features that contain words")
    public = whole.without_words()
    left_out = len(whole.patterns.custom)
    if left_out:
        progress(
            f"warning: {left_out} custom patterns are removed from the model, because they may contain identifiers"
        )
    lost: Json | None = None
    if options.gold is not None and options.format is not None:
        lost = _loss(options, whole, public, progress)
    replace(public, report={**public.report, "export": {"f1": lost}}).save(options.output)
    return ExportFigures(str(options.output), len(public.rounds), lost)


def _loss(
    options: ExportOptions, whole: "GreedySanitizer", public: "GreedySanitizer", progress: Progress
) -> dict[str, dict[str, float]]:
    """Return each measure's F1 of the model, of what is exported, and their difference, on the gold that is named."""
    assert options.gold is not None
    assert options.format is not None
    documents = read_labelled(options.gold, options.format, options.options, options.unlabelled, progress)
    known = [(d.text, tuple(span for span in d.spans if span.label in whole.labels)) for d in documents]
    scores = [score((text, spans, each.detect(text)) for text, spans in known) for each in (whole, public)]
    return {
        measure: {"model": before, "exported": after, "lost": before - after}
        for measure in ("strict", "binary_token")
        for before, after in [[round(each.micro(measure)["f1"], 6) for each in scores]]
    }


def detect(options: DetectOptions, progress: Progress = no_progress) -> ConversionFigures:
    """Annotate a corpus with a model and write it in a format, for its owner only: it holds the originals.

    Imported annotations are omitted.
    """
    check_all(
        *models_given(options.model),
        partial(check_output, options.input, options.output, options.format, options.options),
    )
    digest = model_hash(options.model)
    with (
        open_session("detect", options.master, options.input, progress=progress, engine=options.engine) as spark,
        kept_tables() as keep,
    ):
        reading = read_once(spark, options.input, options.format, options.options, keep, progress)
        tell_skipped(reading.inventory, progress)
        tell_rejects(reading, progress)
        progress("detect and write")
        find = finder(spark, str(options.model), digest, decoding=options.decoding)
        spans = keep(detect_spans(reading.documents, find))
        tell_formulas(write_corpus(reading.documents, spans, options.output, options.to), progress)
        return tell_written(reading.inventory, spans, options.output)
