"""What the identifier view costs beyond a run that suppresses: processor time by the size of a corpus, driver's memory.

    python benchmarks/identity_costs.py --model out/identity/model --corpus out/notes-4000 --corpus out/notes-12000
    python benchmarks/identity_costs.py --model out/identity/model --corpus out/notes-2000 --splink

A corpus is a folder of `synthesize --attributes`, with its people in `<folder>-persons`. Each is released twice
with one model: every span suppressed, and by the identifier view (`link: subject`, k=5 and frequency-l=2); with
`--splink` a third time, by the view of people that splink infers of the same documents without their `subject_id`.
Processor time is that of all processes of a run, and includes its start.
"""

import argparse
import json
import sys
import tempfile
from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import yaml
from identity_notes import plan_of
from run_cost import Case, Cost, measure

HERE = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--corpus", type=Path, action="append", required=True, help="may be repeated: small, large")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--l", type=float, default=2)
    parser.add_argument("--splink", action="store_true", help="run linkage by splink too")
    given = parser.parse_args()
    names = ["suppressed", "identity", *(["splink"] if given.splink else [])]
    costs: dict[str, list[Cost]] = {name: [] for name in names}
    sizes = [_megabytes(corpus) for corpus in given.corpus]
    for corpus, size in zip(given.corpus, sizes, strict=True):
        for name, found in costs.items():
            case = Case(name, HERE, partial(_command, given=given, corpus=corpus, name=name))
            found.append(measure(case, given.scratch))
            cost = found[-1]
            print(
                f"{size:.1f} MB {name}: {cost.cpu:.1f} s CPU, {cost.wall:.0f} s, driver {cost.driver / 2**20:.0f} MiB,"
                f" JVM {cost.jvm / 2**20:.0f} MiB, workers {cost.workers / 2**20:.0f} MiB",
                flush=True,
            )
        for name in costs.keys() - {"suppressed"}:
            print(f"{size:.1f} MB: {name} ratio {costs[name][-1].cpu / costs['suppressed'][-1].cpu:.2f}", flush=True)
    if len(sizes) > 1:
        _tell_growth(sizes, {name: [cost.cpu for cost in found] for name, found in costs.items()})


def _megabytes(corpus: Path) -> float:
    """Return how much text a corpus has, in units of 10^6 bytes of UTF-8."""
    return (
        sum(
            len(json.loads(line)["text"].encode())
            for path in sorted(corpus.glob("*.jsonl"))
            for line in path.open(encoding="utf-8")
        )
        / 1e6
    )


def _command(folder: Path, *, given: Namespace, corpus: Path, name: str) -> list[str]:
    plan = plan_of(given, corpus.resolve(), given.model.resolve(), folder)
    if name == "suppressed":
        plan = {key: value for key, value in plan.items() if key not in ("identity", "anonymity", "rules")}
        plan["sources"] = ["model"]
    if name == "splink":
        identity = {key: value for key, value in plan["identity"].items() if key != "table"}
        plan["identity"] = identity | {"link": "splink"}
        plan["input"] = {"path": str(_nobodys(corpus, folder / "notes")), "format": "jsonl"}
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
    return [sys.executable, "-m", "spark_deid.cli", "run", str(folder / "plan.yaml")]


def _nobodys(corpus: Path, folder: Path) -> Path:
    """Copy notes without the name of their person."""
    folder.mkdir()
    for path in sorted(corpus.glob("*.jsonl")):
        with path.open(encoding="utf-8") as given, (folder / path.name).open("w", encoding="utf-8") as copy:
            for note in map(json.loads, given):
                del note["subject_id"]
                copy.write(json.dumps(note, ensure_ascii=False) + "\n")
    return folder


def _tell_growth(sizes: list[float], spent: Mapping[str, list[float]]) -> None:
    """Print what the last corpus spends beyond the first, that is without the start."""
    beyond = {name: seconds[-1] - seconds[0] for name, seconds in spent.items()}
    text = sizes[-1] - sizes[0]
    each = ", ".join(f"{name} {seconds / text:.2f}" for name, seconds in beyond.items())
    print(f"s CPU a further MB: {each}; ratio {beyond['identity'] / beyond['suppressed']:.2f}")


if __name__ == "__main__":
    main()
