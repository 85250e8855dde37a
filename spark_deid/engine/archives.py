"""Archives that Spark puts first on a worker's search path, although what they hold is installed beside them.

Python compiles a module that it imports from an archive anew in every process, and reads the archive's whole list of
files again for every task; installed modules are compiled once.
"""

import re
import sys
from pathlib import Path

_PY4J = re.compile(r"(py4j-.+)-src\.zip")


def leave_archives() -> None:
    """Take Spark's archives off the search path where the same version is installed; else leave them where they are."""
    for entry in [entry for entry in sys.path if entry.endswith((".zip", ".jar"))]:
        if _is_installed(Path(entry)):
            sys.path.remove(entry)
            sys.path_importer_cache.pop(entry, None)


def _is_installed(archive: Path) -> bool:
    """Tell whether an archive belongs to an installed package of Spark that can be imported without it."""
    home = next((each for each in archive.parents if each.name == "pyspark"), None)
    if home is None or not (home / "__init__.py").is_file() or str(home.parent) not in sys.path:
        return False
    if found := _PY4J.fullmatch(archive.name):
        return (home.parent / f"{found[1]}.dist-info").is_dir() and (home.parent / "py4j").is_dir()
    return archive.name == "pyspark.zip" or archive.suffix == ".jar"
