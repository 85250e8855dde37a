"""Model folders of the CRF: ``model.json`` and arrays in NumPy's format, each with its hash; nothing is unpickled."""

import json
import unicodedata
from importlib import metadata
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import file_sha256, keyed_hash
from spark_deid.learners.lexicon import Lexicon
from spark_deid.learners.scoring import WeightTable
from spark_deid.text.features import FeatureSet
from spark_deid.text.kernels.lookup import Lookup

Scalar = TypeVar("Scalar", bound=np.generic)
Number = np.uint64 | np.uint8 | np.float64
FORMAT = "spark-deid crf 2"
OLDER = "spark-deid crf 1"
"""The format without wide rows and marks of public slots: read, and no longer written."""
RECORD = "model.json"
WEIGHTS = ("slots", "row_tags", "row_weights", "wide")
ARRAYS = (*WEIGHTS, "public", "transitions", "word_keys", "word_values", "span_keys", "span_values")


class Settings(BaseModel):
    """What a model is besides its arrays."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    features: FeatureSet
    labels: tuple[str, ...]
    names: tuple[str, ...]
    kinds: dict[str, str]
    outside_bias: float
    copy_length: int
    threshold: float | None


class Arrays(NamedTuple):
    """A model's weights and lexicon; ``public`` as in ``sharing.public_slots``, empty where nothing tells."""

    table: WeightTable
    public: NDArray[np.uint8]
    transitions: NDArray[np.float64]
    lexicon: Lexicon


class Record(BaseModel):
    """The content of ``model.json``; ``key`` tells whether a key is the model's without giving it away."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    settings: Settings
    key: str
    versions: dict[str, str]
    sha256: dict[str, str]


def write_model(folder: Path, settings: Settings, arrays: Arrays, key: bytes) -> None:
    """Write a model into a new or empty folder."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    words, spans = arrays.lexicon.words, arrays.lexicon.spans
    given: tuple[NDArray[Number], ...] = (*arrays.table, arrays.public, arrays.transitions, *words, *spans)
    for name, array in zip(ARRAYS, given, strict=True):
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    record = Record(
        format=FORMAT,
        settings=settings,
        key=_key_check(key),
        versions={
            "unicode": unicodedata.unidata_version,
            **{package: metadata.version(package) for package in ("spark-deid", "python-crfsuite", "numpy")},
        },
        sha256={f"{name}.npy": file_sha256(folder / f"{name}.npy") for name in ARRAYS},
    )
    (folder / RECORD).write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def check_files(folder: Path) -> None:
    """Raise ModelError where a file of a model folder is not the one that was written."""
    for name, expected in _read_record(folder / RECORD).sha256.items():
        try:
            found = file_sha256(folder / name)
        except OSError as error:
            raise ModelError(f"{folder / name}: can't be read ({type(error).__name__})") from None
        if found != expected:
            raise ModelError(f"{folder / name}: damaged or edited: its hash does not fit")


def read_model(folder: Path, key: bytes) -> tuple[Settings, Arrays]:
    """Read a model folder; arrays are mapped into memory, which all processes share.

    Raises ModelError where the record does not fit; the arrays' content is for ``check_files``.
    """
    record = _read_record(folder / RECORD)
    if record.key != _key_check(key):
        raise ModelError(f"{folder}: the key given is not the one of this model")

    def read(name: str, kind: type[Scalar]) -> NDArray[Scalar]:
        is_older = record.format == OLDER and name in ("wide", "public")
        return np.zeros(0, kind) if is_older else _read_array(folder / f"{name}.npy", kind)

    table = WeightTable(
        read("slots", np.uint64), read("row_tags", np.uint8), read("row_weights", np.float64), read("wide", np.float64)
    )
    words = Lookup(read("word_keys", np.uint64), read("word_values", np.uint64))
    spans = Lookup(read("span_keys", np.uint64), read("span_values", np.uint64))
    arrays = Arrays(table, read("public", np.uint8), read("transitions", np.float64), Lexicon(words, spans))
    return record.settings, arrays


def _read_record(path: Path) -> Record:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: can't be read as JSON ({type(error).__name__}); expected a model folder") from None
    if not isinstance(content, dict) or content.get("format") not in (FORMAT, OLDER):
        raise ModelError(f"{path}: expected format {FORMAT!r}; train the model again with this version")
    try:
        return Record.model_validate_json(path.read_bytes())
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise ModelError(f"{path}: damaged at {place}") from None


def _read_array(path: Path, kind: type[Scalar]) -> NDArray[Scalar]:
    try:
        # Copy on write: compiled code then has one type for arrays made here and arrays read.
        return np.asarray(np.load(path, mmap_mode="c", allow_pickle=False), kind)
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: can't be read ({type(error).__name__}); expected an array") from None


def _key_check(key: bytes) -> str:
    return keyed_hash(key, "spark-deid", "crf words")
