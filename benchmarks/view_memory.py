"""Measure what generalizing the identifier view of made-up persons takes of the driver's memory.

    python benchmarks/view_memory.py --persons 10000 100000 1000000

Persons have an age, a gender, a ZIP code, a state, a birth date and a diagnosis, by hashes of their numbers. Each size
is measured in a process of its own: the peak of the driver's Python before the view is generalized (k=5, frequency-l=2)
and after it is written, and what the driver's JVM has by then, which collects garbage when it likes.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import spark_deid as sd
from spark_deid.anonymity.recoding_kind import RecodingFolders
from spark_deid.identity.spark.recoding import generalized_view, persons_of
from spark_deid.plan.load import check_methods

STATES = ("massachusetts", "texas", "ohio", "maine", "utah", "oregon", "georgia", "florida")
QUASI = ("age", "gender", "zip", "state", "birth_date")
PLAN = {
    "sources": ["gold", "identity"],
    "rules": {"AGE": "recode"},
    "identity": {
        "attributes": {name.upper(): name for name in (*QUASI, "ill")},
        "roles": {"quasi": QUASI, "sensitive": ["ill"]},
    },
    "anonymity": {"model": {"k": 5, "frequency-l": 2}},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--persons", type=int, nargs="+", default=[10_000])
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    given = parser.parse_args()
    if len(given.persons) == 1:
        measure(given.persons[0], given.scratch)
    else:
        for persons in given.persons:
            command = [sys.executable, __file__, "--persons", str(persons), "--scratch", str(given.scratch)]
            subprocess.run(command, check=True)


def measure(persons: int, scratch: Path) -> None:
    keys = check_methods(PLAN, "plan").sections["identity"]
    spark = sd.build_session()
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        values_of(spark, persons).write.parquet(f"{folder}/values")
        values = spark.read.parquet(f"{folder}/values")
        people = values.select("person").distinct()
        persons_of(people, values, keys.identity.roles).write.parquet(f"{folder}/persons")
        before = told("self", "VmHWM")
        folders = RecodingFolders(Path(folder, "scratch"), Path(folder, "output"))
        generalized_view(spark.read.parquet(f"{folder}/persons"), keys, {}, folders).write.parquet(f"{folder}/view")
        after, jvm = told("self", "VmHWM"), told(_jvm(spark), "VmRSS")
        view = spark.read.parquet(f"{folder}/view")
        digest = view.agg(F.sum(F.xxhash64(*view.columns).cast("decimal(30,0)"))).collect()[0][0]
        print(f"{persons:,} persons: driver's Python {before} MiB, {after} MiB after, JVM {jvm} MiB; view {digest}")


def values_of(spark: SparkSession, persons: int) -> DataFrame:
    """Return values of made-up persons (columns person, attribute, value)."""
    states = F.array(*map(F.lit, STATES))
    told = {
        "age": _hashed("age", 100).cast("string"),
        "gender": F.when(_hashed("gender", 2) == 0, "female").otherwise("male"),
        "zip": F.lpad(_hashed("zip", 30_000).cast("string"), 5, "0"),
        "state": F.get(states, _hashed("state", len(STATES)).cast("int")),
        "birth_date": F.date_add(F.lit("1930-01-01").cast("date"), _hashed("born", 36_000).cast("int")).cast("string"),
        "ill": F.concat(F.lit("disease "), _hashed("ill", 40).cast("string")),
    }
    rows = F.explode(
        F.array(*(F.struct(F.lit(name).alias("attribute"), each.alias("value")) for name, each in told.items()))
    )
    named = F.concat(F.lit("person-"), F.col("id").cast("string")).alias("person")
    return spark.range(0, persons, 1, 8).select(named, rows.alias("told")).select("person", "told.*")


def _hashed(name: str, number: int) -> Column:
    return F.pmod(F.xxhash64(F.lit(name), "id"), F.lit(number))


def told(process: str, name: str) -> int:
    """Return a figure of a process, in MiB."""
    found = re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
    return 0 if found is None else int(found[1]) >> 10


def _jvm(spark: SparkSession) -> str:
    jvm = spark._jvm
    return "self" if jvm is None else str(jvm.java.lang.ProcessHandle.current().pid())


if __name__ == "__main__":
    main()
