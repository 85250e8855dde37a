"""Whether what is to be read is there, and what is to be written can be."""

import glob
import os
import re
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote, local_path

_TABLE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){1,2}")
"""How ``schema.table`` and ``catalog.schema.table`` look, and names of files too."""


def names_table(path: str) -> bool:
    """Tell whether a path that names nothing looks like a schema or a table of a catalog."""
    return _TABLE.fullmatch(path) is not None and not os.path.exists(path)


def check_no_table(path: str, name: str) -> None:
    """Refuse a workspace or release (``name``) that looks like something of a catalog; raises UsageError."""
    if names_table(path) and (name == "workspace" or path.count(".") == 2):
        raise UsageError(
            f"{path} looks like a schema or a table of a catalog, and a {name} is a folder for now; write ./{path} for "
            "a folder of this name"
        )


def check_present(place: str | Path) -> None:
    """Refuse a local path, or a glob, that names nothing; raises UsageError. Remote places are not looked at."""
    path = str(place)
    if is_remote(path) or os.path.exists(local_path(path)) or "{" in path:
        return
    if not set("*?[") & set(path):
        raise UsageError(f"{path}: there is no such file or folder")
    if next(glob.iglob(local_path(path), recursive=True, include_hidden=True), None) is None:
        raise UsageError(f"{path}: no file or folder matches this glob")


def check_creatable(place: str | Path) -> None:
    """Refuse a local folder that can't be made or written to; raises UsageError. Remote places are not looked at."""
    if is_remote(str(place)):
        return
    path = Path(local_path(str(place))).absolute()
    above = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not os.path.exists(above):
        raise UsageError(f"{place}: {above} is a link to nothing, and no folder can be made there; name another")
    if not os.path.isdir(above):
        raise UsageError(f"{place}: {above} is a file, and no folder can be made there; name another")
    if not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"{place}: {above} can't be written to; name another folder, or change who may write there")
