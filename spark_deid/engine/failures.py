"""Failures of Spark, told without the values they quote."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile

from pyspark.errors import AnalysisException, PySparkException

from spark_deid.core.errors import SparkDeidError
from spark_deid.engine.classic_part import Py4JError

ENGINE_ERRORS: tuple[type[Exception], ...] = (PySparkException, Py4JError)
"""Errors that an engine raises."""
__all__ = ["ENGINE_ERRORS", "AnalysisException", "describe", "values_hidden"]

_OWN_ERRORS = "spark_deid.core.errors."
_WORKER = re.compile(
    r"(?:\AAn exception was thrown from the Python worker:\s+|api\.python\.PythonException: )"
    r"Traceback \(most recent call last\):\n"
)
# Code of this package or of an installed one but Spark's; where it is on the worker is omitted.
_FRAME = re.compile(
    r'  File "[^"]*/(?:site-packages/(?!pyspark/)|(?=spark_deid/))'
    r'(?P<file>[\w./-]+\.py)", line (?P<line>\d+), in [\w<>]+'
)
_EXCEPTION_LINE = re.compile(r"(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?")
_JAVA_CLASS = re.compile(r"\b(?:java|javax|org\.apache|io\.delta)(?:\.\w+)*\.(\w+(?:Exception|Error))\b")


_NO_STORAGE = re.compile(r"Class ((?:org|com)\.[\w.]+FileSystem) not found|No FileSystem for scheme")
"""Hadoop's message for a storage whose JARs are missing."""
_TORN_ROW = re.compile(r"\[(?:MALFORMED_CSV_RECORD|MALFORMED_RECORD_IN_PARSING)\b")


@contextmanager
def values_hidden() -> Iterator[None]:
    """Raise a failure of Spark or of one of its workers again as SparkDeidError, without text of documents.

    Spark quotes the value at fault in many of its messages, and a worker's traceback ends with whatever the failed
    code was given. Errors of this package are written without values, so their messages are kept.
    """
    try:
        yield
    except ENGINE_ERRORS as error:
        raise SparkDeidError(describe(error)) from None


def describe(error: Exception) -> str:
    """Say in a line what kind of failure it was and where it came from, without values.

    >>> describe(PySparkException("java.lang.OutOfMemoryError: Java heap space"))
    'Spark failed with OutOfMemoryError'
    """
    text = str(error)
    if header := _WORKER.search(text):
        return _describe_worker(text[header.end() :])
    if "Python worker exited unexpectedly" in text:
        return "a Python worker of Spark ended unexpectedly; short memory is the usual cause"
    if _NO_STORAGE.search(text):
        return (
            "Spark can't reach this storage, since its JARs are not there: begin it with them, such as --packages "
            "org.apache.hadoop:hadoop-aws:VERSION for s3a://, VERSION being that of the hadoop-client in Spark's jars"
        )
    if _TORN_ROW.search(text):
        return "a row of a table is torn: expected as many cells as the header has, and quotes as in RFC 4180"
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    if condition == "PATH_NOT_FOUND":
        return text.splitlines()[0]
    if condition:
        return f"Spark failed with {condition}"
    classes = _JAVA_CLASS.findall(text)
    return f"Spark failed with {classes[-1] if classes else type(error).__name__}"


def _describe_worker(message: str) -> str:
    """Keep the type of a worker's exception, the line of code it came from, and a message of our own.

    ``message`` begins with the worker's traceback. Nothing after the first message is read: a message
    may quote a document, and a document may hold separate tracebacks.
    """
    lines = message.splitlines()
    frames = list(takewhile(lambda line: line.startswith(" "), lines))
    last = lines[len(frames)] if len(frames) < len(lines) else ""
    match = _EXCEPTION_LINE.fullmatch(last)
    kind = match["type"] if match and _is_exception(match["type"]) else "an exception"
    if match and kind.startswith(_OWN_ERRORS) and match["message"]:
        return match["message"]
    places = [f" at {found['file']}:{found['line']}" for found in map(_FRAME.fullmatch, frames) if found]
    return f"a Python worker of Spark failed with {kind}{places[-1] if places else ''}"


def _is_exception(name: str) -> bool:
    """Return whether a name is that of an exception that this process knows."""
    module, _, kind = name.rpartition(".")
    found = getattr(sys.modules.get(module or "builtins"), kind, None)
    return isinstance(found, type) and issubclass(found, BaseException)
