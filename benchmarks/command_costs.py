"""Compare what every command costs in checkouts: processor time of all processes, time by the clock, memory."""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from run_cost import Case, Cost, measure

_GOLD = "spark_deid/samples/meddocan-dev-sample.jsonl.gz"
_COMMANDS = {
    "version": "version",
    "doctor": "doctor",
    "synthesize": "synthesize --documents {documents} --seed 7 --output {place}/corpus",
    "explain": "explain conf/suppress.yaml --set model={model}",
    "convert": "convert {place}/corpus {place}/brat --from jsonl --to brat",
    "train": "train --input spark_deid/samples/meddocan-train-sample.jsonl.gz --format jsonl --output {place}/model"
    " --iterations 30 --max-rounds 2",
    "evaluate": f"evaluate --gold {_GOLD} --format jsonl --model {{model}}",
    "detect": "detect --model {model} --input {place}/corpus --format jsonl --output {place}/found --to jsonl",
    "export": "export {model} {place}/public",
    "run, patterns": "run conf/patterns.yaml --set input.path={place}/corpus --set input.format=jsonl"
    " --set workspace={place}/patterns-workspace --set release={place}/patterns",
    "run, model": "run conf/suppress.yaml --set model={model} --set input.path={place}/corpus --set input.format=jsonl"
    " --set workspace={place}/suppress-workspace --set release={place}/suppress",
    "run, rare text": "run conf/repeats.yaml --set input.path={place}/corpus --set input.format=jsonl"
    " --set workspace={place}/rare-workspace --set release={place}/rare",
    "repeats": "repeats --input {place}/corpus --format jsonl --k 5 --output {place}/common"
    " --workspace {place}/private",
    "assess": "assess --release {place}/rare --workspace {place}/rare-workspace --k 2 --unit document",
    "run, sample": "run conf/suppress.yaml --set model={model} --set workspace={place}/sample-workspace"
    " --set release={place}/sample",
    "attack": "attack --release {place}/sample --workspace {place}/sample-workspace --learners crf"
    f" --gold {_GOLD} --format jsonl",
    "demo": "demo --output {place}/demo",
}


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    costs: dict[tuple[str, Path], list[Cost]] = {}
    for turn in range(options.times):
        with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
            for name in options.only or _COMMANDS:
                for number, checkout in enumerate(options.checkout):
                    case = _case(name, checkout.resolve(), Path(scratch) / str(number), options)
                    cost = measure(case, options.scratch)
                    costs.setdefault((name, checkout), []).append(cost)
                    print(f"{turn + 1} {name} {checkout.name} {cost}", file=sys.stderr, flush=True)
    _print_table(options.checkout, costs)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="+", help="checkouts to compare, the old one first")
    parser.add_argument("--model", type=Path, required=True, help="a model folder that every checkout can read")
    parser.add_argument("--documents", type=int, default=2000, help="documents to synthesize, about 2.5 kB each")
    parser.add_argument("--only", nargs="+", choices=_COMMANDS, help="these commands, with those that they build on")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    return parser.parse_args(arguments)


def _case(name: str, checkout: Path, place: Path, options: argparse.Namespace) -> Case:
    place.mkdir(parents=True, exist_ok=True)
    given = {"place": place, "model": options.model.resolve(), "documents": options.documents}
    words = [word.format(**given) for word in _COMMANDS[name].split()]
    return Case(f"{name} {checkout.name}", checkout, lambda _: [sys.executable, "-m", "spark_deid.cli", *words])


def _print_table(checkouts: Sequence[Path], costs: dict[tuple[str, Path], list[Cost]]) -> None:
    names = [checkout.resolve().name for checkout in checkouts]
    print("| command |" + "".join(f" {name}: CPU s | s | MB |" for name in names))
    print("|---|" + "---|---|---|" * len(names))
    for name in dict.fromkeys(name for name, _ in costs):
        cells = [_cells(costs[name, checkout]) for checkout in checkouts]
        print(f"| `{name}` |" + "".join(cells))


def _cells(found: Sequence[Cost]) -> str:
    names = ("cpu", "wall", "memory")
    cpu, wall, memory = (statistics.median(getattr(cost, name) for cost in found) for name in names)
    return f" {cpu:.1f} | {wall:.1f} | {memory / 1e6:.0f} |"


if __name__ == "__main__":
    main()
