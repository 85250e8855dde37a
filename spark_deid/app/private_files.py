"""Files that commands make for their owner alone, beside releases and workspaces and in place of nothing."""

import os
from pathlib import Path

from spark_deid.core.errors import UsageError
from spark_deid.release.commit import DOCUMENTS
from spark_deid.storage.delta_log import LOG


def require_new_file(output: str) -> None:
    """Raise ValueError if a file is in a release or workspace, or exists."""
    if any((each / DOCUMENTS / LOG).exists() for each in Path(output).resolve().parents):
        raise ValueError("expected a file outside of releases and workspaces")
    if Path(output).exists():
        raise ValueError("file already exists. Choose a new name")


def write_private_file(output: str, text: str) -> None:
    """Write a new file in UTF-8, mode 0600, and folders where they lack. Raises UsageError."""
    try:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(text.encode("utf-8"))
    except OSError as error:
        raise UsageError(f"{output}: can't be written: {error.strerror}") from None
