"""Failures of Spark, told without the values they quote."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from spark_deid.core.errors import SparkDeidError

_OWN_ERRORS = "spark_deid.core.errors."
_EXCEPTION_LINE = re.compile(r"(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?")
_JAVA_CLASS = re.compile(r"\b(?:java|javax|org\.apache|io\.delta)(?:\.\w+)*\.(\w+(?:Exception|Error))\b")


@contextmanager
def values_hidden() -> Iterator[None]:
    """Raise a failure of Spark or of one of its workers again as SparkDeidError, without text of documents.

    Spark quotes the value at fault in many of its messages, and a worker's traceback ends with whatever the failed
    code was given. Errors of this package are written without values, so their messages are kept.
    """
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise SparkDeidError(describe(error)) from None


def describe(error: Exception) -> str:
    """Say in a line what kind of failure it was and where it came from, without values.

    >>> describe(Py4JError("java.lang.OutOfMemoryError: Java heap space"))
    'Spark failed with OutOfMemoryError'
    """
    text = str(error)
    if "Traceback (most recent call last):" in text:
        return _describe_worker(text)
    if "Python worker exited unexpectedly" in text:
        return "a Python worker of Spark ended unexpectedly; short memory is the usual cause"
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    if condition == "PATH_NOT_FOUND":
        return text.splitlines()[0]
    if condition:
        return f"Spark failed with {condition}"
    classes = _JAVA_CLASS.findall(text)
    return f"Spark failed with {classes[-1] if classes else type(error).__name__}"


def _describe_worker(text: str) -> str:
    """Keep the type of a worker's exception, the line of code it came from, and a message of our own."""
    lines = text.rpartition("Traceback (most recent call last):")[2].splitlines()[1:]
    frames = [line.strip() for line in lines if line.startswith('  File "')]
    last = next((line for line in lines if not line.startswith(" ")), "")
    match = _EXCEPTION_LINE.match(last)
    kind = match["type"] if match else "an exception"
    if match and kind.startswith(_OWN_ERRORS) and match["message"]:
        return match["message"]
    place = f" at {frames[-1]}" if frames else ""
    return f"a Python worker of Spark failed with {kind}{place}"
