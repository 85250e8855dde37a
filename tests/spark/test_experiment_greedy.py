"""Fits of the experiment as Spark tasks."""

from functools import partial

import pytest
from pyspark.sql import SparkSession

from spark_deid.app.experiments.greedy.fits import CorpusState, carry_out, request_fit
from spark_deid.greedy.spark import SparkTasks
from tests.unit.greedy.guessing import experiment_data


@pytest.mark.thorough
def test_tasks_find_what_one_process_finds(spark: SparkSession) -> None:
    base = experiment_data()
    start = CorpusState(tuple(case.view for case in base.cases))
    changed = start.without({i: (base.cases[i].gold[0],) for i in range(6)})
    asked = [request_fit(state, "svm", range(6), range(6, 9), (5.0,)) for state in (start, changed)]
    function = partial(carry_out, cases=base.cases, experiment=base.experiment)
    done = dict(SparkTasks(spark).run(function, asked))
    for number, each in enumerate(asked):
        assert done[number].predictions == function(each).predictions
