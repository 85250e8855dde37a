"""Fit with CRFsuite, as ``sklearn_crfsuite`` calls it, and read the weights that it found."""

import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.learners.array_validation import LARGEST
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.scoring import MAX_TAGS


def train(
    sequences: Sequence[LabelledSequence], names: Sequence[str], options: Mapping[str, float], least: int
) -> ChainWeights:
    """Fit by L-BFGS with CRFsuite's options; attributes that fewer than ``least`` tokens have are omitted."""
    with tempfile.TemporaryDirectory(prefix="spark-deid-") as folder:
        path = Path(folder, "weights.crfsuite")
        write_weights(path, sequences, names, options, least)
        return _with_outside(read_weights(path.read_bytes()))


def write_weights(
    path: Path, sequences: Sequence[LabelledSequence], names: Sequence[str], options: Mapping[str, float], least: int
) -> None:
    """Fit as ``train`` does, and write CRFsuite's own file."""
    # Here, since a model that is only read needs not one of it.
    from sklearn_crfsuite import CRF

    learner = CRF(algorithm="lbfgs", min_freq=least, model_filename=str(path), **options)
    tags = ([names[tag] for tag in sequence.tags.tolist()] for sequence in sequences)
    learner.fit(_strings(sequences, least), tags)


def _strings(sequences: Sequence[LabelledSequence], least: int) -> Iterator[list[list[str]]]:
    """Yield each sequence's attributes as CRFsuite takes them: 16 hexadecimal digits each, in order of templates.

    Each string is made once and shared by all the tokens that have it.
    """
    names: list[str] = []
    numbers = np.concatenate([np.zeros(sequence.attributes.shape, np.int32) for sequence in sequences], 1)
    for template in range(len(numbers)):
        hashes = np.concatenate([sequence.attributes[template] for sequence in sequences])
        distinct, rows, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        used = (counts >= least) & (distinct != 0)
        numbers[template] = np.where(used, len(names) + np.cumsum(used), 0)[rows]
        names.extend(f"{value:016x}" for value in distinct[used].tolist())
    table = np.array(["", *names], object)
    begin = 0
    for sequence in sequences:
        end = begin + len(sequence.tags)
        yield [table[row[row > 0]].tolist() for row in np.ascontiguousarray(numbers[:, begin:end].T)]
        begin = end


def _with_outside(weights: ChainWeights) -> ChainWeights:
    """Return weights that know the tag O even where no training token had it."""
    if "O" in weights.names:
        return weights
    return weights._replace(names=(*weights.names, "O"), transitions=np.pad(weights.transitions, ((0, 1), (0, 1))))


# Read the weights in a model file of CRFsuite, without CRFsuite.
#
# A file of version 100 is a header, records of 20 bytes for features, and two tables of strings (CQDB), for tags and
# for attributes; its layout is that of ``crf1d_model.c`` and ``cqdb.c`` in CRFsuite 0.12. CRFsuite's own reader
# follows each offset, so a file of unknown origin is read only here: each offset, count and number is checked before it
# is used.


MAGIC, KIND, VERSION = b"lCRF", b"FOMC", 100
_HEADER = struct.Struct("<4sI4sIIIIIIIII")
_FEATURES = struct.Struct("<4sII")
_STRINGS = struct.Struct("<4sIIIII")
_STRING = struct.Struct("<II")
_BYTE_ORDER = 0x62445371
_STATE, _TRANSITION = 0, 1
_RECORD = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_DIGITS = 16
_LONGEST_TAG = 1000


def read_weights(data: bytes) -> ChainWeights:
    """Read a file whose attributes are 16 hexadecimal digits; raises ModelError for every other.

    ``Tagger.info`` rounds weights to six digits, so the records themselves are read.
    """
    _expect(data[: len(MAGIC)] == MAGIC and len(data) >= _HEADER.size, "a file that begins with lCRF")
    _, size, kind, version, *_, features, labels, attributes, _, _ = _HEADER.unpack_from(data)
    _expect((size, kind, version) == (len(data), KIND, VERSION), f"a whole file of version {VERSION}")
    names = tuple(_tag(each) for each in _table_strings(data, labels, longest=_LONGEST_TAG))
    _expect(1 <= len(names) <= MAX_TAGS and len(set(names)) == len(names), f"1 to {MAX_TAGS} tags, each once")
    keys = np.array([_hash(each) for each in _table_strings(data, attributes, longest=_DIGITS)], np.uint64)
    _expect(len(np.unique(keys)) == len(keys), "attributes, each once")
    found = _records(data, features, len(names), len(keys))
    transitions = np.zeros((len(names), len(names)))
    between = found[found["kind"] == _TRANSITION]
    transitions[between["source"], between["target"]] = between["weight"]
    states = found[(found["kind"] == _STATE) & (found["weight"] != 0)]
    states = states[np.argsort(states["source"], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(states["source"], minlength=len(keys)))])
    return ChainWeights(
        names, keys, starts, states["target"].astype(np.uint8), states["weight"].astype(np.float64), transitions
    )


def _records(data: bytes, place: int, tags: int, attributes: int) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Return the features' records: each once, of weights that are numbers, for tags and attributes that exist."""
    mark, size, count = _unpacked(_FEATURES, data, place)
    _expect(mark == b"FEAT" and size == _FEATURES.size + count * _RECORD.itemsize, "a table of features")
    _expect(place + size <= len(data), "all of its features")
    found = np.frombuffer(data, _RECORD, count, place + _FEATURES.size)
    states = found["kind"] == _STATE
    _expect(bool((states | (found["kind"] == _TRANSITION)).all()), "features of states and of transitions")
    known = (found["target"] < tags) & (found["source"] < np.where(states, attributes, tags))
    _expect(bool(known.all()), "features of its tags and attributes")
    _expect(bool((np.abs(found["weight"]) <= LARGEST).all()), "finite weights")
    _expect(len(np.unique(found[["kind", "source", "target"]])) == count, "features, each once")
    return found


def _table_strings(data: bytes, table: int, *, longest: int) -> list[bytes]:
    """Return the strings of a table in order of their numbers."""
    mark, size, _, order, count, back = _unpacked(_STRINGS, data, table)
    _expect(mark == b"CQDB" and order == _BYTE_ORDER and table + size <= len(data), "a table of strings")
    _expect(back + 4 * count <= size, "places of its strings")
    places = np.frombuffer(data, "<u4", count, table + back).tolist()
    return [_string(data, table, size, place, number, longest) for number, place in enumerate(places)]


def _string(data: bytes, table: int, size: int, place: int, number: int, longest: int) -> bytes:
    _expect(_STRINGS.size <= place <= size - _STRING.size, "places of its strings in their table")
    found, length = _STRING.unpack_from(data, table + place)
    begin = place + _STRING.size
    _expect(found == number and 1 <= length <= longest + 1 and begin + length <= size, "strings in their table")
    written = data[table + begin : table + begin + length]
    _expect(written.find(b"\0") == length - 1, "strings that end in a zero")
    return written[:-1]


def _tag(written: bytes) -> str:
    try:
        return written.decode("utf-8")
    except UnicodeDecodeError:
        raise _error("tags in UTF-8") from None


def _hash(written: bytes) -> int:
    digits = len(written) == _DIGITS and not written.strip(b"0123456789abcdef")
    _expect(digits, f"attributes of {_DIGITS} hexadecimal digits")
    return int(written, 16)


def _unpacked(form: struct.Struct, data: bytes, place: int) -> tuple[Any, ...]:
    _expect(_HEADER.size <= place <= len(data) - form.size, "tables within the file")
    return form.unpack_from(data, place)


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise _error(what)


def _error(what: str) -> ModelError:
    return ModelError(f"CRFsuite model: expected {what}")
