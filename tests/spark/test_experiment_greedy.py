"""Fits of the experiment as Spark tasks."""

from pyspark.sql import SparkSession

from spark_deid.greedy.experiment.fits import State, Store, carry_out, request
from spark_deid.greedy.experiment.spark import Fitting
from tests.unit.greedy.guessing import corpus, ground


def test_tasks_find_what_one_process_finds_whatever_their_number(spark: SparkSession, tmp_path):
    base = ground(corpus(9))
    start = State(tuple(case.view for case in base.cases))
    changed = start.without({i: (base.cases[i].gold[0],) for i in range(6)})
    asked = [request(state, "svm", range(6), range(6, 9), (5.0,)) for state in (start, changed)]
    stores = []
    for name, parts in (("together", [asked]), ("one by one", [asked[:1], asked[1:]])):
        stores.append(Store(tmp_path / name))
        stores[-1].folder.mkdir()
        fitting = Fitting(spark, base.cases, base.experiment, stores[-1].folder)
        for part in parts:
            fitting(part)
    for each in asked:
        here = carry_out(each, base.cases, base.experiment)
        for store in stores:
            there = store.read(each)
            assert there is not None
            for ratio in (None, 5.0):
                assert base.cells(each.state, there.predictions[ratio]) == base.cells(
                    each.state, here.predictions[ratio]
                )
    assert [path.suffix for path in sorted((tmp_path / "together").iterdir())] == [".json", ".json"]
