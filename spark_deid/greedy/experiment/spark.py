"""Operator: fits, each a task of its own."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import SparkSession

from spark_deid.greedy.cases import Case
from spark_deid.greedy.experiment.fits import Request, Store, carry_out, pack, unpack
from spark_deid.greedy.experiment.settings import Experiment
from spark_deid.greedy.parallel import run_tasks

_DONE = pa.schema([("key", pa.string())])
COSTS = ("ensemble", "crf", "plain-crf", "adaboost", "svm")
"""Learners by what a fit costs, dearest first, so that no long fit is left for the end."""

Prepared = tuple[tuple[Case, ...], Experiment]


class Fitting:
    """What workers need: the cases and settings, sent to each once, and the folder that all see."""

    def __init__(self, spark: SparkSession, cases: Sequence[Case], experiment: Experiment, folder: Path) -> None:
        self._spark = spark
        self._prepared: Broadcast[Prepared] = spark.sparkContext.broadcast((tuple(cases), experiment))
        self._folder = folder

    def __call__(self, requests: Sequence[Request]) -> None:
        """Do fits side by side, a task each, and keep what each found as soon as it is done. Runs one action."""
        ordered = sorted(requests, key=_cost)
        packed = self._spark.sparkContext.broadcast([pack(each) for each in ordered])
        function = partial(_fit_batches, packed=packed, prepared=self._prepared, folder=str(self._folder))
        rows = self._spark.range(0, len(ordered), 1, numPartitions=len(ordered))
        rows.mapInArrow(function, "key string").count()
        packed.destroy()


def _cost(asked: Request) -> int:
    return COSTS.index(asked.learner) if asked.learner in COSTS else -1


def _fit_batches(
    incoming: Iterator[pa.RecordBatch],
    *,
    packed: "Broadcast[list[str]]",
    prepared: "Broadcast[Prepared]",
    folder: str,
) -> Iterator[pa.RecordBatch]:
    cases, experiment = prepared.value
    for batch in incoming:
        for number in batch.column("id").to_pylist():
            asked = unpack(packed.value[number], cases)
            [(_, found)] = run_tasks(partial(carry_out, cases=cases, experiment=experiment), [asked], 1)
            Store(Path(folder)).write(asked.key, found)
            yield pa.RecordBatch.from_pydict({"key": [asked.key]}, _DONE)
