"""Checks of the engine for ``doctor``, and its failures. Other modules of ``doctor`` need no engine."""

import tempfile
from pathlib import Path

from spark_deid.app.examining import DoctorFinding
from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.choice import EngineRequest, choose_engine, describe_choice
from spark_deid.engine.failures import ENGINE_ERRORS, describe, values_hidden
from spark_deid.engine.session import SessionPace, session_scope


def check_engine() -> DoctorFinding:
    """Check which engine a run of a small local input uses, and why."""
    try:
        choice = choose_engine(EngineRequest("run"))
    except SparkDeidError as error:
        return DoctorFinding("fail", "Engine", "none", str(error))
    return DoctorFinding("ok", "Engine", describe_choice(choice))


def check_delta_table() -> DoctorFinding:
    """Start Spark, write a small Delta table and read it again."""
    with tempfile.TemporaryDirectory() as folder:
        local = Path(folder)
        table = str(local / "table")
        try:
            with session_scope(app_name="doctor", local_dir=local, pace=SessionPace.SHORT) as spark, values_hidden():
                spark.range(3).write.format("delta").save(table)
                rows = spark.read.format("delta").load(table).count()
        except SparkDeidError as error:
            return DoctorFinding("fail", "Spark and Delta", str(error), "fix the problems above, then try again")
    if rows != 3:
        return DoctorFinding("fail", "Spark and Delta", f"3 rows were written and {rows} read", "report this")
    return DoctorFinding("ok", "Spark and Delta", "a table was written and read")


def worker_error(error: Exception) -> str | None:
    """Describe a failure of Spark without values, or None if it is another failure."""
    return describe(error) if isinstance(error, ENGINE_ERRORS) else None
