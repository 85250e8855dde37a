"""Use cases, as the command line and the jobs call them; nothing here prints."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.core.errors import CorpusError, SparkDeidError, UsageError
from spark_deid.core.hashing import fingerprint, random_key, read_key
from spark_deid.corpus.formats import FORMATS, find_format
from spark_deid.corpus.storage import is_remote, local_path, sizes
from spark_deid.failures import values_hidden
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import load_plan
from spark_deid.session import Pace, held_by_jvm, session_scope

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from spark_deid.corpus.inventory import Inventory
    from spark_deid.corpus.spark import Reading
    from spark_deid.doctor import Finding
    from spark_deid.greedy.sanitizer import Sanitizer
    from spark_deid.release.workspace import Places

Progress = Callable[[str], None]
Figures = dict[str, Any]

SMALL_INPUT = 20_000_000
"""Bytes of input up to which a local session is tuned to start soon."""
MANY_DOCUMENTS = 5_000


def format_names() -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(FORMATS)


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
    iterations: int = 100,
    patterns: Path | None = None,
    seed: int = 0,
    key_file: Path | None = None,
    folds: int = 3,
    workers: int | None = None,
    progress: Progress,
) -> Figures:
    """Learn a model by GreedySanitize from labelled text; return its training report.

    Raises UsageError where the output is not empty, before anything is learned.
    """
    from spark_deid.corpus.local import read_documents
    from spark_deid.greedy.config import NO_PATTERNS, TrainConfig
    from spark_deid.greedy.sanitizer import check_destination
    from spark_deid.greedy.train import train as train_sanitizer
    from spark_deid.plan.detectors import pattern_detector
    from spark_deid.report.render import training_report

    _check_format(input_format)
    check_destination(output)
    plan = load_plan(patterns) if patterns is not None else None
    _check_input(input_path)
    progress(f"read {input_path}")
    reading = read_documents(input_path, input_format)
    _tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
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
        background=background,
        iterations=iterations,
        placeholders=plan.placeholders if plan else (),
        patterns=pattern_detector(plan) if plan else NO_PATTERNS,
        key=read_key(key_file) if key_file else random_key(),
        workers=workers or os.cpu_count() or 1,
    )
    sanitizer = train_sanitizer(reading.documents, config, progress)
    if not sanitizer.rounds:
        raise SparkDeidError(f"{output}: not written: {sanitizer.report['message']}")
    sanitizer.save(output)
    report = dict(sanitizer.report)
    (output / "training.html").write_text(training_report(report), encoding="utf-8")
    return report


def default_background(features: str) -> tuple[str, ...]:
    """Return the background models that a feature set has unless others are named: the shipped ones, for ``full``."""
    from spark_deid.learners.background import shipped_background

    return shipped_background() if features == "full" else ()


def export(
    model: Path, output: Path, *, gold: str | None = None, gold_format: str | None = None, progress: Progress
) -> Figures:
    """Write a model to give away: without key, features that carry words, and train lexicon.

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
    figures: Figures = {"output": str(output), "rounds": len(public.rounds), "f1": None}
    if gold is not None and gold_format is not None:
        progress(f"score on {gold}")
        figures |= {"f1": _loss(gold, gold_format, whole, public)}
    replace(public, report={**public.report, "export": {"f1": figures["f1"]}}).save(output)
    return figures


def run(plan_path: Path, overrides: Sequence[str], *, master: str | None = None, progress: Progress) -> Figures:
    """Carry out a plan; return the figures of the contract. Raises GateRefused where a check refuses."""
    return run_plan(load_plan(plan_path, overrides), master=master, progress=progress)


def run_plan(settings: PlanSettings, *, master: str | None = None, progress: Progress) -> Figures:
    """Carry out a plan that was loaded."""
    from spark_deid.plan.deliver import deliver, warnings_of
    from spark_deid.plan.detectors import check_detectors
    from spark_deid.plan.execute import execute
    from spark_deid.plan.guarantees import check_guarantees
    from spark_deid.plan.secret import find_secret
    from spark_deid.release.workspace import open_places

    began, started = time.monotonic(), datetime.now(UTC)
    _check_input(settings.input.path)
    check_detectors(settings)
    check_guarantees(settings)
    secret = find_secret(settings.key_file)
    if settings.release_ids == "keyed" and not secret.repeatable:
        progress("no key was given: a random one is used, so keyed ids will not repeat in a later run")
    plan = settings.model_dump(mode="json")
    plan_hash = fingerprint(plan)
    with open_places(settings.input.path, settings.workspace, settings.release, plan_hash) as places:
        progress("start Spark")
        with _session("run", master, settings.input.path, places) as spark:
            outcome = execute(settings, spark, places.workspace, progress)
            for warning in warnings_of(settings, outcome):
                progress(f"warning: {warning}")
            delivery = deliver(
                settings,
                outcome,
                places,
                secret,
                plan=plan,
                fingerprint=plan_hash,
                started=started,
                progress=progress,
            )
    manifest = delivery.manifest
    _tell_losses(manifest.rejects, 0, progress, where=f"{settings.workspace}/rejects")
    return {
        "release": settings.release,
        "documents": manifest.documents,
        "rejects": sum(manifest.rejects.values()),
        "rounds": sum(model.rounds for model in manifest.models),
        "spans": sum(sum(labels.values()) for labels in manifest.spans.values()),
        "publish_ratio": manifest.words.publish_ratio,
        "seconds": round(time.monotonic() - began, 3),
    }


def explain(plan_path: Path, overrides: Sequence[str]) -> str:
    """Say what a plan would do."""
    from spark_deid.plan.explain import explain as explain_settings

    return explain_settings(load_plan(plan_path, overrides))


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
    from spark_deid.corpus.spark import write_corpus
    from spark_deid.greedy.sanitizer import model_hash
    from spark_deid.greedy.spark import detect as detect_spans

    _check_format(input_format, output_format)
    if not find_format(output_format).holds_spans:
        raise UsageError(f"format {output_format!r} has no place for annotations; expected one of {_annotated()}")
    _check_output(input_path, output)
    digest = model_hash(model)
    with _session("detect", master, input_path) as spark:
        reading = _read(spark, input_path, input_format, progress)
        _tell_losses({}, reading.inventory.passed_over, progress)
        progress("detect and write")
        spans = detect_spans(reading.documents, str(model), digest).cache()
        write_corpus(reading.documents, spans, output, output_format)
        return _corpus_figures(reading.inventory, spans, output)


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
    from spark_deid.greedy.spark import detect as detect_spans

    _check_format(input_format)
    if (model is None) == (spans is None):
        raise UsageError("evaluate: expected either --model or --spans")
    if rounds and model is None:
        raise UsageError("evaluate: --rounds needs --model")
    _check_input(gold)
    digest = model_hash(model) if model else ""
    with _session("evaluate", master, gold) as spark:
        reading = _read(spark, gold, input_format, progress)
        _tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
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


def attack(
    release: str,
    workspace: str,
    gold: str,
    input_format: str,
    *,
    labels: tuple[str, ...] | None = None,
    learners: tuple[str, ...] | None = None,
    features: str = "rich",
    loss_ratio: float | None = None,
    budgets: tuple[int, ...] = (),
    public: str | None = None,
    public_format: str | None = None,
    folds: int = 3,
    seed: int = 0,
    simulate: int = 0,
    vc_dimension: float | None = None,
    workers: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Attack a finished release with labelled documents of it; return what attackers find.

    ``public`` is labelled text of another origin, from which further attackers learn.
    """
    from spark_deid.corpus.local import read_documents
    from spark_deid.greedy.attack.attackers import AttackConfig, public_examples
    from spark_deid.greedy.attack.report import ReportOptions
    from spark_deid.learners.registry import BUILT_IN, learner_kind
    from spark_deid.plan.attack import attack_release

    _check_format(input_format, *((public_format,) if public_format else ()))
    if (public is None) != (public_format is None):
        raise UsageError("attack: --public and --public-format go together")
    if loss_ratio is not None and loss_ratio <= 0:
        raise UsageError("loss-ratio: expected a number above 0")
    for name in learners or ():
        learner_kind(name)
    documents = read_documents(gold, input_format).documents
    others = read_documents(public, public_format).documents if public and public_format else ()
    config = AttackConfig(
        learners=learners or tuple(BUILT_IN),
        features=features,
        public=public_examples(others, labels),
        folds=folds,
        seed=seed,
        workers=workers or os.cpu_count() or 1,
    )
    options = ReportOptions(budgets=budgets, simulate=simulate, dimension=vc_dimension, seed=seed)
    with _session("attack", master, gold) as spark:
        return attack_release(
            spark,
            release,
            workspace,
            documents,
            config,
            options,
            labels=labels,
            loss_ratio=loss_ratio,
            progress=progress,
        )


def convert(
    source: str,
    source_format: str,
    target: str,
    target_format: str,
    *,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Write a corpus, annotations included, in another format."""
    from spark_deid.corpus.spark import write_corpus

    _check_format(source_format, target_format)
    _check_output(source, target)
    with _session("convert", master, source) as spark:
        reading = _read(spark, source, source_format, progress)
        _tell_losses({}, reading.inventory.passed_over, progress)
        spans = reading.spans
        if not find_format(target_format).holds_spans:
            progress(f"warning: {spans.count()} annotations are left out: format {target_format} has no place for them")
            spans = spans.limit(0)
        progress("write")
        write_corpus(reading.documents, spans, target, target_format)
        return _corpus_figures(reading.inventory, spans, target)


def synthesize(
    documents: int,
    seed: int,
    output_format: str,
    output: str,
    *,
    persons: str | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Make a corpus of invented documents with gold spans, and the table of its persons where asked for."""
    from spark_deid.corpus.spark import write_corpus
    from spark_deid.synthesis.spark import synthesize as make

    _check_format(output_format)
    for place in (output, persons):
        if place is not None:
            _check_new(place)
    began = time.monotonic()
    pace = Pace.LONG if documents > MANY_DOCUMENTS else Pace.SHORT
    with _session("synthesize", master, None, pace=pace) as spark:
        progress(f"synthesize {documents} documents")
        made, spans, people = make(spark, documents, seed, None)
        write_corpus(made, spans, output, output_format)
        if persons is not None:
            progress("write persons")
            people.write.format("delta").save(persons)
    return {"output": output, "documents": documents, "seconds": round(time.monotonic() - began, 3)}


def repeats(
    input_path: str,
    input_format: str,
    output: str,
    *,
    workspace: str | None = None,
    options: Mapping[str, Any],
    mask: str = "run",
    sweep: bool = False,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Hide rare text and nothing else; ``options`` are those of a plan's ``repeats``.

    With a workspace, originals, spans and edits stay there; without one, what is private lies beside the output while
    it is made. Raises UsageError for an option out of its range.
    """
    from spark_deid.plan.config import InputSettings
    from spark_deid.plan.load import check_repeats
    from spark_deid.plan.rare import RareRun, hide_rare
    from spark_deid.release.folder import folder_at
    from spark_deid.release.workspace import open_places
    from spark_deid.repeats.spark import Mask

    _check_format(input_format)
    settings = check_repeats(options)
    run_settings = RareRun(
        InputSettings(path=input_path, format=input_format), settings, Mask(mask), sweep, workspace is not None
    )
    plan = fingerprint([input_path, input_format, output, settings.model_dump(mode="json"), mask])
    private = workspace or f"{output.rstrip('/')}.private"
    with open_places(input_path, private, output, plan) as places:
        progress("start Spark")
        with _session("repeats", master, input_path, places) as spark:
            figures = hide_rare(run_settings, spark, places, progress)
    if workspace is None:
        folder_at(private).remove("")
    return {"output": output} | figures


def experiment_repeats(
    input_path: str,
    input_format: str,
    output: str,
    *,
    unit: str = "occurrence",
    tokens: str = "word",
    covering: str = "greedy",
    seed: int = 0,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Draw precision and recall of hiding rare text against gold, and of the paper's baselines.

    Writes ``results``, ``edits``, ``curves.svg`` and ``report.html``. Raises UsageError where nothing is annotated.
    """
    from spark_deid.corpus.local import read_documents
    from spark_deid.plan.experiment import write_experiment
    from spark_deid.repeats.experiment.curves import Experiment, run_experiment
    from spark_deid.repeats.experiment.labelled import Tokens
    from spark_deid.repeats.settings import Covering, Unit

    _check_format(input_format)
    _check_output(input_path, output)
    progress(f"read {input_path}")
    reading = read_documents(input_path, input_format)
    _tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
    experiment = Experiment(unit=Unit(unit), tokens=Tokens(tokens), covering=Covering(covering), seed=seed)
    outcome = run_experiment(reading.documents, experiment, progress)
    progress("write")
    with _session("experiment", master, input_path) as spark:
        return {"output": output} | write_experiment(spark, outcome, experiment, output)


def assess(
    release: str,
    *,
    workspace: str | None = None,
    k: int,
    unit: str,
    published: bool = False,
    sample: int | None = None,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Recount the runs of a release by hashes; the figures are those of an assessment.

    Counts are taken in the workspace's originals, or with ``published`` in the release. Raises UsageError where what
    is asked for needs a workspace, or the release's ids are not those of the workspace.
    """
    from spark_deid.plan.assess import assess_release

    if workspace is None and (not published or unit == "subject"):
        raise UsageError("assess: without --workspace only --published, and --unit document or occurrence")
    with _session("assess", master, release) as spark:
        progress("recount")
        return assess_release(spark, release, workspace, k=k, unit=unit, published=published, sample=sample)._asdict()


def doctor(*, deep: bool = False) -> "tuple[Finding, ...]":
    """Examine this machine."""
    from spark_deid.doctor import examine

    return examine(deep=deep)


def worker_error(error: Exception) -> str | None:
    """Describe a failure of Spark without values, or None where it is another failure."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from spark_deid.failures import describe

    return describe(error) if isinstance(error, PySparkException | Py4JError) else None


def _loss(gold: str, gold_format: str, whole: "Sanitizer", public: "Sanitizer") -> Figures:
    """Return each measure's F1 of the model, of what is exported, and their difference."""
    from spark_deid.corpus.local import read_documents
    from spark_deid.evaluation.score import evaluate as score

    _check_format(gold_format)
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


@contextmanager
def _session(
    name: str, master: str | None, input_path: str | None, places: "Places | None" = None, *, pace: Pace | None = None
) -> Iterator["SparkSession"]:
    """Give a session in which failures tell no values; it holds the places that it works for, and spills there."""
    scratch = _scratch(places) if places else None
    pace = pace or _pace(input_path)
    with (
        session_scope(app_name=f"spark-deid {name}", master=master, local_dir=scratch, pace=pace) as spark,
        held_by_jvm(spark, *(places.local if places else ())),
        values_hidden(),
    ):
        yield spark


def _read(spark: "SparkSession", path: str, name: str, progress: Progress) -> "Reading":
    """Read a corpus and keep what was parsed: whatever is asked of it, its files are opened once."""
    from spark_deid.corpus.spark import read_corpus

    progress(f"read {path}")
    return read_corpus(spark, path, name, stage=lambda parsed: parsed.cache())


def _pace(input_path: str | None) -> Pace:
    if input_path is None or is_remote(input_path):
        return Pace.LONG
    total = 0
    for number, size in enumerate(sizes(input_path)):
        total += size
        if total > SMALL_INPUT or number > 20_000:
            return Pace.LONG
    return Pace.SHORT


def _scratch(places: "Places") -> Path | None:
    path = getattr(places.workspace.scratch, "path", None)
    return path if isinstance(path, Path) else None


def _check_format(*names: str) -> None:
    for name in names:
        if name not in FORMATS:
            raise UsageError(f"format {name!r}: expected one of {', '.join(FORMATS)}")


def _check_new(place: str) -> None:
    path = Path(place)
    if "://" not in place and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{place}: already holds something; name a new or an empty folder")


def _check_input(path: str) -> None:
    """Refuse a local path that names nothing, before anything is started."""
    if not is_remote(path) and not set("*?[{") & set(path) and not Path(local_path(path)).exists():
        raise UsageError(f"{path}: there is no such file or folder")


def _check_output(source: str, target: str) -> None:
    from spark_deid.release.apart import check_outside

    _check_input(source)
    check_outside(source, target)
    _check_new(target)


def _annotated() -> str:
    return ", ".join(name for name in FORMATS if find_format(name).holds_spans)


def _check_labels(gold: str, spans: "DataFrame", wanted: tuple[str, ...] | None) -> None:
    known = sorted(row["label"] for row in spans.select("label").distinct().collect())
    if not known:
        raise UsageError(f"{gold}: there is no annotation to score against")
    unknown = sorted(set(wanted or ()) - set(known))
    if unknown:
        raise UsageError(f"labels: {', '.join(unknown)}: no annotation has it; expected some of {', '.join(known)}")


def _tell_losses(rejects: Mapping[str, int], passed_over: int, progress: Progress, *, where: str = "") -> None:
    """Say what of an input was not taken, and why."""
    if rejects:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
        progress(f"warning: {sum(rejects.values())} inputs were rejected: {reasons}{f'; see {where}' if where else ''}")
    if passed_over:
        progress(f"warning: {passed_over} files were passed over, for their suffixes or hidden names")


def _corpus_figures(inventory: "Inventory", spans: "DataFrame", output: str) -> Figures:
    rejects = dict(sorted(inventory.rejects.items()))
    return {"output": output, "documents": inventory.documents, "spans": spans.count(), "rejects": rejects or 0}
