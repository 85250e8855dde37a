"""A representation to give to institutions: a folder of arrays, and what attacks on it found."""

import json
import shutil
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import ModelError
from spark_deid.learners.folders import ModelFormat, check_files, read_folder, record_hash, write_folder
from spark_deid.private_training.embeddings.store import EmbeddingStore
from spark_deid.private_training.network.layers import GATES, Weights, representing_shapes
from spark_deid.private_training.network.model import check_arrays, store_digest

PRIVACY = "privacy.json"
"""The file of what every attack found."""
_NAMES = tuple(representing_shapes(1, 1, 1))


class PublishedSettings(BaseModel):
    """What a representation is besides its arrays.

    ``store`` is the digest of what is stated about its vectors, ``privacy`` that of the file of what attacks found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: str
    neighbours: int
    labels: tuple[str, ...]
    privacy: str


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
    digest: str

    @property
    def outputs(self) -> int:
        """Return the numbers of a token's vector."""
        return int(self.weights["output_bias"].shape[-1])


def write_representation(
    folder: Path, weights: Weights, *, store: EmbeddingStore, neighbours: int, labels: tuple[str, ...], privacy: bytes
) -> None:
    """Write a representation into a new folder, whole or not at all, open to all: it is made to be given away.

    ``privacy`` is the file of what attacks found.
    """
    settings = PublishedSettings(
        store=store_digest(store.about), neighbours=neighbours, labels=labels, privacy=sha256(privacy).hexdigest()
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        write_folder(draft, FORMAT, settings, weights, b"")
        (draft / PRIVACY).write_bytes(privacy)
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def read_representation(folder: Path, store: EmbeddingStore) -> PublishedRepresentation:
    """Read a representation; check its files and arrays, that it is of these vectors, and that attacks on it failed.

    Raises ModelError.
    """
    check_files(folder, FORMAT)
    found = _read(folder.resolve(), record_hash(folder))
    _check_privacy(folder, found.settings.privacy)
    if store_digest(store.about) != found.settings.store:
        raise ModelError(
            f"{store.folder}: expected the vectors with which {folder} was trained. Use the store of its publisher"
        )
    units = found.weights["lstm_bias"].shape[-1] // GATES
    check_arrays(found.weights, representing_shapes(store.about.dimensions, units, found.outputs))
    return found


def _check_privacy(folder: Path, digest: str) -> None:
    """Raise ModelError where what attacks found is not there, was edited, or does not let the representation out."""
    try:
        content = (folder / PRIVACY).read_bytes()
        holds = json.loads(content)["holds"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ModelError(
            f"{folder / PRIVACY}: can't be read ({type(error).__name__}); expected attacks' figures"
        ) from None
    if sha256(content).hexdigest() != digest:
        raise ModelError(f"{folder / PRIVACY}: damaged or edited: its hash does not fit")
    if holds is not True:
        raise ModelError(
            f"{folder / PRIVACY}: attacks on this representation succeeded. Expected a representation "
            "that passed all attacks"
        )


@lru_cache(maxsize=8)
def _read(folder: Path, digest: str) -> PublishedRepresentation:
    settings, arrays = read_folder(folder, FORMAT, b"")
    return PublishedRepresentation(arrays, settings, digest)
