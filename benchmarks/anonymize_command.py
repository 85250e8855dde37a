"""The command `anonymize` on tables of several sizes: what each took, and further rows a second beyond the first."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow.dataset as ds
from run_cost import Case, Cost, measure


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    told = []
    for turn in range(options.times):
        first: tuple[int, Cost] | None = None
        for place in options.inputs:
            rows = ds.dataset(place).count_rows()
            cost = measure(_case(place, options), options.scratch)
            row = {"turn": turn + 1, "rows": rows, **asdict(cost)}
            if first is not None:
                row["further_rows_a_second"] = (rows - first[0]) / (cost.wall - first[1].wall)
                row["further_rows_a_cpu_second"] = (rows - first[0]) / (cost.cpu - first[1].cpu)
            first = first or (rows, cost)
            told.append(row)
            print(json.dumps(row), flush=True)
    if options.json:
        options.json.write_text(json.dumps(told, indent=1))


def _case(place: Path, options: argparse.Namespace) -> Case:
    given = ["--input", str(place.resolve()), "--quasi", options.quasi, "--model", options.model]
    given += ["--sensitive", options.sensitive] if options.sensitive else []
    given += ["--master", options.master]

    command = [sys.executable, "-m", "spark_deid.cli", "anonymize", *given]
    return Case(place.name, Path(__file__).parents[1], lambda folder: [*command, "--output", str(folder / "out")])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", type=Path, nargs="+", help="tables that `mondrian.py table` made, the smallest first")
    parser.add_argument("--quasi", default="age,zip,date,income,hours")
    parser.add_argument("--model", default="k=10")
    parser.add_argument("--sensitive", default="")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
