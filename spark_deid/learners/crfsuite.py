"""Train with CRFsuite, and read the weights that it found."""

import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pycrfsuite

from spark_deid.core.errors import ModelError
from spark_deid.numerics.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s


class LabelledSequence(NamedTuple):
    """A sequence to learn from: attributes ``[template, token]`` with 0 for none, and the tag of each token."""

    attributes: UInt64s
    tags: Int32s


class ChainWeights(NamedTuple):
    """The weights of a linear-chain CRF over T tags.

    Attribute ``keys[a]`` gives ``weights[starts[a]:starts[a + 1]]`` to the tags at the same places of ``tags``;
    ``transitions[i, j]`` is the score of tag j after tag i.
    """

    names: tuple[str, ...]
    keys: UInt64s
    starts: Int64s
    tags: UInt8s
    weights: Float64s
    transitions: Float64s


def train(
    sequences: Sequence[LabelledSequence], names: Sequence[str], options: Mapping[str, float], least: int
) -> ChainWeights:
    """Fit by L-BFGS with CRFsuite's options; attributes that fewer than ``least`` tokens have are left out."""
    with tempfile.TemporaryDirectory(prefix="spark-deid-") as folder:
        path = Path(folder, "weights.crfsuite")
        write_weights(path, sequences, names, options, least)
        return _with_outside(read_weights(path.read_bytes()))


def write_weights(
    path: Path, sequences: Sequence[LabelledSequence], names: Sequence[str], options: Mapping[str, float], least: int
) -> None:
    """Fit as ``train`` does, and write CRFsuite's own file."""
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    trainer.set_params({**options, "feature.minfreq": least})
    for sequence, strings in zip(sequences, _strings(sequences, least), strict=True):
        trainer.append(strings, [names[tag] for tag in sequence.tags.tolist()])
    trainer.train(str(path))


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


def read_weights(data: bytes) -> ChainWeights:
    """Read a CRFsuite model file of version 100 whose attributes are 16 hexadecimal digits.

    ``Tagger.info`` rounds weights to six digits, so the file itself is read: a header, records of 20 bytes for
    features, and two string tables (CQDB) for tags and attributes.
    """
    if data[:4] != b"lCRF":
        raise ModelError("CRFsuite model: expected a file that begins with lCRF")
    _, _, _, _, _, _, _, features, labels, attributes, _, _ = struct.unpack_from("<4sI4sIIIIIIIII", data)
    names = tuple(_string(data, place) for place in _strings_of(data, labels))
    keys = np.array([int(_string(data, place), 16) for place in _strings_of(data, attributes)], np.uint64)
    count = struct.unpack_from("<4sII", data, features)[2]
    record = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
    found = np.frombuffer(data, record, count, features + 12)
    transitions = np.zeros((len(names), len(names)))
    between = found[found["kind"] == 1]
    transitions[between["source"], between["target"]] = between["weight"]
    states = found[(found["kind"] == 0) & (found["weight"] != 0)]
    states = states[np.argsort(states["source"], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(states["source"], minlength=len(keys)))])
    return ChainWeights(
        names, keys, starts, states["target"].astype(np.uint8), states["weight"].astype(np.float64), transitions
    )


def _strings_of(data: bytes, table: int) -> Int64s:
    """Return where the strings of a table stand, by their number."""
    _, _, _, _, size, back = struct.unpack_from("<4sIIIII", data, table)
    return np.frombuffer(data, "<u4", size, table + back).astype(np.int64) + table


def _string(data: bytes, place: int) -> str:
    length: int = struct.unpack_from("<II", data, place)[1]
    return data[place + 8 : place + 7 + length].decode("utf-8")
