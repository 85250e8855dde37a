"""Whether the arrays of an ontology's file can be read by compiled code, which checks no index itself.

A file from elsewhere, or one that was cut off, can hold any value.
"""

import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Int32s, UInt8s
from spark_deid.ontology.kernels.paths import has_circle

# Files of arrays that open by mapping them into memory: NumPy's own uncompressed archive.


Arrays: TypeAlias = Mapping[str, NDArray[Any]]
ABOUT = "about"
NAMED = np.int32(1 << 30)
"""The bit of a packed sense whose word names its concept."""
_LOCAL_HEADER = 30


def save_arrays(path: Path, arrays: Arrays, about: Mapping[str, str]) -> None:
    """Write arrays and what is to be stated about them; equal arrays give equal files."""
    result = json.dumps(dict(sorted(about.items())), ensure_ascii=False).encode()
    with path.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **{ABOUT: np.frombuffer(result, np.uint8)}, **dict(sorted(arrays.items())))


def map_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Map the arrays of a file into memory, and return what is said of them; raises ModelError for any other file."""
    try:
        arrays = _mapped(path)
        about = json.loads(bytes(arrays.pop(ABOUT)))
    except Exception:  # a file from elsewhere may fail anywhere in what reads it
        raise ModelError(f"{path}: cannot read this file. Expected a file of `spark-deid ontology build`") from None
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


_COUNTS = ("word_counts", "sense_counts", "hypernym_counts", "gloss_counts")
_TYPES = {
    "text": "u1",
    "senses": "i4",
    "sense_keys": "u2",
    "lemmas": "i4",
    "ids": "u4",
    "hypernyms": "i4",
    "volumes": "i4",
    "glosses": "u2",
}
_CONTINUES = 0x80, 0xC0
"""The bits of a byte that continues with a character in UTF-8, and those that are checked."""


def check_arrays(path: str, arrays: Arrays, about: Mapping[str, str]) -> None:
    """Check all that readers of an ontology rely on: lengths, types, numbers in range, no circle of hypernyms.

    Raises ModelError, which states what of the file is damaged.
    """
    wrong = next((what for what, holds in _demands(arrays, about) if not holds), None)
    if wrong is not None:
        raise ModelError(f"{path}: damaged or malicious file: {wrong}. Build it again with `spark-deid ontology build`")


def _demands(arrays: Arrays, about: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield what is expected, and whether it holds; each may rely on those before."""
    yield "expected a name", isinstance(about, dict) and isinstance(about.get("name"), str)
    yield "expected other arrays", {*arrays} == {*_COUNTS, *_TYPES}
    yield "expected arrays of one dimension", all(each.ndim == 1 for each in arrays.values())
    yield "expected other types", all(arrays[name].dtype == kind for name, kind in _TYPES.items())
    yield "expected counts", all(arrays[name].dtype in (np.uint8, np.uint16) for name in _COUNTS)
    sums = {name: int(arrays[name].sum(dtype=np.int64)) for name in _COUNTS}
    words, lemmas, concepts = (len(arrays[name]) for name in _COUNTS[:3])
    text, senses = arrays["text"], arrays["senses"]
    yield "text: expected as many bytes as its words have", sums["word_counts"] == len(text)
    yield "word_counts: expected words", concepts > 0 and lemmas > 0 and bool(arrays["word_counts"].all())
    starts = np.cumsum(arrays["word_counts"], dtype=np.int64)[:-1]
    yield "text: expected UTF-8", _is_text(text) and not ((text[starts] & _CONTINUES[1]) == _CONTINUES[0]).any()
    yield "lemmas: expected a word for each form", words == lemmas + len(arrays["lemmas"])
    yield "lemmas: expected words", _are_below(arrays["lemmas"], lemmas)
    yield "senses: expected as many as are counted", sums["sense_counts"] == len(senses)
    yield "sense_counts: expected a sense for each word", bool(arrays["sense_counts"].all())
    yield "senses: expected concepts", _are_below(senses & ~NAMED, concepts)
    named = senses[senses >= NAMED] & ~NAMED
    yield "senses: expected a name for each concept", len(np.unique(named)) == concepts
    yield "sense_keys: expected one for each sense, or none", len(arrays["sense_keys"]) in (0, len(senses))
    yield "ids: expected one for each concept, or none", len(arrays["ids"]) in (0, concepts)
    yield "hypernyms: expected as many as are counted", sums["hypernym_counts"] == len(arrays["hypernyms"])
    yield "hypernyms: expected concepts", _are_below(arrays["hypernyms"], concepts)
    yield (
        "volumes: expected numbers from 1 on",
        len(arrays["volumes"]) <= concepts and bool((arrays["volumes"] > 0).all()),
    )
    yield "gloss_counts: expected one for each concept", len(arrays["gloss_counts"]) == concepts
    yield "glosses: expected as many as are counted", sums["gloss_counts"] == len(arrays["glosses"])
    ends = np.cumsum(arrays["hypernym_counts"], dtype=np.int64)
    yield "hypernyms: expected no circle", not has_circle(np.asarray(ends), np.array(arrays["hypernyms"]))


def _are_below(values: Int32s, most: int) -> bool:
    return not len(values) or (int(values.min()) >= 0 and int(values.max()) < most)


def _is_text(content: UInt8s) -> bool:
    try:
        content.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
