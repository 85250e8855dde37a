"""When the tasks of Spark's jobs are worth a word."""

from functools import partial

from spark_deid.app.sessions import INTERVAL, PATIENCE, TaskWatch
from spark_deid.engine.tasks import TaskCounts


def test_short_jobs_are_not_reported_and_their_tasks_not_asked_for() -> None:
    watch = TaskWatch()

    def ask() -> TaskCounts:
        raise AssertionError("each word from the JVM costs")

    assert [watch.look((number,), ask, number * PATIENCE / 2) for number in range(9)] == [None] * 9
    assert [watch.look((8,), ask, 4 * PATIENCE + second) for second in (0, 1, 2)] == [None] * 3


def test_a_job_that_lasts_is_reported_now_and_again_where_something_is_new() -> None:
    watch, first = TaskWatch(), 100.0
    assert watch.look((7,), partial(TaskCounts, 0, 40), first) is None
    assert watch.look((7,), partial(TaskCounts, 3, 40), first + PATIENCE - 0.1) is None
    assert watch.look((7,), partial(TaskCounts, 5, 40), first + PATIENCE) == (5, 40)
    assert watch.look((7,), partial(TaskCounts, 9, 40), first + PATIENCE + INTERVAL - 0.1) is None
    assert watch.look((7,), partial(TaskCounts, 5, 40), first + PATIENCE + INTERVAL) is None
    assert watch.look((7,), partial(TaskCounts, 20, 40), first + PATIENCE + INTERVAL) == (20, 40)


def test_no_job_and_a_job_without_a_stage_are_not_reported() -> None:
    watch = TaskWatch()
    assert watch.look((), partial(TaskCounts, 0, 0), 0) is None
    assert watch.look((), partial(TaskCounts, 0, 0), 2 * PATIENCE) is None
    assert watch.look((1,), partial(TaskCounts, 0, 0), 2 * PATIENCE) is None
    assert watch.look((1,), partial(TaskCounts, 0, 0), 4 * PATIENCE) is None
    assert watch.look((1,), partial(TaskCounts, 0, 8), 4 * PATIENCE) == (0, 8)
