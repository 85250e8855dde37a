"""Fits as tasks of Spark: the same models, errors without values, and an end to what nobody needs."""

import math
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

TOY = Path(__file__).parents[1] / "unit" / "greedy" / "toy_learner.py"
sys.path.insert(0, str(TOY.parent))

from spark_deid.core.errors import SparkDeidError  # noqa: E402
from spark_deid.greedy.config import TrainConfig  # noqa: E402
from spark_deid.greedy.parallel import Processes, TaskError  # noqa: E402
from spark_deid.greedy.spark.tasks import SparkTasks  # noqa: E402
from spark_deid.greedy.train import train  # noqa: E402
from tests.unit.greedy.toy_learner import CORPUS, KEY, FailingLearner, ToyLearner  # noqa: E402


@pytest.fixture(scope="module")
def workers(spark):
    spark.sparkContext.addPyFile(str(TOY))
    return SparkTasks(spark)


def test_results_come_with_the_numbers_of_their_tasks(workers):
    expected = {0: 6, 1: 1, 2: 120}
    assert dict(workers.run(math.factorial, [3, 0, 5])) == dict(Processes(1).run(math.factorial, [3, 0, 5])) == expected


def test_what_is_closed_early_is_stopped(workers):
    began = time.perf_counter()
    with closing(workers.run(time.sleep, [0.0, 60.0])) as results:
        assert next(results) == (0, None)
    assert time.perf_counter() - began < 30


def test_training_is_the_same_as_in_processes_of_this_machine(workers):
    settings = {"key": KEY, "workers": 1, "features": "hide", "min_train_remaining": 0, "max_rounds": 2, "folds": 2}
    config = TrainConfig(learner="selection", iterations=10, **settings)
    here, there = train(CORPUS, config), train(CORPUS, config, workers=workers)
    assert [told(entry) for entry in here.report["rounds"]] == [told(entry) for entry in there.report["rounds"]]
    assert set(here.report["rounds"][0]["candidates"]) == {"crf", "svm", "adaboost", "ensemble"}
    for document in CORPUS:
        assert here.detect(document.text) == there.detect(document.text)


def told(entry):
    return {name: value for name, value in entry.items() if name != "seconds"}


def test_a_round_that_fails_its_test_ends_the_loop(workers):
    config = TrainConfig(key=KEY, min_train_remaining=0)
    report = train(CORPUS, config, learner=ToyLearner(), workers=workers).report
    assert report["ended_by"] == "test"


def test_a_learner_that_fails_quotes_no_text(workers):
    config = TrainConfig(key=KEY, min_train_remaining=0)
    with pytest.raises(TaskError, match=r"the learner failed: KeyError at toy_learner\.py:\d+") as caught:
        train(CORPUS, config, learner=FailingLearner(), workers=workers)
    assert isinstance(caught.value, SparkDeidError)
    assert caught.value.__cause__ is caught.value.__context__ is None
