"""Compare the sharded search for rare text with one task, and with one level of n-gram counting in Spark SQL.

    python benchmarks/repeats_shards.py --input corpus/documentation --megabytes 10 30 64

The input is a folder of JSON lines: that of documentation.py, or synthesized notes. Each way runs in a process of its
own, once on a little text to start workers and compile, then on the whole: from Parquet to a digest of what was found.
``cpu`` is the processor time of Spark's whole process tree, which other work on the machine changes less than ``wall``.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from documentation import first_of, read_corpus
from memory import MemorySampler, part_of
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_deid.engine.session import session_scope
from spark_deid.repeats.settings import CountingUnit, RaritySettings
from spark_deid.repeats.spark.search import find_in_one_task
from spark_deid.repeats.spark.shard_assignment import ShardingPlan
from spark_deid.repeats.spark.shards import find_in_shards

WAYS = ("sql", "sql by array", "sharded", "one task")
FILES = 8
WARM_UP = 50


def count_ngrams(documents: DataFrame, *, n: int, k: int) -> dict[str, Any]:
    """Count the n-grams of at least k documents: one level of a search, which does not yet state where they are."""
    grams = documents.select("doc_id", F.explode(ngrams(n)).alias("gram"))
    return frequent(grams.groupBy("gram").agg(F.count_distinct("doc_id").alias("documents")), k)


def count_ngrams_by_array(documents: DataFrame, *, n: int, k: int) -> dict[str, Any]:
    """Count the same with each document's n-grams distinct before they are rows, which saves shuffling."""
    grams = documents.select(F.explode(F.array_distinct(ngrams(n))).alias("gram"))
    return frequent(grams.groupBy("gram").agg(F.count("*").alias("documents")), k)


def ngrams(n: int) -> Column:
    """Return all n-grams of a text; a substring at every place would take time by the square of its length."""
    return F.regexp_extract_all("text", F.lit(f"(?s)(?=(.{{{n}}}))"), F.lit(1))


def frequent(counted: DataFrame, k: int) -> dict[str, Any]:
    return {"frequent": counted.where(F.col("documents") >= k).count()}


def digest(found: DataFrame) -> dict[str, Any]:
    """Reduce findings to a number that equal findings share, and totals."""
    places = F.xxhash64("doc_id", "starts", "ends").cast("decimal(20,0)")
    row = found.agg(F.count("*"), F.sum(places).cast("string"), F.sum("characters"), F.sum("hidden")).collect()[0]
    return dict(zip(("documents", "digest", "characters", "hidden"), row, strict=True))


SQL = {"sql": count_ngrams, "sql by array": count_ngrams_by_array}


def carry_out(way: str, documents: DataFrame, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    if way in SQL:
        return SQL[way](documents, n=options.gram, k=options.k)
    rarity = RaritySettings(k=options.k, unit=CountingUnit.DOCUMENT, cap=options.cap)
    if way == "one task":
        return digest(find_in_one_task(documents, rarity))
    return digest(find_in_shards(documents, rarity, ShardingPlan(options.shards, options.shards, folder)))


def tree_seconds() -> dict[str, float]:
    """Return the processor time of this process and all below it, by part, that of ended processes included."""
    driver = psutil.Process()
    seconds: Counter[str] = Counter()
    for process in (driver, *driver.children(recursive=True)):
        with suppress(psutil.Error):  # it ended meanwhile, and its parent has its time
            part = part_of(process.cmdline(), is_driver=process == driver) or "other"
            seconds[part] += sum(process.cpu_times()[:4])
    return seconds


def shuffled(spark: SparkSession) -> int:
    """Return the bytes, compressed, that all stages so far have written to shuffles."""
    context: Any = spark.sparkContext
    quantiles = context._gateway.new_array(context._jvm.double, 0)
    store = context._jsc.sc().statusStore()
    stages = store.stageList(
        context._jvm.java.util.ArrayList(), False, False, quantiles, context._jvm.java.util.ArrayList()
    )
    return sum(stages.apply(i).shuffleWriteBytes() for i in range(stages.size()))


def messages(folder: Path) -> int:
    """Return the bytes of all that shards and ranges sent each other, in files."""
    return sum(path.stat().st_size for name in ("sent-*", "range-*") for path in folder.rglob(name) if path.is_file())


def run_way(way: str, text: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one way in this process."""
    with tempfile.TemporaryDirectory(dir=text.parent) as folder:
        settings = {"spark.driver.memory": options.driver_memory, "spark.ui.retainedStages": "100000"}
        with session_scope(app_name="bench", master=options.master, local_dir=Path(folder), settings=settings) as spark:
            documents = spark.read.parquet(str(text)).withColumn(
                "edits", F.lit(None).cast("array<struct<start:int,end:int>>")
            )
            carry_out(way, documents.limit(WARM_UP), options, f"{folder}/warm")
            sent, spent, began = shuffled(spark), tree_seconds(), time.monotonic()
            found = carry_out(way, documents, options, f"{folder}/shards")
            measured = {"wall": time.monotonic() - began}
            measured["cpu by part"] = {part: after - spent.get(part, 0) for part, after in tree_seconds().items()}
            measured["cpu"] = sum(measured["cpu by part"].values())
            moved = shuffled(spark) - sent + messages(Path(folder) / "shards")
            return measured | {"shuffled": moved, "found": found}


def write_text(texts: Sequence[str], folder: Path) -> int:
    """Write texts to several Parquet files and return their bytes."""
    folder.mkdir()
    for number in range(FILES):
        part = texts[number::FILES]
        ids = [f"{number + FILES * i:08}" for i in range(len(part))]
        columns = {"doc_id": ids, "subject_id": pa.nulls(len(part), pa.string()), "text": part}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet", row_group_size=1000)
    return sum(len(text.encode()) for text in texts)


def measure(way: str, text: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one way in a separate process, with its peaks of memory."""
    command = [sys.executable, __file__, *sys.argv[1:], "--way", way, "--text", str(text)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    with MemorySampler(psutil.Process(), psutil.Process(process.pid)) as sampler:
        told, _ = process.communicate()
    if process.returncode:
        sys.exit(process.returncode)
    measured: dict[str, Any] = json.loads(told.splitlines()[-1])
    return measured | {"memory": sampler.peaks}


def compare(size: int, measured: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return figures a byte of text, and ratios between ways of one run."""
    told: dict[str, Any] = {"bytes": size}
    for way, figures in measured.items():
        told[way] = {
            "wall": round(figures["wall"], 2),
            "cpu": round(figures["cpu"], 2),
            "MB/s": round(size / figures["wall"] / 1e6, 3),
            "cpu ns/byte": round(figures["cpu"] / size * 1e9),
            "cpu by part": {part: round(spent, 1) for part, spent in figures["cpu by part"].items()},
            "shuffled bytes/byte": round(figures["shuffled"] / size, 2),
            "peak MiB": {part: peak >> 20 for part, peak in figures["memory"].items()},
            "workers bytes/byte": round(figures["memory"].get("Python workers", 0) / size, 1),
            "found": figures["found"],
        }
    for one, other in ((way, "sharded") for way in WAYS if way != "sharded"):
        if one in measured and other in measured:
            pair = measured[one], measured[other]
            told[f"{one} over {other}"] = {name: round(pair[0][name] / pair[1][name], 2) for name in ("wall", "cpu")}
    if "one task" in measured and "sharded" in measured:
        told["same"] = measured["one task"]["found"] == measured["sharded"]["found"]
    return told


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=Path, required=True, help="a folder of JSON lines with the key text")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[10, 30, 64])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--cap", type=int, default=255)
    parser.add_argument("--gram", type=int, default=8, help="length of the n-grams of the SQL count")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--driver-memory", default="2g")
    parser.add_argument("--folder", type=Path, help="where texts and state lie meanwhile")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--text", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.way:
        print(json.dumps(run_way(options.way, options.text, options)))
        return
    told = []
    for megabytes in options.megabytes:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            size = write_text(first_of(read_corpus(options.input), megabytes), Path(folder) / "text")
            measured = {}
            for way in options.ways:
                measured[way] = measure(way, Path(folder) / "text", options)
                print(json.dumps({way: measured[way]}), file=sys.stderr, flush=True)
        told.append(compare(size, measured))
        print(json.dumps(told[-1], indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
