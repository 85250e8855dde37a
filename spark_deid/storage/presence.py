"""Whether what is to be read is there."""

import glob
import os
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote, local_path


def check_present(place: str | Path) -> None:
    """Refuse a local path, or a glob, that names nothing; raises UsageError. Remote places are not looked at."""
    path = str(place)
    if is_remote(path) or os.path.exists(local_path(path)) or "{" in path:
        return
    if not set("*?[") & set(path):
        raise UsageError(f"{path}: there is no such file or folder")
    if next(glob.iglob(local_path(path), recursive=True, include_hidden=True), None) is None:
        raise UsageError(f"{path}: no file or folder matches this glob")
