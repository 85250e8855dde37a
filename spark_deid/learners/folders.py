"""Model folders: ``model.json`` and arrays in NumPy's format, each with its hash; nothing is unpickled."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256, keyed_hash

RECORD = "model.json"

Settings = TypeVar("Settings", bound=BaseModel)
Array = NDArray[Any]


@dataclass(frozen=True)
class ModelFormat(Generic[Settings]):
    """A format's name and version, its settings, and the arrays that it has with their types.

    ``library`` is what learned. ``older`` names formats that are read and no longer written, and the arrays that each
    lacks; these are read as empty ones. ``secret`` states what the check of the key is made for.
    """

    name: str
    settings: type[Settings]
    arrays: Mapping[str, type[np.generic]]
    library: str = "scikit-learn"
    older: Mapping[str, frozenset[str]] = field(default_factory=dict)
    secret: str = ""


class _Record(BaseModel):
    """The content of ``model.json``; ``key`` states whether a key is the model's without giving it away."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    settings: dict[str, Any]
    key: str
    versions: dict[str, str]
    sha256: dict[str, str]


def write_folder(
    folder: Path, form: ModelFormat[Settings], settings: Settings, arrays: Mapping[str, Array], key: bytes
) -> None:
    """Write a model into a new or empty folder."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name, kind in form.arrays.items():
        np.save(folder / f"{name}.npy", np.asarray(arrays[name], kind), allow_pickle=False)
    record = _Record(
        format=form.name,
        settings=settings.model_dump(mode="json"),
        key=_key_check(form, key),
        versions={
            "unicode": unicodedata.unidata_version,
            **{package: metadata.version(package) for package in ("spark-deid", form.library, "numpy")},
        },
        sha256={f"{name}.npy": file_sha256(folder / f"{name}.npy") for name in form.arrays},
    )
    (folder / RECORD).write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_folder(folder: Path, form: ModelFormat[Settings], key: bytes) -> tuple[Settings, dict[str, Array]]:
    """Read a model folder; arrays are mapped into memory, which all processes share.

    Raises ModelError where the record does not fit; the arrays' content is for ``check_files``.
    """
    record = _read_record(folder / RECORD, form)
    if record.key != _key_check(form, key):
        raise ModelError(f"{folder}: expected the key of this model, got another one")
    try:
        settings = form.settings.model_validate_json(json.dumps(record.settings))
    except ValidationError as error:
        raise _damaged(folder / RECORD, error) from None
    lacks = form.older.get(record.format, frozenset())
    arrays = {
        name: np.zeros(0, kind) if name in lacks else _read_array(folder / f"{name}.npy", kind)
        for name, kind in form.arrays.items()
    }
    return settings, arrays


def check_files(folder: Path, form: ModelFormat[Any]) -> None:
    """Raise ModelError where a file of a model folder is not the one that was written."""
    for name, expected in _read_record(folder / RECORD, form).sha256.items():
        try:
            found = file_sha256(folder / name)
        except OSError as error:
            raise ModelError(f"{folder / name}: can't be read ({type(error).__name__})") from None
        if found != expected:
            raise ModelError(f"{folder / name}: damaged or edited: its hash does not fit")


def record_hash(folder: Path) -> str:
    """Return the hash of ``model.json``, which holds those of all arrays; raises ModelError if it is missing."""
    if not (folder / RECORD).is_file():
        raise ModelError(f"{folder}: no model here ({RECORD} is missing)")
    return file_sha256(folder / RECORD)


def _read_record(path: Path, form: ModelFormat[Settings]) -> _Record:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: can't be read as JSON ({type(error).__name__}); expected a model folder") from None
    if not isinstance(content, dict) or content.get("format") not in (form.name, *form.older):
        raise ModelError(f"{path}: expected format {form.name!r}; train the model again with this version")
    try:
        return _Record.model_validate(content)
    except ValidationError as error:
        raise _damaged(path, error) from None


def _read_array(path: Path, kind: type[np.generic]) -> Array:
    try:
        # Copy on write: compiled code then has one type for arrays made here and arrays read.
        array = np.asarray(np.load(path, mmap_mode="c", allow_pickle=False))
    except (OSError, ValueError, EOFError, OverflowError, SyntaxError, MemoryError) as error:
        raise ModelError(f"{path}: can't be read ({type(error).__name__}); expected an array") from None
    if array.dtype != kind:
        raise ModelError(f"{path}: expected numbers of type {np.dtype(kind).name}")
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def _damaged(path: Path, error: ValidationError) -> ModelError:
    place = ".".join(map(str, error.errors()[0]["loc"]))
    return ModelError(f"{path}: damaged at {place}")


def _key_check(form: ModelFormat[Settings], key: bytes) -> str:
    return keyed_hash(key, "spark-deid", form.secret or form.name)
