"""Search for rare text on a cluster and kill an executor meanwhile; print what came of it.

python lose_executor.py MASTER FOLDER
"""

import json
import sys
import threading
from pathlib import Path

import psutil
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.engine.session import build_session
from spark_deid.repeats.settings import CountingUnit, RaritySettings
from spark_deid.repeats.spark.search import find_in_one_task
from spark_deid.repeats.spark.shard_assignment import ShardingPlan
from spark_deid.repeats.spark.shards import find_in_shards

EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"


def kill_an_executor(folder: Path, over: threading.Event, killed: list[int]) -> None:
    """Wait until a shard has sent its leaves for the second round, and kill an executor; none once all is over.

    The cluster's files are in ``folder``, so its executors work there.
    """
    while not any(folder.glob("state/*/shard-*/count-0/begins-1")):
        if over.wait(0.005):
            return
    for process in psutil.process_iter(["cmdline", "cwd"]):
        if EXECUTOR in (process.info["cmdline"] or ()) and (process.info["cwd"] or "").startswith(f"{folder}/"):
            process.kill()
            killed.append(process.pid)
            return


def rows_of(found: DataFrame) -> list[tuple[object, ...]]:
    return sorted(map(tuple, found.collect()))


def main(master: str, folder: Path) -> None:
    spark = build_session(app_name="lost executor", master=master, local_dir=folder / "local")
    header = "This note was written by a machine, and every note of it begins with these words. " * 3
    texts = [(f"d{i}", None, f"{header}No {i % 17}: {i * 7919 % 1000} {header[i:]}") for i in range(60)]
    documents = spark.createDataFrame(texts, "doc_id string, subject_id string, text string")
    documents = documents.withColumn("edits", F.lit(None).cast("array<struct<start:int,end:int>>"))
    rarity = RaritySettings(k=4, unit=CountingUnit.DOCUMENT, cap=60)
    expected = rows_of(find_in_one_task(documents, rarity))
    killed: list[int] = []
    over = threading.Event()
    killer = threading.Thread(target=kill_an_executor, args=(folder, over, killed), daemon=True)
    killer.start()
    found = rows_of(find_in_shards(documents, rarity, ShardingPlan(3, 2, str(folder / "state"))))
    over.set()
    killer.join()
    rounds = len(list((folder / "state").glob("*/shard-0/count-0/depths-*")))
    print(json.dumps({"same": found == expected, "killed": len(killed), "rounds": rounds, "rows": len(found)}))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
