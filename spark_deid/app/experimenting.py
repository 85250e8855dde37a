"""Draw the figures of the papers."""

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.app.experiments.figures import representation_figures, surrogates_figures
from spark_deid.app.experiments.plausibility import figures as plausibility_figures
from spark_deid.app.experiments.plausibility import trials as plausibility_trials
from spark_deid.app.experiments.plausibility.trials import run_guesses, weigh_by
from spark_deid.app.experiments.repeats.curves import run_experiment
from spark_deid.app.experiments.repeats.tables import (
    SizeSettings,
    edits_tables,
    figures,
    measure_sizes,
    results_table,
    sizes_table,
)
from spark_deid.app.experiments.representation.trials import labels_of, run_trials
from spark_deid.app.experiments.settings import SurrogatesExperimentSettings as SurrogatesExperiment
from spark_deid.app.experiments.surrogates import trials as surrogates_trials
from spark_deid.app.figures import ExperimentFigures
from spark_deid.app.greedy_experiment import check_folder, open_experiment, run_greedy_experiment
from spark_deid.app.inputs import (
    Progress,
    check_all,
    check_new,
    check_output,
    no_progress,
    read_labelled,
    reading_check,
)
from spark_deid.app.options.experiments import (
    GreedyExperimentOptions,
    PlausibilityExperimentOptions,
    RepeatsExperimentOptions,
    RepresentationExperimentOptions,
    SurrogatesExperimentOptions,
)
from spark_deid.app.publishing import check_neural
from spark_deid.app.sessions import are_spread, open_session, processes_of, tasks_of
from spark_deid.core.errors import UsageError
from spark_deid.engine.session import SessionPace
from spark_deid.learners.background import uses_of
from spark_deid.ontology.ontology import ontology_at
from spark_deid.report.render import experiment_page
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at
from spark_deid.storage.path_checks import check_outside

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from spark_deid.app.experiments.repeats.curves import CurveOutcome
    from spark_deid.app.experiments.repeats.tables import SizeMeasure
    from spark_deid.report.render import Files


def experiment_repeats(options: RepeatsExperimentOptions, progress: Progress = no_progress) -> ExperimentFigures:
    """Draw precision and recall of hiding rare text against gold, and of the paper's baselines, and what sizes take.

    Writes ``results``, ``edits``, ``sizes``, charts as SVG and PNG, and ``report.html``. Where nothing is annotated,
    there are sizes only. Raises UsageError where one split has nothing annotated.
    """
    check_output(options.input, options.output, options.format, options.options)
    documents = read_labelled(options.input, options.format, options.options, options.unlabelled, progress)
    is_annotated = any(document.spans for document in documents)
    outcome = run_experiment(documents, options, progress) if is_annotated else None
    progress("measure sizes")
    sizes = SizeSettings(unit=options.unit, covering=options.covering, cap=options.cap, seed=options.seed)
    measured = tuple(measure_sizes(documents, sizes))
    progress("write")
    with open_session("experiment", options.master, options.input, progress=progress, engine=options.engine) as spark:
        return ExperimentFigures(options.output, _write(spark, outcome, measured, options))


def _write(
    spark: "SparkSession",
    outcome: "CurveOutcome | None",
    measured: "tuple[SizeMeasure, ...]",
    options: RepeatsExperimentOptions,
) -> dict[str, Any]:
    """Write Delta tables of sizes, results and edits, charts and a page; return the page's figures."""
    import pyarrow as pa

    tables = {"sizes": sizes_table(measured)}
    if outcome:
        tables |= {"results": results_table(outcome), "edits": pa.concat_tables(edits_tables(outcome))}
    result = figures(outcome, measured, options)
    _write_page(spark, options.output, tables, experiment_page("repeats", result))
    return result


def _write_page(spark: "SparkSession", output: str, tables: "dict[str, pa.Table]", drawn: "tuple[str, Files]") -> None:
    """Write Delta tables, charts and a page."""
    for name, table in tables.items():
        spark.createDataFrame(table).coalesce(1).write.format("delta").save(f"{output.rstrip('/')}/{name}")
    page, files = drawn
    folder = folder_at(output, spark)
    for name, content in {**files, "report.html": page.encode()}.items():
        folder.write(name, content)


def experiment_plausibility(
    options: PlausibilityExperimentOptions, progress: Progress = no_progress
) -> ExperimentFigures:
    """Draw texts of terms and generalize them by every search: time, cost, entropies and similarity.

    Writes ``results``, ``guesses`` where frequencies are given, charts as SVG and PNG, and ``report.html``. Raises
    UsageError where the ontology has too few terms of the height asked for.
    """
    check_new(options.output)
    ontology = ontology_at(options.ontology)
    weights = None if options.frequencies is None else weigh_by(ontology, options.frequencies)
    trials = plausibility_trials.run_trials(ontology, options, progress)
    guesses = () if weights is None else run_guesses(ontology, weights, options)
    result = plausibility_figures.figures(trials, ontology, options, guesses)
    progress("write")
    with open_session(
        "experiment", options.master, None, pace=SessionPace.SHORT, progress=progress, engine=options.engine
    ) as spark:
        tables = {"results": plausibility_figures.results_table(trials)}
        tables |= {"guesses": plausibility_figures.guesses_table(guesses)} if guesses else {}
        _write_page(spark, options.output, tables, experiment_page("plausibility", result))
    return ExperimentFigures(options.output, result)


def experiment_representation(
    options: RepresentationExperimentOptions, progress: Progress = no_progress
) -> ExperimentFigures:
    """Train de-identifiers on pseudonyms and on representations, and attack these; needs the extra ``neural``.

    Writes ``trials``, ``results.json``, charts as SVG and PNG, and ``report.html``; the same call continues where one
    that was cut off ended. Raises UsageError where the folder holds another experiment.
    """
    check_neural()
    check_all(
        *reading_check(options.input, options.format, options.options),
        *reading_check(options.test, options.format, options.options),
        partial(_claim, options),
    )
    training, test = (
        read_labelled(place, options.format, options.options, "leave", progress)
        for place in (options.input, options.test)
    )
    known = labels_of(training)
    if unknown := sorted(set(options.labels) - set(known)):
        raise UsageError(f"--labels: expected labels of {options.input} ({', '.join(known)}), got {', '.join(unknown)}")
    folder = Path(options.output)
    trials = run_trials(training, test, options, folder / "trials", progress)
    results = representation_figures(trials, options.own)
    _write_files(folder, results, experiment_page("representation", results))
    return ExperimentFigures(options.output, results)


def experiment_surrogates(options: SurrogatesExperimentOptions, progress: Progress = no_progress) -> ExperimentFigures:
    """Attack what a model left among surrogates and among placeholders, and learn from text that has them.

    Writes ``trials``, ``results.json`` and ``report.html``; the same call continues where one that was cut off ended.
    Raises UsageError where the folder holds another experiment, or nothing is annotated.
    """
    check_all(*reading_check(options.input, options.format, options.options), partial(_claim, options))
    documents = read_labelled(options.input, options.format, options.options, options.unlabelled, progress)
    folder = Path(options.output)
    processes = processes_of(options.workers)
    trials = surrogates_trials.run_trials(documents, options, folder / "trials", processes, progress)
    results = surrogates_figures(trials, SurrogatesExperiment(**options.of(SurrogatesExperiment)))
    _write_files(folder, results, experiment_page("surrogates", results))
    return ExperimentFigures(options.output, results)


def _write_files(folder: Path, results: "dict[str, Any]", drawn: "tuple[str, Files]") -> None:
    """Write a page with its charts, and its figures."""
    page, files = drawn
    for name, content in {**files, "report.html": page.encode()}.items():
        (folder / name).write_bytes(content)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _claim(options: RepresentationExperimentOptions | SurrogatesExperimentOptions) -> None:
    """Make the folder of an experiment, or find it as a run with the same options left it; raises UsageError."""
    if is_remote(options.output):
        raise UsageError(
            f"{options.output}: expected a local folder, or a folder that this machine mounts as a local path"
        )
    folder = Path(options.output)
    record, asked = folder / "experiment.json", options.model_dump(mode="json", exclude={"output", "workers"})
    if folder.exists() and any(folder.iterdir()):
        known = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else None
        if known != asked:
            raise UsageError(f"{options.output}: contains other files than this experiment. Choose a new folder")
        return
    folder.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(asked, indent=1) + "\n", encoding="utf-8")


def experiment_greedy(options: GreedyExperimentOptions, progress: Progress = no_progress) -> ExperimentFigures:
    """Play GreedySanitize, one-shot classifiers and cost-sensitive ones on labelled text, and attack what they publish.

    Writes ``results``, ``edits``, ``attacks``, ``budgets``, plots and ``report.html``; the same call continues where
    one that was cut off ended. ``workers`` bounds the fits at a time on this machine. Raises UsageError where the
    folder holds another experiment.
    """
    check_all(
        *reading_check(options.input, options.format, options.options),
        partial(_check_place, options),
        partial(check_folder, options.output),
        partial(uses_of, options.background),
        partial(are_spread, "experiment", options.master, options.workers),
    )
    documents = read_labelled(options.input, options.format, options.options, options.unlabelled, progress)
    local = f"local[{options.workers}]" if options.workers else None
    with (
        open_experiment(documents, options, options.output) as ready,
        open_session(
            "experiment", options.master or local, options.input, progress=progress, engine=options.engine
        ) as spark,
    ):
        return ExperimentFigures(str(ready.folder), run_greedy_experiment(spark, ready, tasks_of(spark), progress))


def _check_place(options: GreedyExperimentOptions) -> None:
    if is_remote(options.output):
        raise UsageError(f"{options.output}: fits are stored in files. Choose a folder that every worker sees")
    check_outside(options.input, options.output)
