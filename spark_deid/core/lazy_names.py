"""Names that a module exports, and modules, that are loaded at their first use."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazy_names(exporter: str, modules: Mapping[str, str]) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for the module ``exporter``.

    Args:
        exporter: The module's ``__name__``.
        modules: For each name, the module below ``spark_deid`` that defines it.
    """

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {exporter!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"spark_deid.{modules[name]}"), name)
        setattr(sys.modules[exporter], name, value)
        return value

    def listed() -> list[str]:
        return sorted(modules)

    return load, listed


class LazyModule:
    """A module that is imported when one of its names is used.

    Tables of methods use it if the module needs Spark or compiled code, so that the table itself is read fast::

        if TYPE_CHECKING:
            from spark_deid.anonymity.spark import figures
        else:
            figures = LazyModule("spark_deid.anonymity.spark.figures")
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
