"""Carry out one plan in this process, and write what it took as JSON: the child process of the benchmark."""

import argparse
import json
import threading
import time
from pathlib import Path
from typing import Any

from pyspark import SparkContext

from spark_deid import app

HEAP_INTERVAL = 1.0


class Stages:
    """The progress callback of a run: when each stage began."""

    def __init__(self) -> None:
        self.began: list[tuple[str, float]] = []

    def __call__(self, message: str) -> None:
        if not message.startswith("warning"):
            self.began.append((message, time.monotonic()))

    def seconds(self, end: float) -> list[tuple[str, float]]:
        ends = [began for _, began in self.began[1:]] + [end]
        return [(name, until - began) for (name, began), until in zip(self.began, ends, strict=True)]


class HeapSampler:
    """Collect garbage in the driver's JVM again and again.

    ``peak`` is the largest heap left, in bytes, with what a job in progress held at that moment; ``last`` is the heap
    left at the end of the run.
    """

    def __init__(self) -> None:
        self.peak = 0
        self.last = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample_until_ended, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _sample_until_ended(self) -> None:
        while not self._ended.wait(HEAP_INTERVAL):
            jvm: Any = SparkContext._jvm
            if jvm is not None:
                jvm.java.lang.System.gc()
                runtime = jvm.java.lang.Runtime.getRuntime()
                self.last = runtime.totalMemory() - runtime.freeMemory()
                self.peak = max(self.peak, self.last)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", type=Path)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--master")
    parser.add_argument("--heap", action="store_true")
    parser.add_argument("--report", type=Path, required=True)
    options = parser.parse_args()

    stages, heap, began = Stages(), HeapSampler(), time.monotonic()
    if options.heap:
        heap.start()
    figures = app.run(options.plan, options.set, master=options.master, progress=stages)
    ended = time.monotonic()
    if options.heap:
        heap.stop()
    told = {"figures": figures.to_json(), "seconds": ended - began, "stages": stages.seconds(ended)}
    told |= {"heap_peak": heap.peak, "heap_last": heap.last}
    options.report.write_text(json.dumps(told))


if __name__ == "__main__":
    main()
