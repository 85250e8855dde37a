"""Model folders opened, once a process for the same folder, record and key."""

from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from spark_deid.learners.background import make_extractor
from spark_deid.learners.folders import check_files, record_hash
from spark_deid.learners.token_model import TokenModel

Opened = TypeVar("Opened", bound=TokenModel)


def load_model(kind: type[Opened], folder: Path, key: bytes) -> Opened:
    """Read a model of this kind and check every file; ``key`` is the one it was fitted with.

    Raises ModelError on a folder that is missing, damaged, of another version or of another key.
    """
    record_hash(folder)
    check_files(folder, kind.form)
    return open_model(kind, folder, key)


def open_model(kind: type[Opened], folder: Path, key: bytes) -> Opened:
    """Read a model of this kind whose files were checked before."""
    model = _read(kind, folder.resolve(), record_hash(folder), key)
    assert isinstance(model, kind)
    return model


@lru_cache(maxsize=32)
def _read(kind: type[TokenModel], folder: Path, _: str, key: bytes) -> TokenModel:
    return kind.read(folder, key, make_extractor)
