"""Mondrian: what it loses on Adult, its speed on one core and on Spark, and beside others."""

import argparse
import gzip
import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from plain_mondrian import ncp, plain_mondrian

from spark_deid.anonymity.attribute import CodedAttribute, attribute_of
from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.coding import coder_of, constraint_for
from spark_deid.anonymity.kernels.class_loss import sum_covered_shares
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.partition import UnitRows, cut_part
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.anonymity.space import space_of

ADULT = (
    *("age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship"),
    *("race", "sex", "gain", "loss", "hours", "native_country", "income"),
)
QUASI = ("age", "workclass", "education_num", "marital_status", "occupation", "race", "sex", "native_country")
NUMBERS = ("age", "education_num")
FIVE = ("age", "zip", "date", "income", "hours")
ANJANA = """
import sys, time, json, pandas as pd, numpy as np
from anjana.anonymity import k_anonymity
frame = pd.read_parquet(sys.argv[1])
names = json.loads(sys.argv[2])
levels = {}
for name in names:
    values = frame[name].to_numpy()
    low, span = values.min(), values.max() - values.min() + 1
    levels[name] = {0: values}
    for level, parts in enumerate((32, 8, 2), 1):
        width = max(span // parts, 1)
        starts = (values - low) // width * width + low
        levels[name][level] = np.array([f"[{at}, {at + width})" for at in starts])
    levels[name][4] = np.array(["*"] * len(values))
began = time.process_time()
found = k_anonymity(frame, [], names, 10, 20, levels)
print(json.dumps({"seconds": time.process_time() - began, "rows": len(found)}))
"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    adult = commands.add_parser("adult", help="NCP at k = 10 on the complete rows of Adult")
    adult.add_argument("--data", type=Path, required=True, help="adult.data.gz of the UCI repository")
    adult.add_argument("--hierarchies", type=Path, help="adult_<column>.txt, labels of a value with ; between")
    adult.set_defaults(run=_adult)
    core = commands.add_parser("core", help="one core, beside plain Python and anjana")
    core.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    core.add_argument("--anjana", help="the Python of an environment with anjana; 100,000 rows at most")
    core.set_defaults(run=_core)
    spark = commands.add_parser("spark", help="cut, recode and write tables of Parquet on local[2]")
    spark.add_argument("inputs", nargs="+")
    spark.add_argument("--models", default="k=10")
    spark.add_argument("--sensitive", default="")
    spark.add_argument("--master", default="local[2]")
    spark.add_argument("--repeat", type=int, default=2)
    spark.set_defaults(run=_spark)
    synthetic = commands.add_parser("table", help="make a table of five quasi-identifiers and a sensitive column")
    synthetic.add_argument("--rows", type=int, required=True)
    synthetic.add_argument("--output", type=Path, required=True)
    synthetic.set_defaults(run=_table)
    options = parser.parse_args(arguments)
    for told in options.run(options):
        print(json.dumps(told), flush=True)


def made_up(rows: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(0)
    values = {
        "age": np.clip(random.normal(45, 18, rows), 0, 99),
        "zip": random.zipf(1.3, rows) % 900 * 100 + random.integers(0, 100, rows),
        "date": random.integers(0, 3650, rows),
        "income": np.round(random.lognormal(10.5, 0.7, rows), -2),
        "hours": np.clip(random.normal(40, 10, rows), 1, 99),
    }
    return {name: column.astype(np.int64) for name, column in values.items()}


def _table(options: argparse.Namespace) -> Any:
    table = made_up(options.rows)
    names = ["flu", "cold", "asthma", "ulcer", "cancer", "gout", "angina", "burn"]
    shares = [0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04]
    disease = np.random.default_rng(5).choice(names, options.rows, p=shares)
    whole = pa.table({**table, "disease": disease})
    options.output.mkdir(parents=True)
    for at in range(8):
        first, end = at * options.rows // 8, (at + 1) * options.rows // 8
        pq.write_table(whole.slice(first, end - first), options.output / f"{at}.parquet")
    yield {"rows": options.rows, "output": str(options.output)}


def _adult(options: argparse.Namespace) -> Any:
    rows = [line.split(", ") for line in gzip.decompress(options.data.read_bytes()).decode().splitlines() if line]
    columns = dict(zip(ADULT, zip(*(row for row in rows if "?" not in row), strict=True), strict=True))
    numbered = {name: _numbered(columns[name], name) for name in QUASI}
    attributes = [attribute_of(name, numbered[name]) for name in QUASI]
    yield {"rows": len(columns["age"]), "categories": "numbered", **_loss(attributes, numbered, RecodingMode.REGION)}
    yield {"categories": "numbered, tight", **_loss(attributes, numbered, RecodingMode.TIGHT)}
    table = list(zip(*(numbered[name].to_pylist() for name in QUASI), strict=True))
    yield {"plain": True, "ncp": ncp(plain_mondrian(table, 10)), **_sizes([len(c) for c in plain_mondrian(table, 10)])}
    if options.hierarchies:
        texts = numbered | {name: pa.array(columns[name]) for name in QUASI if name not in NUMBERS}
        trees = [attribute_of(n, texts[n], _hierarchy(options.hierarchies, n)) for n in QUASI]
        yield {"categories": "hierarchies", **_loss(trees, texts, RecodingMode.TIGHT)}


def _numbered(values: Sequence[str], name: str) -> pa.Array:
    if name in NUMBERS:
        return pa.array(map(int, values))
    numbers = {value: at for at, value in enumerate(dict.fromkeys(values))}
    return pa.array([numbers[value] for value in values])


def _hierarchy(folder: Path, name: str) -> Any:
    from spark_deid.ontology.hierarchy import ValueHierarchy

    if name in NUMBERS:
        return None
    rows = [line.split(";") for line in (folder / f"adult_{name}.txt").read_text().split()]
    height = max(map(len, rows))
    return ValueHierarchy(tuple(tuple([row[0]] * (height - len(row)) + row) for row in rows), name)


def _loss(
    attributes: Sequence[CodedAttribute], columns: dict[str, pa.Array], mode: RecodingMode, k: int = 10
) -> dict[str, Any]:
    codes = np.stack([attribute.encode(columns[attribute.name]) for attribute in attributes], 1)
    part = _part(codes)
    constraint = constraint_for(
        PrivacyClaim(("x",), read_models(f"k={k}")), coder_of(PrivacyClaim((), read_models("k=2")), {}), None
    )  # type: ignore[arg-type]
    classes = cut_part(part, attributes, constraint, {attribute.name: mode for attribute in attributes})
    sums, sizes = np.zeros(len(attributes)), np.diff(classes.starts)
    sum_covered_shares(space_of(attributes), classes.lows, classes.highs, classes.missing, sizes, sums)
    return {"ncp": float(sums.mean() / len(codes)), **_sizes(sizes.tolist())}


def _sizes(sizes: Sequence[int], k: int = 10) -> dict[str, Any]:
    average = sum(sizes) / len(sizes) / k
    return {"classes": len(sizes), "discernibility": sum(n * n for n in sizes), "average_class_size": average}


def _part(codes: np.ndarray) -> UnitRows:
    n = len(codes)
    return UnitRows(codes, np.arange(n + 1), np.empty(0, np.uint64), np.zeros(n + 1, np.int64), np.empty(0, np.int32))


def _core(options: argparse.Namespace) -> Any:
    _compiled(made_up(1000))
    for rows in options.rows:
        table = made_up(rows)
        ours, classes = _least(lambda table=table: _compiled(table))
        plain, expected = _least(lambda table=table: plain_mondrian(_listed(table), 10), 1)
        told = {"rows": rows, "seconds": ours, "rows_a_second": rows / ours, "plain_rows_a_second": rows / plain}
        assert sorted(np.diff(classes.starts).tolist()) == sorted(map(len, expected))
        yield told | {"times_plain": plain / ours, "ncp": ncp(expected)}
        if options.anjana and rows <= 100_000:
            yield _beside_anjana(options.anjana, table, ours)


def _listed(table: dict[str, np.ndarray]) -> list[tuple[float, ...]]:
    return list(zip(*(column.tolist() for column in table.values()), strict=True))


def _least(run: Callable[[], Any], times: int = 3) -> tuple[float, Any]:
    """Return the least processor time of some runs, in seconds, and what they found."""
    seconds = []
    for _ in range(times):
        began = time.process_time()
        found = run()
        seconds.append(time.process_time() - began)
    return min(seconds), found


def _compiled(table: dict[str, np.ndarray]) -> Any:
    """Code a table and cut it."""
    columns = {name: pa.array(values) for name, values in table.items()}
    claim = PrivacyClaim(tuple(columns), read_models("k=10"))
    coder = coder_of(claim, columns)
    units = np.arange(len(columns["age"]) + 1)
    part = coder.part(columns, units, np.empty(0, np.uint64))
    constraint = constraint_for(claim, coder, np.empty(0, np.int64))
    return cut_part(part, coder.quasi, constraint, dict.fromkeys(columns, RecodingMode.TIGHT))


def _beside_anjana(python: str, table: dict[str, np.ndarray], ours: float) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/table.parquet"
        pq.write_table(pa.table(table), path)
        command = [python, "-c", ANJANA, path, json.dumps(list(table))]
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return {"anjana": told, "times_anjana": told["seconds"] / ours}


def _spark(options: argparse.Namespace) -> Any:
    import resource

    from spark_deid.anonymity.spark.mondrian import MondrianRequest, cut_table
    from spark_deid.engine.session import session_scope
    from spark_deid.storage.delta_log import commit_table
    from spark_deid.storage.folder import LocalFolder

    sensitive = tuple(filter(None, options.sensitive.split(",")))
    claim = PrivacyClaim(FIVE, read_models(options.models), sensitive)
    with (
        tempfile.TemporaryDirectory() as folder,
        session_scope(app_name="mondrian", master=options.master, local_dir=Path(folder)) as spark,
    ):
        for place in options.inputs:
            for run in range(options.repeat):
                scratch = Path(folder, f"{Path(place).name}-{run}")
                began = time.perf_counter()
                frame = spark.read.parquet(place)
                output = scratch / "table"
                cut = cut_table(
                    frame, MondrianRequest(claim, (*FIVE, *sensitive), {}), scratch / "scratch", output, b"k" * 32
                )
                commit_table(LocalFolder(output), cut.schema, cut.files)
                seconds = time.perf_counter() - began
                told = {"input": place, "rows": cut.rows, "models": options.models, "seconds": seconds}
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                told |= {
                    "rows_a_second": cut.rows / seconds,
                    "classes": cut.sizes.total(),
                    "driver_megabytes": memory,
                }
                yield told | {"ncp": sum(cut.ncp.values()) / len(cut.ncp), "files": len(cut.files)}


if __name__ == "__main__":
    main()
