"""Old paths of modules that example, bundled packages or docs used: they work for one version, with a warning.

If you move or merge a module, add a row to ``MOVED``: the old path and the new path, both below ``spark_deid``. A row
for a package covers the modules below it; a row for a single module wins over that of its package. The new module must
define every name that the old path had. Rows are needed only for paths that the example plugin of version 0.1.0 imports
(``tests/plugin_0_1_0``) or docs showed, not for internal modules. No row may name a path that still exists.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, MappingProxyType, ModuleType

_ROOT = "spark_deid."

MOVED: Mapping[str, str] = MappingProxyType(
    {
        "anonymity.demands": "anonymity.models",
        "anonymity.model_kind": "anonymity.models",
        "compiling": "app.compiling",
        "core.guarantee": "core.guarantee_kind",
        "jars": "engine.jars",
        "runtime": "engine",
        "session": "engine.session",
        "storage.spark.daemon": "engine.daemon",
        "token_classification": "detection.token_classification",
    }
)
"""The new path of each moved module by its old path, without ``spark_deid.``."""


class MovedModules(MetaPathFinder, Loader):
    """Import a moved module by its old path: the result is the module at the new path, the same object."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to import a path of the table; None for all other paths."""
        return ModuleSpec(fullname, self) if fullname.startswith(_ROOT) and _new_path(fullname) else None

    def get_code(self, fullname: str) -> CodeType:
        """Return what ``python -m`` runs for an old path: the module at the new path."""
        return compile(
            f"import runpy; runpy.run_module({_new_path(fullname)!r}, run_name='__main__')", fullname, "exec"
        )

    def exec_module(self, module: ModuleType) -> None:
        """Replace an empty module by the module at the new path, and warn."""
        old, new = module.__name__, _new_path(module.__name__)
        warnings.warn(
            f"{old} is now {new} and internal. Import from spark_deid.extending, because the next version "
            f"removes {old}",
            DeprecationWarning,
            stacklevel=2,
        )
        sys.modules[old] = import_module(new)


def _new_path(fullname: str) -> str:
    """Return the new path of a module, or an empty string if it has not moved."""
    parts = fullname.removeprefix(_ROOT).split(".")
    for length in range(len(parts), 0, -1):
        if new := MOVED.get(".".join(parts[:length])):
            return ".".join((_ROOT + new, *parts[length:]))
    return ""


def serve_moved_modules() -> None:
    """Let imports find old paths, before the files at the new path of a package are found under an old name."""
    if MOVED and not any(isinstance(finder, MovedModules) for finder in sys.meta_path):
        sys.meta_path.insert(0, MovedModules())
