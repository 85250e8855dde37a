"""Learn a model, score it, annotate with it and give it away."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.inputs import Figures, Progress, check_format, check_input, check_output, read_labelled, tell_losses
from spark_deid.app.sessions import corpus_figures, open_session, open_workers, read_once
from spark_deid.context.rules import find_rules, label_terms, terms_by_label
from spark_deid.context.settings import SUFFIX
from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, SparkDeidError, UsageError
from spark_deid.core.hashing import random_key, read_key
from spark_deid.corpus.formats import FORMATS, find_format
from spark_deid.detection.context import correlations_of
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import load_plan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.greedy.sanitizer import Sanitizer


def train(
    input_path: str,
    input_format: str,
    output: Path,
    *,
    labels: tuple[str, ...] | None = None,
    auxiliary: tuple[str, ...] = (),
    learner: str = "crf",
    loss_ratio: float = 10,
    max_rounds: int = 5,
    decoding: str = "viterbi",
    publish_budget: float | None = None,
    counts: str = "oof",
    features: str = "rich",
    background: tuple[str, ...] = (),
    tagger: str = "",
    iterations: int = 100,
    patterns: Path | None = None,
    context: Path | None = None,
    seed: int = 0,
    key_file: Path | None = None,
    folds: int = 3,
    workers: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Learn a model by GreedySanitize from labelled text; return its training report.

    ``context`` is a plan: terms that give its categories of route ``label`` away are labels to be learned and removed.
    Fits run in ``workers`` processes of this machine, or as tasks of Spark on ``master``; the model is the same.

    Raises UsageError where the output is not empty, before anything is learned.
    """
    from spark_deid.detection.patterns import pattern_detector
    from spark_deid.greedy.config import TrainConfig
    from spark_deid.greedy.sanitizer import check_destination
    from spark_deid.greedy.train import train as train_sanitizer
    from spark_deid.learners.background import uses_of
    from spark_deid.report.render import training_report

    check_format(input_format)
    check_destination(output)
    plan = load_plan(patterns) if patterns is not None else None
    check_input(input_path)
    reading = read_labelled(input_path, input_format, progress)
    documents = reading.documents
    told: dict[str, Figures] = {}
    if context is not None:
        documents, told = _with_context(documents, load_plan(context), progress)
        labels = None if labels is None else (*labels, *(f"{label}{SUFFIX}" for label in sorted(told)))
    config = TrainConfig(
        labels=labels,
        auxiliary=auxiliary,
        learner=learner,
        loss_ratio=loss_ratio,
        max_rounds=max_rounds,
        decoding=decoding,  # type: ignore[arg-type]
        publish_budget=publish_budget,
        counts=counts,  # type: ignore[arg-type]
        folds=folds,
        seed=seed,
        features=features,
        background=tuple(use.place for use in uses_of(background)),
        tagger=_whole_place(tagger),
        iterations=iterations,
        placeholders=plan.placeholders if plan else (),
        patterns=pattern_detector(plan),
        key=read_key(key_file) if key_file else random_key(),
    )
    with open_workers("train", master, workers) as crew:
        sanitizer = train_sanitizer(documents, config, progress, workers=crew)
    if not sanitizer.rounds:
        raise SparkDeidError(f"{output}: not written: {sanitizer.report['message']}")
    sanitizer = replace(sanitizer, report={**sanitizer.report, "context": {**told}})
    sanitizer.save(output)
    report = dict(sanitizer.report)
    (output / "training.html").write_text(training_report(report), encoding="utf-8")
    return report


def _with_context(
    documents: Sequence[Document], plan: PlanSettings, progress: Progress
) -> tuple[tuple[Document, ...], dict[str, Figures]]:
    """Label the terms that give a plan's categories away; return documents, and what was found, a category each."""
    correlations = correlations_of(plan, "label")
    if not correlations:
        raise UsageError("context: expected a plan with such a category as context: {NAME: {route: label}}")
    rules = find_rules(documents, correlations)
    terms = terms_by_label(rules)
    told: dict[str, Figures] = {
        label: {
            "rules": sum(rule.label == label for rule in rules),
            "terms": sum(each == label for each in terms.values()),
        }
        for label in sorted(set(terms.values()))
    }
    counted = ", ".join(f"{label} {each['terms']}" for label, each in told.items()) or "none"
    progress(f"context: terms that give identifiers away, by category: {counted}")
    return label_terms(documents, terms), told


def _whole_place(tagger: str) -> str:
    """Return a tagger's name with its folder as it is known from everywhere; raises UsageError where there is none."""
    from spark_deid.text.tagging import tagger_use

    use = tagger_use(tagger)
    return f"{use.name}:{use.place}" if use is not None and use.place else tagger


def default_background(features: str) -> tuple[str, ...]:
    """Return the background models that a feature set has unless others are named: the shipped ones, for ``full``."""
    from spark_deid.learners.background import shipped_background

    return shipped_background() if features == "full" else ()


def export(
    model: Path, output: Path, *, gold: str | None = None, gold_format: str | None = None, progress: Progress
) -> Figures:
    """Write a model to give away: without key, features that carry words, train lexicon, and custom patterns.

    With ``gold``, labelled text that the model was not trained on, the figures say what of the strict and the binary
    token F1 is lost; nothing else can tell. Raises ModelError for a model that can't be exported.
    """
    from spark_deid.greedy.sanitizer import check_destination, load_sanitizer

    if (gold is None) != (gold_format is None):
        raise UsageError("export: --gold and --format go together")
    check_destination(output)
    whole = load_sanitizer(model)
    progress("leave out what carries words")
    public = whole.without_words()
    left_out = len(whole.patterns.custom)
    if left_out:
        progress(f"warning: {left_out} custom patterns are left out, since they may list what is to be hidden")
    figures: Figures = {"output": str(output), "rounds": len(public.rounds), "f1": None}
    if gold is not None and gold_format is not None:
        progress(f"score on {gold}")
        figures |= {"f1": _loss(gold, gold_format, whole, public)}
    replace(public, report={**public.report, "export": {"f1": figures["f1"]}}).save(output)
    return figures


def _loss(gold: str, gold_format: str, whole: "Sanitizer", public: "Sanitizer") -> Figures:
    """Return each measure's F1 of the model, of what is exported, and their difference."""
    from spark_deid.corpus.local import read_documents
    from spark_deid.evaluation.score import evaluate as score

    check_format(gold_format)
    documents = read_documents(gold, gold_format).documents
    if not documents:
        raise CorpusError(f"{gold}: no readable document to score on")
    known = [(d.text, tuple(span for span in d.spans if span.label in whole.labels)) for d in documents]
    scores = [score((text, spans, each.detect(text)) for text, spans in known) for each in (whole, public)]
    return {
        measure: {"model": before, "exported": after, "lost": before - after}
        for measure in ("strict", "binary_token")
        for before, after in [[round(each.micro(measure)["f1"], 6) for each in scores]]
    }


def detect(
    model: Path,
    input_path: str,
    input_format: str,
    output: str,
    output_format: str,
    *,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Annotate a corpus with a model and write it in a format; imported annotations are left out."""
    from spark_deid.corpus.spark.read import write_corpus
    from spark_deid.greedy.sanitizer import model_hash
    from spark_deid.greedy.spark.detect import detect as detect_spans

    check_format(input_format, output_format)
    if not find_format(output_format).holds_spans:
        raise UsageError(f"format {output_format!r} has no place for annotations; expected one of {_annotated()}")
    check_output(input_path, output)
    digest = model_hash(model)
    with open_session("detect", master, input_path) as spark:
        reading = read_once(spark, input_path, input_format, progress)
        tell_losses({}, reading.inventory.passed_over, progress)
        progress("detect and write")
        spans = detect_spans(reading.documents, str(model), digest).cache()
        write_corpus(reading.documents, spans, output, output_format)
        return corpus_figures(reading.inventory, spans, output)


def _annotated() -> str:
    return ", ".join(name for name in FORMATS if find_format(name).holds_spans)


def evaluate(
    gold: str,
    input_format: str,
    *,
    model: Path | None = None,
    spans: str | None = None,
    labels: tuple[str, ...] | None = None,
    rounds: bool = False,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Score a model or a spans table against gold; with ``rounds`` each round of the model alone too.

    ``labels`` leaves other labels out, of gold and of what was found.
    """
    from pyspark.sql import functions as F

    from spark_deid.evaluation.spark import evaluate_corpus
    from spark_deid.greedy.sanitizer import model_hash
    from spark_deid.greedy.spark.detect import detect as detect_spans

    check_format(input_format)
    if (model is None) == (spans is None):
        raise UsageError("evaluate: expected either --model or --spans")
    if rounds and model is None:
        raise UsageError("evaluate: --rounds needs --model")
    check_input(gold)
    digest = model_hash(model) if model else ""
    with open_session("evaluate", master, gold) as spark:
        reading = read_once(spark, gold, input_format, progress)
        tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
        documents, gold_spans = reading.documents, reading.spans
        _check_labels(gold, gold_spans, labels)
        if model is not None:
            predicted = detect_spans(documents, str(model), digest).cache()
        else:
            predicted = spark.read.format("delta").load(spans).where(F.col("source") != "gold")
        progress("score")
        if labels is not None:
            gold_spans, predicted = (part.where(F.col("label").isin(*labels)) for part in (gold_spans, predicted))
        scores: Figures = dict(evaluate_corpus(documents, gold_spans, predicted).to_json())
        if rounds:
            sources = sorted(row["source"] for row in predicted.select("source").distinct().collect())
            scores["rounds"] = {
                source: evaluate_corpus(documents, gold_spans, predicted.where(F.col("source") == source)).to_json()
                for source in sources
            }
        return scores


def _check_labels(gold: str, spans: "DataFrame", wanted: tuple[str, ...] | None) -> None:
    known = sorted(row["label"] for row in spans.select("label").distinct().collect())
    if not known:
        raise UsageError(f"{gold}: there is no annotation to score against")
    unknown = sorted(set(wanted or ()) - set(known))
    if unknown:
        raise UsageError(f"labels: {', '.join(unknown)}: no annotation has it; expected some of {', '.join(known)}")
