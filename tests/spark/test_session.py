import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from spark_deid.core.errors import UsageError
from spark_deid.engine import running
from spark_deid.engine.session import build_session, session_notice, session_scope
from spark_deid.engine.tasks import ended_tasks, run_partitions, run_tasks


def test_delta_table_comes_back_without_statistics_of_its_text(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "table")
    spark.createDataFrame([("a", "canary"), ("b", "text")], "doc_id string, text string").write.format("delta").save(
        path
    )

    assert spark.read.format("delta").load(path).count() == 2
    assert "canary" not in "".join(log.read_text() for log in (tmp_path / "table" / "_delta_log").glob("*.json"))


def test_workers_run_this_python_with_one_thread_and_a_fixed_hash_seed(spark: SparkSession) -> None:
    def tell(_: pd.Series) -> pd.Series:
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PYTHONHASHSEED")
        return pd.Series([":".join((sys.executable, *(os.environ[name] for name in names)))])

    row = spark.range(1).select(F.pandas_udf(tell, "string")("id").alias("told")).first()  # type: ignore[attr-defined]

    assert row is not None
    assert row.told == f"{sys.executable}:1:1:0"


def daemon_of(_: object) -> int:
    """Return the number of the process from which a worker was forked."""
    return os.getppid()


def test_queries_and_other_tasks_share_workers(spark: SparkSession) -> None:
    assert run_tasks(spark, daemon_of, [1]) == run_partitions(spark.range(1).coalesce(1), daemon_of)


def sleep_and_tell(seconds: float) -> float:
    """Sleep, as a task that is slow."""
    time.sleep(seconds)
    return seconds


def test_tasks_that_spark_gave_up_have_ended(spark: SparkSession) -> None:
    context: Any = spark.sparkContext
    begun = time.monotonic()
    with ended_tasks(spark):
        canceller = threading.Thread(target=cancel_when_running, args=(context,))
        canceller.start()
        with pytest.raises(Py4JJavaError, match="cancelled"):
            run_tasks(spark, sleep_and_tell, [120.0, 120.0])
        canceller.join()
    assert active_tasks(context) == 0
    assert time.monotonic() - begun < 100


def cancel_when_running(context: Any) -> None:
    """Cancel all jobs as soon as a task runs."""
    while not active_tasks(context):
        time.sleep(0.05)
    context.cancelAllJobs()


def active_tasks(context: Any) -> int:
    """Return the number of tasks that run in this process's Spark."""
    return sum(each.numRunningTasks() for each in context._jsc.sc().statusTracker().getExecutorInfos())


SESSION = """
import os, sys
from pathlib import Path
import spark_deid as sd
spark = sd.build_session(master="local[2]", settings={"spark.sql.shuffle.partitions": "2"})
spark.range(1000).repartition(3).persist().count()
top = Path(os.environ["TMPDIR"])
for each in sorted(top.iterdir()):
    print(each.name[:11], oct(each.stat().st_mode & 0o777))
print([each for each in top.rglob("*") if each.is_file() and "blockmgr" in str(each)] != [])
print(spark.conf.get("spark.io.encryption.enabled"), spark.conf.get("spark.sql.warehouse.dir").startswith(str(top)))
"""


@pytest.mark.parametrize("named", ["TMPDIR", "SPARK_LOCAL_DIRS"])
def test_local_files_of_a_session_that_is_built_are_private_and_end_with_it(named: str, tmp_path: Path) -> None:
    place, home = tmp_path / "open", tmp_path / "home"
    place.mkdir(mode=0o755)
    place.chmod(0o755)
    home.mkdir()
    given = {**os.environ, "TMPDIR": str(place), named: str(place), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SESSION], env=given, cwd=home, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    *folders, has_blocks, last = done.stdout.splitlines()
    assert folders == ["spark-deid- 0o700"]
    assert has_blocks == "True"
    assert last == "true False"
    deadline = time.monotonic() + 20
    while list(place.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)  # the JVM ends after this process's child
    assert list(place.iterdir()) == []


def test_running_session_is_taken_and_left_running(spark: SparkSession) -> None:
    with session_scope(app_name="another") as taken:
        assert taken.sparkContext is spark.sparkContext

    assert spark.range(1).count() == 1


def test_a_running_session_is_as_it_was_afterwards(spark: SparkSession) -> None:
    spark.range(3).createOrReplaceTempView("mine")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    before = sorted(map(tuple, spark.sql("SET").collect()))
    try:
        with session_scope(app_name="another", settings={"spark.sql.shuffle.partitions": "3"}) as taken:
            taken.createDataFrame([("a",)], "x string").collect()
            assert taken.conf.get("spark.sql.session.timeZone") == "UTC"
            assert taken.conf.get("spark.sql.shuffle.partitions") == "3"
        assert sorted(map(tuple, spark.sql("SET").collect())) == before
        active = SparkSession.getActiveSession()
        assert active is not None
        assert active.table("mine").count() == 3
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.conf.set("spark.sql.shuffle.partitions", "2")


def test_all_that_a_running_session_lacks_is_named_before_anything_runs(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/absent/python")
    monkeypatch.setattr(running, "_DELTA", "io.delta.Absent")
    with pytest.raises(UsageError) as caught, session_scope(app_name="another"):
        pass
    told = str(caught.value).splitlines()
    assert told[0] == "the Spark session that runs can't be used; stop it (spark.stop()) or begin it with"
    assert [line.partition(":")[0] for line in told[1:]] == [
        f"- PYSPARK_PYTHON={sys.executable}, or a Python {sys.version_info[0]}.{sys.version_info[1]} with this package",
        "- Delta's JARs",
        "- spark.sql.extensions io.delta.Absent",
    ]
    with pytest.raises(UsageError) as caught, session_scope(app_name="another", needs_delta=False):
        pass
    assert len(str(caught.value).splitlines()) == 2


def test_what_is_less_private_in_a_running_session_is_reported(spark: SparkSession) -> None:
    assert session_notice() == "use the Spark session that runs"
    given = {"spark.io.encryption.enabled": "false", "spark.eventLog.enabled": "true"}
    told = running.warnings_of(dict(spark.sparkContext.getConf().getAll()) | given)
    assert [line.partition(": ")[0].partition(" lacks ")[2] for line in told] == [
        "spark.io.encryption.enabled true",
        "spark.eventLog.enabled false",
    ]


def test_a_session_of_spark_connect_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(SparkSession=SimpleNamespace(getActiveSession=lambda: object()))
    monkeypatch.setitem(sys.modules, "pyspark.sql.connect.session", module)
    with pytest.raises(UsageError, match="Spark Connect"), session_scope(app_name="another"):
        pass


def test_spark_writes_nothing_into_the_working_folder(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    build_session(app_name="again").sql("select 1").collect()

    assert list(tmp_path.iterdir()) == []
