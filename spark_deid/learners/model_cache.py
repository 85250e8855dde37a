"""Model folders opened, once a process for the same folder, record and key."""

from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from spark_deid.learners.background import make_extractor
from spark_deid.learners.folders import record_hash
from spark_deid.learners.token_model import TokenModel

Opened = TypeVar("Opened", bound=TokenModel)


def open_model(kind: type[Opened], folder: Path, key: bytes) -> Opened:
    """Read a model of this kind whose files were checked before; ``key`` is the one it was fitted with.

    Raises ModelError on a folder that is missing, of another version or of another key.
    """
    model = _read(kind, folder.resolve(), record_hash(folder), key)
    assert isinstance(model, kind)
    return model


@lru_cache(maxsize=32)
def _read(kind: type[TokenModel], folder: Path, _: str, key: bytes) -> TokenModel:
    return kind.read(folder, key, make_extractor)
