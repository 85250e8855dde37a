"""Peak memory of a tree of processes, by the part that each plays in Spark."""

import threading
from collections import Counter
from types import TracebackType

import psutil

INTERVAL = 0.25


class MemorySampler:
    """Sample a process and all below it until the end of the ``with`` block; ``peaks`` is in bytes by part.

    ``largest`` is the same of the largest process of each part. Proportional set size divides shared pages among their
    users: forked workers do not count the same page twice.
    """

    def __init__(self, root: psutil.Process, driver: psutil.Process) -> None:
        self.peaks: dict[str, int] = {}
        self.largest: dict[str, int] = {}
        self._root = root
        self._driver = driver
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_until_ended, daemon=True)

    def __enter__(self) -> "MemorySampler":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _sample_until_ended(self) -> None:
        while not self._ended.wait(INTERVAL):
            sample = self._sample()
            sample["all"] = sum(sample.values())
            self.peaks = {part: max(sample[part], self.peaks.get(part, 0)) for part in {*sample, *self.peaks}}

    def _sample(self) -> Counter[str]:
        sample: Counter[str] = Counter()
        for process in self._root.children(recursive=True):
            try:
                part = part_of(process.cmdline(), is_driver=process == self._driver)
                if part:
                    size = process.memory_full_info().pss
                    sample[part] += size
                    self.largest[part] = max(size, self.largest.get(part, 0))
            except psutil.Error:
                continue  # it ended meanwhile
        return sample


def part_of(command: list[str], *, is_driver: bool) -> str | None:
    """Name the part that a process plays; None for what is not part of the run, such as the servers of a cluster."""
    if is_driver:
        return "driver Python"
    words = " ".join(command)
    # JVMs first: their settings name the daemon of the workers too.
    if "CoarseGrainedExecutorBackend" in words:
        return "executor JVMs"
    if "org.apache.spark.deploy.SparkSubmit" in words:
        return "driver JVM"
    if any(name in words for name in ("pyspark.daemon", "pyspark/daemon", "spark_deid.engine.daemon")):
        return "Python workers"
    return None
