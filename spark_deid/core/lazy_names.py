"""Names that a module exports and that are loaded at their first use."""

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
