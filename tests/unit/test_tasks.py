"""When the tasks of Spark's jobs are worth a word."""

from spark_deid.app.tasks import INTERVAL, PATIENCE, Tasks, Watch


def test_short_jobs_are_not_told() -> None:
    watch = Watch()
    seen = [watch.look((number,), Tasks(1, 4), number * PATIENCE / 2) for number in range(9)]
    assert seen == [None] * 9


def test_a_job_that_lasts_is_told_now_and_again_where_something_is_new() -> None:
    watch, first = Watch(), 100.0
    assert watch.look((7,), Tasks(0, 40), first) is None
    assert watch.look((7,), Tasks(3, 40), first + PATIENCE - 0.1) is None
    assert watch.look((7,), Tasks(5, 40), first + PATIENCE) == (5, 40)
    assert watch.look((7,), Tasks(9, 40), first + PATIENCE + INTERVAL - 0.1) is None
    assert watch.look((7,), Tasks(5, 40), first + PATIENCE + INTERVAL) is None
    assert watch.look((7,), Tasks(20, 40), first + PATIENCE + INTERVAL) == (20, 40)


def test_no_job_and_a_job_without_a_stage_are_not_told() -> None:
    watch = Watch()
    assert watch.look((), Tasks(0, 0), 0) is None
    assert watch.look((), Tasks(0, 0), 2 * PATIENCE) is None
    assert watch.look((1,), Tasks(0, 0), 2 * PATIENCE) is None
    assert watch.look((1,), Tasks(0, 0), 4 * PATIENCE) is None
    assert watch.look((1,), Tasks(0, 8), 4 * PATIENCE) == (0, 8)
