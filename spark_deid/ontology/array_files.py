"""Files of arrays that open by mapping them into memory: NumPy's own uncompressed archive."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from spark_deid.core.errors import ModelError

Arrays: TypeAlias = Mapping[str, NDArray[Any]]
ABOUT = "about"
NAMED = np.int32(1 << 30)
"""The bit of a packed sense whose word names its concept."""
_LOCAL_HEADER = 30


def save_arrays(path: Path, arrays: Arrays, about: Mapping[str, str]) -> None:
    """Write arrays and what is to be said of them; equal arrays give equal files."""
    result = json.dumps(dict(sorted(about.items())), ensure_ascii=False).encode()
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **{ABOUT: np.frombuffer(result, np.uint8)}, **dict(sorted(arrays.items())))


def map_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Map the arrays of a file into memory, and return what is said of them; raises ModelError for any other file."""
    try:
        arrays = _mapped(path)
        about = json.loads(bytes(arrays.pop(ABOUT)))
    except Exception:  # a file from elsewhere may fail anywhere in what reads it
        raise ModelError(f"{path}: expected a file of `spark-deid ontology build`; this one can't be read") from None
    return arrays, about


def _mapped(path: Path) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
        for item in archive.infolist():
            if item.compress_type != zipfile.ZIP_STORED or not item.filename.endswith(".npy"):
                raise ValueError(item.filename)
            stream.seek(item.header_offset)
            header = stream.read(_LOCAL_HEADER)
            name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
            stream.seek(name + extra, 1)
            npy.read_magic(stream)
            shape, _, kind = npy.read_array_header_1_0(stream)
            # Copy on write: compiled code then has one type for all tables.
            values = np.memmap(path, kind, "c", stream.tell(), shape) if shape[0] else np.empty(shape, kind)
            arrays[item.filename.removesuffix(".npy")] = np.asarray(values)
    return arrays
