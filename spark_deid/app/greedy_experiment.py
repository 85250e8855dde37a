"""Run GreedySanitize's experiments on Spark, so that a run which was cut off goes on where it was."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.app.experiments.greedy.data import ExperimentData, draw_documents, make_cases, make_experiment_data
from spark_deid.app.experiments.greedy.figures import figures
from spark_deid.app.experiments.greedy.fit_plans import FoldOutcome, fit_plans
from spark_deid.app.experiments.greedy.fits import FitStore, carry_out
from spark_deid.app.experiments.greedy.levels import play_all
from spark_deid.app.experiments.greedy.outcomes import make_tables
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.core.document import Document
from spark_deid.core.errors import UsageError
from spark_deid.core.version import VERSION
from spark_deid.greedy.parallel import TaskWorkers
from spark_deid.learners.background import uses_of
from spark_deid.report.render import experiment_page
from spark_deid.storage.folder import PARTIAL, LocalFolder, real_path
from spark_deid.storage.lock import hold
from spark_deid.storage.path_checks import check_creatable

Progress = Callable[[str], None]
SETTINGS = "experiment.json"
FITS = "fits"


class PreparedExperiment(NamedTuple):
    """An experiment that may begin, or go on: its folder, which it holds, the documents drawn, and its data."""

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
    experiment goes on from there. Runs one action for each table besides.
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
    """Return one hash of everything, so that a changed input is told from the same one."""
    whole = hashlib.sha256()
    for document in documents:
        whole.update(repr((document.doc_id, document.text, document.subject_id, document.spans)).encode())
    return whole.hexdigest()
