"""Classes of PySpark's classic part, which pyspark-client lacks: without it, no classic session runs."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or find_spec("py4j") is not None:
    from py4j.protocol import Py4JError
    from pyspark import InheritableThread, SparkContext
else:

    class Py4JError(Exception):
        """An error of a JVM."""

    class SparkContext:
        """The context of a classic session, which never runs here."""

        _active_spark_context: Any = None
        _gateway: Any = None
        _jvm: Any = None

        @classmethod
        def _ensure_initialized(cls) -> None:
            raise ImportError("pyspark is not installed")

    class InheritableThread:
        """A thread of a classic session."""


__all__ = ["InheritableThread", "Py4JError", "SparkContext"]
