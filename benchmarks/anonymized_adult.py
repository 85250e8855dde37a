"""Adult recoded by both algorithms over k, each written as a Delta table and recounted by pycanon."""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame

import spark_deid as sd
from spark_deid.core.errors import GateRefused
from spark_deid.engine.session import session_scope

FIVE = ("sex", "age", "race", "marital-status", "education")
NINE = (*FIVE, "native-country", "workclass", "occupation", "salary-class")
SENSITIVE = "occupation"
ALGORITHMS: dict[str, dict[str, Any]] = {"mondrian": {}, "incognito": {"suppression": 0.02}}
"""Options of each."""


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    kept = options.json is not None and options.json.exists()
    told: list[dict[str, Any]] = json.loads(options.json.read_text()) if kept else []
    known = {(row["algorithm"], row["quasi"], row["models"]) for row in told}
    with tempfile.TemporaryDirectory() as scratch, session_scope(app_name="adult", master="local[2]") as spark:
        hierarchies = _hierarchies(Path(options.input), Path(scratch, "hierarchies"))
        table = spark.read.option("header", True).option("sep", ";").csv(f"{options.input}/adult.csv.gz")
        table = table.withColumn("age", table["age"].cast("int")).cache()
        for k in options.k:
            for algorithm, (quasi, models) in product(ALGORITHMS, _cases(k)):
                if (algorithm, len(quasi), models) in known:
                    continue
                place = Path(scratch, f"table-{len(told)}")
                told.append(_measured(table, algorithm, quasi, models, hierarchies, place, options.pycanon))
                print(told[-1], flush=True)
                if options.json:
                    options.json.write_text(json.dumps(told, indent=1))


def _cases(k: int) -> list[tuple[tuple[str, ...], str]]:
    """Return quasi-identifiers and models: five with k, l and t, nine with k only."""
    return [(FIVE, f"k={k}"), (FIVE, f"k={k},l=3"), (FIVE, f"k={k},l=3,t=0.3"), (NINE, f"k={k}")]


def _measured(
    table: DataFrame, algorithm: str, quasi: tuple[str, ...], models: str, hierarchies: Path, place: Path, python: str
) -> dict[str, Any]:
    sensitive = (SENSITIVE,) if "l=" in models else ()
    row: dict[str, Any] = {"algorithm": algorithm, "quasi": len(quasi), "models": models}
    began = time.monotonic()
    try:
        done = sd.anonymize(
            table,
            quasi=quasi,
            model=models,
            sensitive=sensitive,
            algorithm=algorithm,
            hierarchies=str(hierarchies),
            distance="equal",  # pycanon's, of categories
            **ALGORITHMS[algorithm],
        )
    except GateRefused:
        return {**row, "refused": True}
    done.table.write.format("delta").save(str(place))
    row |= {"seconds": round(time.monotonic() - began, 1), "rows": done.told["rows"], "classes": done.told["classes"]}
    loss = done.told["loss"]
    row |= {"ncp": round(loss["ncp"], 4), "average_class_size": round(loss["average_class_size_over_k"], 2)}
    row |= {"discernibility": loss["discernibility"], "suppressed": done.told["suppressed_rows"]}
    row["found"] = {each.guarantee: each.value for each in done.assessments}
    row["pycanon"] = _recounted(python, place, quasi, sensitive)
    return row


def _recounted(python: str, folder: Path, quasi: Sequence[str], sensitive: Sequence[str]) -> Any:
    script = Path(__file__).with_name("recount_by_pycanon.py")
    given = ["--quasi", ",".join(quasi), "--sensitive", ",".join(sensitive)]
    done = subprocess.run([python, str(script), str(folder), *given], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _hierarchies(source: Path, folder: Path) -> Path:
    """Name ARX's files as columns are named."""
    folder.mkdir()
    for path in source.glob("adult_hierarchy_*.csv"):
        shutil.copy(path, folder / path.name.removeprefix("adult_hierarchy_"))
    return folder


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--input", required=True, help="ARX's folder of Adult: adult.csv.gz, adult_hierarchy_COLUMN.csv"
    )
    parser.add_argument("--k", type=int, nargs="+", default=[2, 3, 5, 10, 20, 50, 100])
    parser.add_argument("--pycanon", required=True, help="the Python of an environment with pycanon and pyarrow")
    parser.add_argument("--json", type=Path, help="where figures go; those that stand there are not taken again")
    return parser.parse_args(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    main()
