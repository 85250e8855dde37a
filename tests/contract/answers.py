"""Run as ``answers.py ENGINE``: print the answers of an engine to all cases as JSON. One process per engine."""

import json
import os
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.contract.cases import CASES, DIFFERENCES, Case  # noqa: E402


def session(engine: str, folder: Path) -> Any:
    """Start an engine of two cores."""
    if engine == "embedded":
        from spark_deid.engine.embedded import start_embedded

        return start_embedded(local_dir=folder, cores=2)
    from spark_deid.engine.session import build_session, with_delta_jars
    from spark_deid.engine.settings import COMMON

    if engine == "classic":
        return build_session(master="local[2]", local_dir=folder, settings={"spark.sql.shuffle.partitions": "2"})
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.remote("local[2]")
    settings = {**COMMON, "spark.jars": with_delta_jars(""), "spark.sql.shuffle.partitions": "2"}
    for key, value in settings.items():
        if key != "spark.python.daemon.module":
            builder = builder.config(key, value)
    return builder.getOrCreate()


def answer(spark: Any, module: str, case: Case, folder: str) -> str:
    """Return an answer as text; of a failure only that it is one, since wording differs."""
    functions, windows = import_module(f"{module}.functions"), import_module(f"{module}.window").Window
    try:
        found = case(spark, functions, windows, folder)
        return repr(found if isinstance(found, list) else [tuple(row) for row in found.collect()])
    except Exception:
        return "FAILS"


def main() -> None:
    warnings.simplefilter("ignore")
    engine = sys.argv[1]
    with tempfile.TemporaryDirectory() as place:
        spark = session(engine, Path(place) / "local")
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        module = "pyspark.sql" if engine == "classic" else "pyspark.sql.connect"
        cases = {**CASES, **DIFFERENCES}
        found = {
            name: answer(spark, module, case, f"{place}/{number}") for number, (name, case) in enumerate(cases.items())
        }
        print(json.dumps(found))
        spark.stop()


if __name__ == "__main__":
    main()
