from traceback import format_exception

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import NumberFormatException, PythonException

from spark_deid.core.errors import SparkDeidError
from spark_deid.failures import describe, values_hidden

WORKER = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/code.py", line 11, in parse
    raise {raised}
{last}"""


def worker_failure(raised: str, last: str) -> PythonException:
    return PythonException(WORKER.format(raised=raised, last=last))


def test_worker_exception_loses_its_message() -> None:
    told = describe(worker_failure("ValueError(text)", "ValueError: John\n  Smith"))

    assert told == 'a Python worker of Spark failed with ValueError at File "/opt/code.py", line 11, in parse'


def test_worker_exception_of_the_package_keeps_its_message() -> None:
    told = describe(worker_failure("ModelError(m)", "spark_deid.core.errors.ModelError: no weights in m"))

    assert told == "no weights in m"


def test_chained_worker_exception_is_told_by_its_last_part() -> None:
    first = WORKER.format(raised="KeyError(name)", last="KeyError: 'John'")
    chained = f"{first}\n\nDuring handling:\n\n{WORKER.format(raised='x', last='ValueError: John')}"

    assert "ValueError at" in describe(PythonException(chained))


def test_condition_of_spark_is_told_without_the_value() -> None:
    error = NumberFormatException("[CAST_INVALID_INPUT] The value 'John' of the type ...")
    error.getCondition = lambda: "CAST_INVALID_INPUT"  # type: ignore[method-assign]

    assert describe(error) == "Spark failed with CAST_INVALID_INPUT"


def test_lost_worker_is_told() -> None:
    assert "memory" in describe(Py4JError("Job aborted: Python worker exited unexpectedly (crashed)."))


def test_raised_failure_carries_no_trace_of_the_value() -> None:
    with pytest.raises(SparkDeidError) as caught, values_hidden():
        raise worker_failure("ValueError(text)", "ValueError: John")

    assert "John" not in str(caught.value)
    assert "John" not in "".join(format_exception(caught.value))


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), values_hidden():
        raise KeyError("x")
