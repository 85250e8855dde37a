"""Fits as tasks of Spark: the same models, errors without values, and an end to what no one needs."""

from __future__ import annotations

import math
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import SparkContext

from spark_deid.core.errors import SparkDeidError
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.parallel import LocalProcesses, TaskError
from spark_deid.greedy.spark import SparkTasks
from spark_deid.greedy.train import train
from tests.unit.greedy.toy_learner import CORPUS, KEY, FailingLearner, ToyLearner

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="module")
def workers(spark: SparkSession) -> SparkTasks:
    return SparkTasks(spark)


def test_results_come_with_the_numbers_of_their_tasks(workers: SparkTasks) -> None:
    expected = {0: 6, 1: 1, 2: 120}
    assert (
        dict(workers.run(math.factorial, [3, 0, 5]))
        == dict(LocalProcesses(1).run(math.factorial, [3, 0, 5]))
        == expected
    )


def test_what_is_closed_early_is_stopped(spark: SparkSession, workers: SparkTasks, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    with closing(workers.run(subprocess.call, [["true"], ["sh", "-c", f"sleep 60; touch {ended}"]])) as results:
        assert next(results) == (0, 0)
    while spark.sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.01)
    assert not ended.exists()


def test_a_job_that_began_while_others_were_cancelled_is_stopped(
    workers: SparkTasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, asked = tmp_path / "ended", list[str]()
    cancel = SparkContext.cancelJobsWithTag

    def cancel_later(context: SparkContext, tag: str) -> None:
        asked.append(tag)
        if len(asked) > 1:
            cancel(context, tag)

    monkeypatch.setattr(SparkContext, "cancelJobsWithTag", cancel_later)
    with closing(workers.run(subprocess.call, [["true"], ["sh", "-c", f"sleep 60; touch {ended}"]])) as results:
        assert next(results) == (0, 0)
    assert len(asked) > 1
    assert not ended.exists()


@pytest.mark.thorough
def test_training_is_the_same_as_in_processes_of_this_machine(workers: SparkTasks) -> None:
    settings: dict[str, Any] = {
        "key": KEY,
        "workers": 1,
        "features": "hide",
        "min_train_remaining": 0,
        "max_rounds": 2,
        "folds": 2,
    }
    config = TrainConfig(learner="selection", iterations=10, **settings)
    here, there = train(CORPUS, config), train(CORPUS, config, workers=workers)
    rounds: list[Any] = [each.report["rounds"] for each in (here, there)]
    assert [told(entry) for entry in rounds[0]] == [told(entry) for entry in rounds[1]]
    assert set(rounds[0][0]["candidates"]) == {"crf", "svm", "adaboost", "ensemble"}
    for document in CORPUS:
        assert here.detect(document.text) == there.detect(document.text)


def told(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "seconds"}


def test_a_round_that_fails_its_test_ends_the_loop(workers: SparkTasks) -> None:
    config = TrainConfig(key=KEY, min_train_remaining=0)
    report = train(CORPUS, config, learner=ToyLearner(), workers=workers).report
    assert report["ended_by"] == "test"


def test_a_learner_that_fails_quotes_no_text(workers: SparkTasks) -> None:
    config = TrainConfig(key=KEY, min_train_remaining=0)
    with pytest.raises(TaskError, match=r"the learner failed: KeyError at toy_learner\.py:\d+") as caught:
        train(CORPUS, config, learner=FailingLearner(), workers=workers)
    assert isinstance(caught.value, SparkDeidError)
    assert caught.value.__cause__ is caught.value.__context__ is None
