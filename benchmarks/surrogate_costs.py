"""Compare what surrogates, shifted dates and pseudonyms cost with what suppression does, on the same documents in turn.

    python benchmarks/surrogate_costs.py --input notes.jsonl --times 3

Documents are JSON lines with gold spans as `spark-deid synthesize` makes them. Each turn carries out both plans, once
the one first and once the other; printed are ratios of processor seconds of the whole tree of processes, turn by turn,
and the peak memory of all Python workers and of the largest one.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from run_cost import Case, Cost, measure

CHECKOUT = Path(__file__).resolve().parent.parent
SURROGATES = ("NAME", "LOCATION", "ORGANIZATION", "PHONE", "ID", "HOSPITAL", "EMAIL", "URL")
RULES = {
    "suppression": {"*": "suppress"},
    "surrogates": {
        **dict.fromkeys(SURROGATES, "surrogate"),
        "DATE": "shift",
        "PROFESSION": {"technique": "pseudonym", "scope": "subject"},
        "*": "suppress",
    },
}
DETECTORS = {"gold": {}, "patterns": {"patterns": {"kinds": ["email", "phone", "url", "date"]}}}
"""Sources of spans: gold only, where techniques do all the work, or patterns and gold."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    costs: dict[str, list[Cost]] = {name: [] for name in RULES}
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        cases = [_case(name, Path(scratch), options) for name in RULES]
        for turn in range(options.times):
            for case in cases if turn % 2 == 0 else reversed(cases):
                costs[case.name].append(measure(case, options.scratch))
                print(f"{turn + 1} {case.name} {costs[case.name][-1]}", file=sys.stderr, flush=True)
    _print(costs)
    if options.json:
        options.json.write_text(json.dumps({name: [each.__dict__ for each in found] for name, found in costs.items()}))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, required=True, help="documents as JSON lines with gold spans")
    parser.add_argument("--detector", choices=DETECTORS, default="gold")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    return parser.parse_args(arguments)


def _case(name: str, place: Path, options: argparse.Namespace) -> Case:
    """Write a plan, and return the command that carries it out in a separate folder."""
    found = DETECTORS[options.detector]
    plan = {
        **{"input": {"path": str(options.input.resolve()), "format": "jsonl"}, "workspace": "w", "release": "r"},
        **{"sources": ["gold", *found], "rules": RULES[name], **found},
    }
    path = place / f"{name}.yaml"
    path.write_text(json.dumps(plan))
    return Case(name, CHECKOUT, _command(path))


def _command(plan: Path) -> Callable[[Path], list[str]]:
    def command(folder: Path) -> list[str]:
        places = [f"{part}={folder / part}" for part in ("workspace", "release")]
        settings = [word for each in places for word in ("--set", each)]
        return [sys.executable, "-m", "spark_deid.cli", "run", str(plan), *settings]

    return command


def _print(costs: dict[str, list[Cost]]) -> None:
    print("| rules | CPU s | workers, MB | largest worker, MB |\n|---|---|---|---|")
    for name, found in costs.items():
        cpu = statistics.median(each.cpu for each in found)
        workers, largest = (
            statistics.median(getattr(each, part) for each in found) / 1e6 for part in ("workers", "largest_worker")
        )
        print(f"| {name} | {cpu:.1f} | {workers:.0f} | {largest:.0f} |")
    ratios = [made.cpu / plain.cpu for plain, made in zip(*costs.values(), strict=True)]
    print(
        f"CPU of surrogates over suppression: {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
    )


if __name__ == "__main__":
    main()
