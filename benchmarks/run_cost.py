"""Compare what `spark-deid run` costs in two checkouts: processor time of all processes, time by the clock, memory."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil
from memory import MemorySampler

_INTERVAL = 0.1
_BARE = """
import sys
from pathlib import Path
from spark_deid.engine.session import session_scope
from spark_deid.engine.settings import SessionPace
folder = Path(sys.argv[1])
with session_scope(app_name="bare", local_dir=folder / "scratch", pace=SessionPace.SHORT) as spark:
    for name in ("one", "two"):
        spark.range(10).write.format("delta").save((folder / name).as_uri())
"""


@dataclass(frozen=True)
class Cost:
    """What one command took: processor seconds of its whole tree, seconds by the clock, bytes of memory at the peak.

    ``workers`` is the memory of all Python workers together, ``largest_worker`` that of the largest one, ``driver``
    that of the driver's Python, ``jvm`` its JVM's.
    """

    cpu: float
    wall: float
    memory: int
    workers: int = 0
    driver: int = 0
    jvm: int = 0
    largest_worker: int = 0


@dataclass(frozen=True)
class Case:
    """A command to measure, made again for each round in a separate folder."""

    name: str
    checkout: Path
    command: Callable[[Path], list[str]]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    cases = [case for checkout in options.checkout for case in _cases(checkout, options)]
    costs: dict[str, list[Cost]] = {case.name: [] for case in cases}
    for turn in range(options.times):
        for case in cases:
            costs[case.name].append(measure(case, options.scratch))
            print(f"{turn + 1} {case.name} {costs[case.name][-1]}", file=sys.stderr, flush=True)
    medians = {name: _median(found) for name, found in costs.items()}
    for name, cost in medians.items():
        print(f"{name}: {cost.cpu:.1f} s CPU, {cost.wall:.1f} s, {cost.memory / 1e6:.0f} MB")
    _print_ratios([Path(checkout).name for checkout in options.checkout], medians)
    if options.json:
        options.json.write_text(json.dumps({name: [asdict(c) for c in found] for name, found in costs.items()}))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="+", help="checkouts to compare, the old one first")
    parser.add_argument("--plan", default="conf/patterns.yaml", help="a plan inside each checkout")
    parser.add_argument("--set", action="append", default=[], help="a setting of the plan; may be repeated")
    parser.add_argument("--small", type=Path, help="a few documents as JSON lines: their run's cost is taken off")
    parser.add_argument("--large", type=Path, help="many documents as JSON lines")
    parser.add_argument("--bare", action="store_true", help="time a session with two small Delta commits beside them")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    return parser.parse_args(arguments)


def _cases(checkout: Path, options: argparse.Namespace) -> list[Case]:
    checkout = checkout.resolve()
    inputs = {"small": options.small, "large": options.large}

    def run(corpus: Path) -> Callable[[Path], list[str]]:
        return lambda folder: _run_command(corpus.resolve(), folder, options)

    cases = [Case(f"{checkout.name} {size}", checkout, run(path)) for size, path in inputs.items() if path]
    if options.bare:
        cases.append(Case(f"{checkout.name} bare", checkout, lambda folder: [sys.executable, "-c", _BARE, str(folder)]))
    return cases


def _run_command(corpus: Path, folder: Path, options: argparse.Namespace) -> list[str]:
    places = {"input.path": corpus, "input.format": "jsonl"}
    places |= {name: folder / name for name in ("workspace", "release")}
    settings = [*(f"{key}={value}" for key, value in places.items()), *options.set]
    command = [sys.executable, "-m", "spark_deid.cli", "run", options.plan]
    return [*command, *(word for setting in settings for word in ("--set", setting))]


def measure(case: Case, scratch: Path) -> Cost:
    """Run a command to its end; every process that it leaves behind is this one's child, and is waited for."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        began = time.monotonic()
        process = subprocess.Popen(
            case.command(Path(folder)),
            cwd=case.checkout,
            env=os.environ | {"PYTHONPATH": str(case.checkout)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        spent: dict[tuple[int, float], float] = {}
        with MemorySampler(psutil.Process(), psutil.Process(process.pid)) as sampler:
            while process.poll() is None:
                _sample(process.pid, spent)
                time.sleep(_INTERVAL)
            wall = time.monotonic() - began
        if process.returncode:
            sys.exit(f"{case.name}: exit code {process.returncode}")
        parts = (sampler.peaks.get(part, 0) for part in ("all", "Python workers", "driver Python", "driver JVM"))
        return Cost(sum(spent.values()), wall, *parts, sampler.largest.get("Python workers", 0))


def _sample(pid: int, spent: dict[tuple[int, float], float]) -> None:
    """Note what each process of a tree has spent so far; a process keeps its last figure when it ends.

    The system's own sums do not show: PySpark's daemon ignores the end of its workers, and no one gets their times.
    """
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                times = process.cpu_times()
                spent[process.pid, process.create_time()] = times.user + times.system


def _median(found: Sequence[Cost]) -> Cost:
    cpu, wall = (statistics.median(getattr(cost, name) for cost in found) for name in ("cpu", "wall"))
    return Cost(cpu, wall, round(statistics.median(cost.memory for cost in found)))


def _print_ratios(names: Sequence[str], medians: dict[str, Cost]) -> None:
    """Print the last checkout's fraction of the first one's costs."""
    first, last = names[0], names[-1]
    if first == last:
        return
    for what, attribute, minuend, subtrahend in (
        ("CPU of the large beyond the small", "cpu", "large", "small"),
        ("clock of the large", "wall", "large", None),
        ("clock of the small beyond the bare session", "wall", "small", "bare"),
    ):
        old, new = (_difference(medians, name, attribute, minuend, subtrahend) for name in (first, last))
        if old and new:
            print(f"{what}: {old:.1f} s, {new:.1f} s, ratio {new / old:.2f}")


def _difference(
    medians: dict[str, Cost], name: str, attribute: str, minuend: str, subtrahend: str | None
) -> float | None:
    wanted = [f"{name} {part}" for part in (minuend, subtrahend) if part]
    if not all(part in medians for part in wanted):
        return None
    values = [float(getattr(medians[part], attribute)) for part in wanted]
    return values[0] - sum(values[1:])


if __name__ == "__main__":
    main()
