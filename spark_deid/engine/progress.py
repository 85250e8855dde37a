"""Tasks that an engine works on."""

from typing import Any, NamedTuple

from pyspark.sql import SparkSession

from spark_deid.engine.engines import is_classic


class TaskCounts(NamedTuple):
    """Tasks of the stages that run."""

    done: int
    all: int


class TaskTracker:
    """The jobs of a session, as its JVM reports them; a session without a JVM has no report."""

    def __init__(self, spark: SparkSession) -> None:
        self._tracker: Any = spark.sparkContext.statusTracker() if is_classic(spark) else None

    def jobs(self) -> tuple[int, ...]:
        """Return the numbers of jobs that run."""
        return tuple(self._tracker.getActiveJobsIds()) if self._tracker else ()

    def tasks(self) -> TaskCounts:
        """Count the tasks of the stages that run."""
        stages = [self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds()]
        known = [stage for stage in stages if stage is not None]
        return TaskCounts(sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known))
