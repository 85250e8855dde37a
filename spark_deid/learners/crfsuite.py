"""Fit with CRFsuite, as ``sklearn_crfsuite`` calls it, and read the weights that it found."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from spark_deid.learners.chain_weights import ChainWeights, LabelledSequence
from spark_deid.learners.crfsuite_file import read_weights


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
    # Here, since a model that is only read needs none of it.
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
