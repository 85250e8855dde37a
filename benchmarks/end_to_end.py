"""Measure `spark-deid run` from end to end: throughput of the whole and of each stage, and peak memory."""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
from memory import MemorySampler
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(sys.executable).with_name("spark-deid")
BYTES_PER_DOCUMENT = 2_500
WORD = re.compile(r"\w+")
PARTS = ("driver Python", "driver JVM", "Python workers", "executor JVMs", "all")


@dataclass(frozen=True)
class Size:
    """What a corpus holds: documents, bytes of text and word tokens."""

    documents: int
    text_bytes: int
    words: int


@dataclass(frozen=True)
class Stage:
    """A stage and its fraction of the run."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Measurement:
    """One run: memory in bytes; the heap, at its peak and at the end, is None where it was not asked for."""

    size: Size
    cores: int
    seconds: float
    stages: tuple[Stage, ...]
    memory: dict[str, int]
    heap_peak: int | None
    heap_last: int | None


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    console = Console()
    measurements = [_measure(megabytes, options) for megabytes in options.megabytes]
    console.print(overview(measurements))
    console.print(memory_table(measurements))
    for measurement in measurements:
        console.print(stage_table(measurement))
    if options.json:
        options.json.write_text(json.dumps([asdict(measurement) for measurement in measurements], indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[1, 10, 100], help="sizes of the corpora")
    parser.add_argument("--data", type=Path, default=ROOT / "out" / "benchmark", help="where the corpora are kept")
    parser.add_argument("--plan", type=Path, default=ROOT / "conf" / "patterns.yaml")
    parser.add_argument("--set", action="append", default=[], help="a setting of the plan; may be repeated")
    parser.add_argument("--master", help="a Spark master; the local cores by default")
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="cores that the run has; all by default")
    parser.add_argument("--heap", action="store_true", help="measure the driver's heap in a second run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args(arguments)


def _measure(megabytes: float, options: argparse.Namespace) -> Measurement:
    corpus = options.data / f"{megabytes:g}MB-{options.seed}"
    print(f"{megabytes:g} MB", file=sys.stderr)
    if not corpus.exists():
        _synthesize(corpus, round(megabytes * 1e6 / BYTES_PER_DOCUMENT), options.seed)
    size = measure_corpus(corpus)
    told, memory = _run(corpus, options, heap=False)
    heap = _run(corpus, options, heap=True)[0] if options.heap else {}
    stages = tuple(Stage(_short(name, corpus), seconds) for name, seconds in told["stages"])
    return Measurement(
        size, options.cores, told["seconds"], stages, memory, heap.get("heap_peak"), heap.get("heap_last")
    )


def _short(message: str, corpus: Path) -> str:
    return message.replace(f" {corpus}", "").partition(":")[0].removesuffix(" to the workspace")


def _synthesize(corpus: Path, documents: int, seed: int) -> None:
    """Make a corpus under another name first: one that was cut short is not taken for whole."""
    part = corpus.with_name(f"{corpus.name}.{time.time_ns()}")
    options = ["--documents", str(documents), "--seed", str(seed), "--format", "jsonl"]
    command: list[str | Path] = [PROGRAM, "synthesize", *options]
    subprocess.run([*command, "--output", part], check=True, stdout=subprocess.DEVNULL)
    part.rename(corpus)


def measure_corpus(corpus: Path) -> Size:
    """Count what a folder of JSON lines holds."""
    documents = text_bytes = words = 0
    for line in _lines(corpus):
        text = json.loads(line)["text"]
        documents += 1
        text_bytes += len(text.encode())
        words += sum(1 for _ in WORD.finditer(text))
    return Size(documents, text_bytes, words)


def _lines(corpus: Path) -> Iterator[bytes]:
    for path in sorted(corpus.glob("[!._]*.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield from file


def _run(corpus: Path, options: argparse.Namespace, *, heap: bool) -> tuple[dict[str, Any], dict[str, int]]:
    with tempfile.TemporaryDirectory(dir=options.data) as folder:
        report = Path(folder) / "report.json"
        places = {"input.path": corpus, "input.format": "jsonl"}
        places |= {name: Path(folder) / name for name in ("workspace", "release")}
        settings = [*(f"{key}={value}" for key, value in places.items()), *options.set]
        command = [sys.executable, Path(__file__).with_name("measured_run.py"), options.plan, "--report", report]
        command += [f"--set={setting}" for setting in settings]
        command += [f"--master={options.master}"] if options.master else []
        command += ["--heap"] if heap else []
        memory = _watch([str(word) for word in command], on_cluster=options.master is not None)
        return json.loads(report.read_text()), memory


def _watch(command: list[str], *, on_cluster: bool) -> dict[str, int]:
    """Run a command and give its peaks of memory; a cluster's workers are children of what started this program."""
    process = subprocess.Popen(command)
    root = psutil.Process(os.getppid() if on_cluster else os.getpid())
    with MemorySampler(root, psutil.Process(process.pid)) as sampler:
        code = process.wait()
    if code:
        sys.exit(code)
    return sampler.peaks


def overview(measurements: Sequence[Measurement]) -> Table:
    """Tabulate throughput of whole runs."""
    table = _table("Whole runs", "MB", "documents", "words", "s", "MB/s", "MB/s/core", "words/s/core")
    for measured in measurements:
        size = measured.size
        table.add_row(
            f"{size.text_bytes / 1e6:.1f}",
            f"{size.documents:,}",
            f"{size.words:,}",
            f"{measured.seconds:.1f}",
            *_rates(measured, measured.seconds),
        )
    return table


def memory_table(measurements: Sequence[Measurement]) -> Table:
    """Tabulate peaks of memory."""
    table = _table("Peak memory in MiB", "MB", *PARTS, "heap left", "at the end")
    for measured in measurements:
        peaks = (_mebibytes(measured.memory.get(part)) for part in PARTS)
        table.add_row(
            f"{measured.size.text_bytes / 1e6:.1f}", *peaks, *map(_mebibytes, (measured.heap_peak, measured.heap_last))
        )
    return table


def stage_table(measured: Measurement) -> Table:
    """Tabulate the stages of a run."""
    name = f"Stages at {measured.size.text_bytes / 1e6:.1f} MB"
    table = _table(name, "s", "share", "MB/s", "MB/s/core", "words/s/core", first="stage")
    for stage in measured.stages:
        share = f"{stage.seconds / measured.seconds:.0%}"
        table.add_row(stage.name, f"{stage.seconds:.2f}", share, *_rates(measured, stage.seconds))
    return table


def _rates(measured: Measurement, seconds: float) -> tuple[str, str, str]:
    spent = max(seconds, 1e-3)
    speed = measured.size.text_bytes / 1e6 / spent
    return f"{speed:.2f}", f"{speed / measured.cores:.2f}", f"{measured.size.words / spent / measured.cores:,.0f}"


def _mebibytes(count: int | None) -> str:
    return "-" if count is None else f"{count / (1 << 20):,.0f}"


def _table(title: str, *columns: str, first: str | None = None) -> Table:
    table = Table(title=title, title_justify="left")
    if first:
        table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


if __name__ == "__main__":
    main()
