"""A representation to give to institutions: a folder of arrays, and what attacks on it found."""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import ModelError
from spark_deid.learners.folders import ModelFormat, check_files, read_folder, record_hash, write_folder
from spark_deid.representation.embeddings.store import EmbeddingStore
from spark_deid.representation.network.layers import GATES, Weights
from spark_deid.representation.network.model import check_arrays, store_digest
from spark_deid.representation.network.representing import representing_shapes

PRIVACY = "privacy.json"
"""The file of what every attack found."""
_NAMES = tuple(representing_shapes(1, 1, 1))


class PublishedSettings(BaseModel):
    """What a representation is besides its arrays; ``store`` is the digest of what is said of its vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str
    neighbours: int
    labels: tuple[str, ...]


FORMAT = ModelFormat(
    "spark-deid representation 1",
    PublishedSettings,
    dict.fromkeys(_NAMES, np.float32),
    library="numpy",
    secret="representation",
)


@dataclass(frozen=True, eq=False)
class PublishedRepresentation:
    """A frozen representation, the labels that it was trained with, and the digest that names it."""

    weights: Weights
    settings: PublishedSettings
    sha256: str

    @property
    def outputs(self) -> int:
        """Return the numbers of a token's vector."""
        return int(self.weights["output_bias"].shape[-1])


def write_representation(folder: Path, weights: Weights, settings: PublishedSettings, privacy: dict[str, Any]) -> None:
    """Write a representation into a new folder, open to all: it is made to be given away."""
    write_folder(folder, FORMAT, settings, weights, b"")
    (folder / PRIVACY).write_text(json.dumps(privacy, indent=1) + "\n", encoding="utf-8")
    folder.chmod(0o755)


def read_representation(folder: Path, store: EmbeddingStore) -> PublishedRepresentation:
    """Read a representation and check its arrays, and that it is of these vectors; raises ModelError."""
    check_files(folder, FORMAT)
    found = _read(folder.resolve(), record_hash(folder))
    if store_digest(store.about) != found.settings.store:
        raise ModelError(f"{store.folder}: not the vectors that {folder} was trained with; give its publisher's")
    units = found.weights["lstm_bias"].shape[-1] // GATES
    check_arrays(found.weights, representing_shapes(store.about.dimensions, units, found.outputs))
    return found


@lru_cache(maxsize=8)
def _read(folder: Path, sha256: str) -> PublishedRepresentation:
    settings, arrays = read_folder(folder, FORMAT, b"")
    return PublishedRepresentation(arrays, settings, sha256)
