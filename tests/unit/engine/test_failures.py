from traceback import format_exception

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import NumberFormatException, PythonException

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.failures import describe, values_hidden

WORKER = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/lib/python3.11/site-packages/pyspark/worker.py", line 9, in main
  File "/opt/lib/python3.11/site-packages/package/code.py", line 11, in parse
    raise {raised}
  File "/opt/lib/python3.11/site-packages/pyspark/rdd.py", line 7, in call
  File "/home/ann/notes.py", line 3, in lee
{last}"""


def worker_failure(raised: str, last: str) -> PythonException:
    return PythonException(WORKER.format(raised=raised, last=last))


def test_worker_exception_loses_its_message() -> None:
    told = describe(worker_failure("ValueError(text)", "ValueError: John\n  Smith"))

    assert told == "a Python worker of Spark failed with ValueError at package/code.py:11"


def test_worker_exception_of_the_package_keeps_its_message() -> None:
    told = describe(worker_failure("ModelError(m)", "spark_deid.core.errors.ModelError: no weights in m"))

    assert told == "no weights in m"


QUOTED = """Traceback (most recent call last):
  File "/x/site-packages/Ann/Lee.py", line 3, in John
    Smith
"""


@pytest.mark.parametrize("kind", ["spark_deid.core.errors.ModelError: John", "Ann.Lee: John", "John"])
def test_a_traceback_in_a_document_is_not_read(kind: str) -> None:
    told = describe(worker_failure("ValueError(text)", f"ValueError: see\n{QUOTED}{kind}"))

    assert told == "a Python worker of Spark failed with ValueError at package/code.py:11"


def test_a_type_that_is_no_known_exception_is_not_reported() -> None:
    for kind in ("Ann.Lee: John", "builtins.print: x", "spark_deid.core.errors.AnnLee: John", "Ann", ""):
        told = describe(worker_failure("x", kind))
        assert told == "a Python worker of Spark failed with an exception at package/code.py:11"


def test_text_that_holds_a_traceback_is_no_failed_worker() -> None:
    told = describe(Py4JError(f"java.lang.IllegalStateException: {QUOTED}Ann.Lee: John"))

    assert told == "Spark failed with IllegalStateException"


def test_worker_exception_in_the_message_of_a_failed_job_is_reported() -> None:
    job = "An error occurred while calling o1.count.\n: org.apache.spark.SparkException: Job aborted: "
    worker = WORKER.format(raised="x", last="spark_deid.core.errors.ModelError: no weights in m").partition("\n")[2]

    assert describe(Py4JError(f"{job}org.apache.spark.api.python.PythonException: {worker}")) == "no weights in m"


def test_condition_of_spark_is_reported_without_the_value() -> None:
    error = NumberFormatException("[CAST_INVALID_INPUT] The value 'John' of the type ...")
    error.getCondition = lambda: "CAST_INVALID_INPUT"  # type: ignore[method-assign]

    assert describe(error) == "Spark failed with CAST_INVALID_INPUT"


@pytest.mark.parametrize(
    "told",
    [
        "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found",
        'org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "s3"',
    ],
    ids=["class", "scheme"],
)
def test_a_storage_without_its_jars_is_reported_with_the_way_to_have_them(told: str) -> None:
    assert "--packages org.apache.hadoop:hadoop-aws:VERSION for s3a://" in describe(Py4JError(told))


def test_lost_worker_is_reported() -> None:
    assert "memory" in describe(Py4JError("Job aborted: Python worker exited unexpectedly (crashed)."))


def test_raised_failure_carries_no_trace_of_the_value() -> None:
    with pytest.raises(SparkDeidError) as caught, values_hidden():
        raise worker_failure("ValueError(text)", "ValueError: John")

    assert "John" not in str(caught.value)
    assert "John" not in "".join(format_exception(caught.value))


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), values_hidden():
        raise KeyError("x")
