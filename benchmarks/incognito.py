"""Incognito on a table and hierarchies of ARX's form: time by k, what is lost, and what a recount of others finds."""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.spark.assessment import assess_table
from spark_deid.anonymity.spark.incognito import FullDomain, recode, search_full_domain
from spark_deid.core.errors import GateRefused
from spark_deid.engine.session import session_scope
from spark_deid.ontology.hierarchy import read_hierarchy

FIVE = ("sex", "age", "race", "marital-status", "education")
NINE = (*FIVE, "native-country", "workclass", "occupation", "salary-class")
SENSITIVE = "occupation"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch, session_scope(app_name="incognito", master="local[2]") as spark:
        place = f"{options.input}/{options.name}.csv.gz"
        table = spark.read.option("header", True).option("sep", ";").csv(place).cache()
        told = [
            row
            for k in options.k
            for claim, share in _cases(options, k)
            for row in [_measured(spark, table, claim, share, options, Path(scratch))]
        ]
    if options.json:
        options.json.write_text(json.dumps(told, indent=1))


def _cases(options: argparse.Namespace, k: int) -> list[tuple[PrivacyClaim, float]]:
    """Five quasi-identifiers with k, l and t, each with and without rows to suppress, and nine with k only."""
    five = [f"k={k}", f"k={k},l=3", f"k={k},l=3,t=0.3"]
    claims = [_claim(options, FIVE, models, (SENSITIVE,)) for models in five]
    return [*((claim, share) for claim in claims for share in (0.0, 0.02)), (_claim(options, NINE, f"k={k}", ()), 0.02)]


def _claim(
    options: argparse.Namespace, quasi: tuple[str, ...], models: str, sensitive: tuple[str, ...]
) -> PrivacyClaim:
    paths = {name: Path(options.input, f"{options.name}_hierarchy_{name}.csv") for name in quasi}
    return PrivacyClaim(
        quasi, read_models(models), sensitive, hierarchies={n: read_hierarchy(p).rows for n, p in paths.items()}
    )


def _measured(
    spark: SparkSession, table: DataFrame, claim: PrivacyClaim, share: float, options: argparse.Namespace, scratch: Path
) -> dict[str, Any]:
    row: dict[str, Any] = {"quasi": len(claim.quasi), "models": str(claim.models), "suppression": share}
    try:
        found, seconds = _timed(table, claim, share, options.times)
    except GateRefused:
        print({**row, "refused": True}, flush=True)
        return {**row, "refused": True}
    folder = scratch / "published"
    began = time.monotonic()
    recode(table, found).write.mode("overwrite").parquet(str(folder))
    row |= {"search_s": round(seconds, 2), "recode_s": round(time.monotonic() - began, 2)}
    recount = assess_table(spark.read.parquet(str(folder)), claim)
    loss = found.choice.loss
    row |= {"nodes": found.search.nodes, "looked_at": found.search.looked_at, "minimal": len(found.search.minimal)}
    row |= {"suppressed": found.choice.outcome.suppressed, "classes": recount.classes, "ncp": round(loss.ncp, 4)}
    row |= {"average_class_size": round(loss.average_class_size_over_k, 1), "precision": round(loss.precision, 4)}
    row |= {"holds": recount.satisfied, "found": {a.assessment.guarantee: a.assessment.value for a in recount.assessed}}
    if options.pycanon:
        row["pycanon"] = _recounted(options.pycanon, folder, claim)
    print(row, flush=True)
    return row


def _timed(table: DataFrame, claim: PrivacyClaim, share: float, times: int) -> tuple[FullDomain, float]:
    seconds = []
    for _ in range(times):
        began = time.monotonic()
        found = search_full_domain(table, claim, suppression=share)
        seconds.append(time.monotonic() - began)
    return found, statistics.median(seconds)


def _recounted(python: str, folder: Path, claim: PrivacyClaim) -> Any:
    script = Path(__file__).with_name("recount_by_pycanon.py")
    given = ["--quasi", ",".join(claim.quasi), "--sensitive", ",".join(claim.sensitive)]
    done = subprocess.run([python, str(script), str(folder), *given], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True, help="folder of NAME.csv.gz and NAME_hierarchy_COLUMN.csv")
    parser.add_argument("--name", default="adult")
    parser.add_argument("--k", type=int, nargs="+", default=[2, 3, 5, 10, 20, 50, 100])
    parser.add_argument("--times", type=int, default=1, help="the median search of so many")
    parser.add_argument("--pycanon", help="the Python of an environment with pycanon, which recounts too")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(sys.argv[1:] if arguments is None else arguments)


if __name__ == "__main__":
    main()
