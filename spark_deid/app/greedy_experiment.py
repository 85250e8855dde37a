"""Run GreedySanitize's experiments on Spark, so that a run which was cut off continues where it was."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.app.experiments.greedy.figures import figures
from spark_deid.app.experiments.greedy.fit_plans import FitPlan, FoldOutcome, fit_plans
from spark_deid.app.experiments.greedy.fits import (
    ExperimentData,
    FitFindings,
    FitRequest,
    FitStore,
    carry_out,
    draw_documents,
    make_cases,
    make_experiment_data,
    merge_requests,
)
from spark_deid.app.experiments.greedy.outcomes import make_tables
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.version import VERSION
from spark_deid.greedy.parallel import Results, TaskWorkers
from spark_deid.learners.background import uses_of
from spark_deid.report.render import experiment_page
from spark_deid.storage.folder import PARTIAL, LocalFolder, real_path
from spark_deid.storage.lock import hold
from spark_deid.storage.path_checks import check_creatable

# Play all games level by level: gather the fits that plans ask for, have those done that are new, and continue.


Progress = Callable[[str], None]
FitAll = Callable[[Sequence[FitRequest]], Results[FitFindings]]
"""Does fits side by side, and yields the number and finding of each as it ends."""
DEAREST = ("ensemble", "crf", "plain-crf", "adaboost", "svm")
"""Learners by what a fit costs, so that no long fit remains for the end."""
SECONDS = 20.0
"""How often progress is reported while fits run."""


def play_all(plans: Sequence[FitPlan], store: FitStore, fit_all: FitAll, progress: Progress) -> tuple[FoldOutcome, ...]:
    """Play games to their ends; their outcomes come in the order of plans, also if some were played before.

    What a fit found is kept in the store as soon as it is done.
    """
    waiting = {number: next(plan) for number, plan in enumerate(plans)}
    outcomes: dict[int, tuple[FoldOutcome, ...]] = {}
    level = 0
    while True:
        known: dict[str, FitFindings] = {}
        missing: list[FitRequest] = []
        for number in sorted(waiting):
            missing.extend(_advance(number, plans[number], waiting, outcomes, store, known))
        if not missing:
            return tuple(outcome for number in sorted(outcomes) for outcome in outcomes[number])
        new, level = sorted(merge_requests(missing), key=_cost), level + 1
        progress(
            f"level {level}: {len(new)} fits for {len(waiting)} games; {len(outcomes)} of {len(plans)} games ended"
        )
        _fit(new, store, fit_all, progress)


def _fit(new: Sequence[FitRequest], store: FitStore, fit_all: FitAll, progress: Progress) -> None:
    reported = time.monotonic()
    with closing(fit_all(new)) as results:
        for done, (number, found) in enumerate(results, start=1):
            store.write(new[number].key, found)
            if time.monotonic() - reported >= SECONDS:
                reported = time.monotonic()
                progress(f"{done} of {len(new)} fits are done")


def _cost(request: FitRequest) -> int:
    return DEAREST.index(request.learner) if request.learner in DEAREST else -1


def _advance(
    number: int,
    plan: FitPlan,
    waiting: dict[int, tuple[FitRequest, ...]],
    outcomes: dict[int, tuple[FoldOutcome, ...]],
    store: FitStore,
    known: dict[str, FitFindings],
) -> list[FitRequest]:
    """Carry out a plan as far as the store goes, and return what it lacks."""
    while True:
        requests = waiting[number]
        missing = [each for each in requests if not _look_up(each, store, known)]
        if missing:
            return missing
        try:
            waiting[number] = plan.send(tuple(known[each.key] for each in requests))
        except StopIteration as end:
            outcomes[number] = end.value
            del waiting[number]
            return []


def _look_up(request: FitRequest, store: FitStore, known: dict[str, FitFindings]) -> bool:
    held = known.get(request.key)
    if held is None or not set(request.ratios) <= set(held.predictions):
        held = store.read(request)
    if held is None:
        return False
    known[request.key] = held
    return True


SETTINGS = "experiment.json"
FITS = "fits"


class PreparedExperiment(NamedTuple):
    """An experiment that may begin, or continue: its folder, which it holds, the documents drawn, and its data."""

    folder: Path
    documents: tuple[Document, ...]
    data: ExperimentData


@contextmanager
def open_experiment(
    documents: Sequence[Document], experiment: GreedyExperimentSettings, output: str
) -> Iterator[PreparedExperiment]:
    """Hold the folder of an experiment until the block ends, and make documents ready; needs no Spark.

    Raises UsageError where the folder holds another experiment, or anything else, and where documents do not suffice.
    """
    folder = real_path(output)
    drawn = draw_documents(documents, experiment)
    data = make_experiment_data(make_cases(drawn, experiment), experiment)
    with hold(folder):
        claim_folder(folder, documents, experiment)
        yield PreparedExperiment(folder, drawn, data)


def run_greedy_experiment(
    spark: SparkSession, ready: PreparedExperiment, workers: TaskWorkers, progress: Progress
) -> dict[str, Any]:
    """Play every method on every fold and loss ratio, and write tables, plots and a page; return its figures.

    Each fit is a task of ``workers``, written to ``fits`` in the folder as it is done, so a later run of the same
    experiment continues from there. Runs one action for each table besides.
    """
    function = partial(carry_out, cases=ready.data.cases, experiment=ready.data.experiment)
    store = FitStore(ready.folder / FITS)
    outcomes = play_all(fit_plans(ready.data), store, partial(workers.run, function), progress)
    progress("write")
    return write_experiment(spark, ready, outcomes)


def claim_folder(folder: Path, documents: Sequence[Document], experiment: GreedyExperimentSettings) -> None:
    """Make the folder of an experiment, or find it as a run of the same experiment left it.

    Raises UsageError where it holds another one's, naming what differs, or anything else.
    """
    models = {use.place: use.sha256 for use in uses_of(experiment.background)}
    record = {**experiment.to_json(), "input": _digest(documents), "models": models, "version": VERSION}
    path = folder / SETTINGS
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        differing = sorted(name for name in {*record, *before} if record.get(name) != before.get(name))
        if differing:
            raise UsageError(
                f"{folder}: contains an experiment with other options ({', '.join(differing)}). Use the same "
                "options to continue, or choose a new folder"
            )
    else:
        check_folder(folder)
        # The settings come first, and whole: a folder that a killed run left is known by them.
        folder.mkdir(parents=True, exist_ok=True)
        LocalFolder(folder).write(SETTINGS, f"{json.dumps(record, indent=2)}\n".encode())
    (folder / FITS).mkdir(exist_ok=True)


def check_folder(place: str | Path) -> None:
    """Raise UsageError where a folder holds something else than an experiment, or can't be made."""
    folder = real_path(place)
    if folder.is_dir():
        if (folder / SETTINGS).exists() or all(each.name == SETTINGS + PARTIAL for each in folder.iterdir()):
            return
    elif not folder.exists():
        check_creatable(folder)
        return
    raise UsageError(f"{folder}: is not empty. Choose a new or empty folder")


def write_experiment(spark: SparkSession, ready: PreparedExperiment, outcomes: Sequence[FoldOutcome]) -> dict[str, Any]:
    """Write Delta tables, a chart a figure as PNG and SVG, and the page; return its figures."""
    tables = make_tables(ready.data, ready.documents, outcomes)
    for name, table in tables._asdict().items():
        _write_table(spark, table, f"file://{ready.folder}/{name}")
    result = figures(ready.data, ready.documents, outcomes)
    page, files = experiment_page("greedy", result)
    for name, content in files.items():
        (ready.folder / name).write_bytes(content)
    (ready.folder / "report.html").write_text(page, encoding="utf-8")
    return result


def _write_table(spark: SparkSession, table: pa.Table, uri: str) -> None:
    rows = spark.createDataFrame(table).coalesce(1)
    rows.write.format("delta").mode("overwrite").option("overwriteSchema", "true").save(uri)


def _digest(documents: Sequence[Document]) -> str:
    """Return one hash of everything, so that a changed input is distinguished from the same one."""
    whole = hashlib.sha256()
    for document in documents:
        whole.update(repr((document.doc_id, document.text, document.subject_id, document.spans)).encode())
    return whole.hexdigest()
