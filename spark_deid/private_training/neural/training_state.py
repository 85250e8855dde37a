"""The state of a representation's training after an epoch: what a training that was killed continues from."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.replaceable import ReplaceableWords
from spark_deid.private_training.neural.framework import Tensors
from spark_deid.private_training.neural.held_out import HeldOutLoss
from spark_deid.private_training.neural.nadam import OptimizerState
from spark_deid.storage.files import private_file

TOGETHER, ADVERSARIES, BRANCHES, REPRESENTATION, REVERSAL, FINISHED = (
    *("together", "adversaries", "branches", "representation", "reversal"),
    "finished",
)
"""Parts of a training: P1, P2, P3a and P3b of the paper, gradient reversal, and none."""
_ABOUT = "about"
_FORMAT = "spark-deid training state 1"


class NetworkParts(NamedTuple):
    """The arrays of the three networks in training."""

    representation: Tensors
    tagger: Tensors
    adversary: Tensors


class TrainingState(NamedTuple):
    """A training between two epochs.

    ``part`` is trained next, and ``epochs`` of it are done. ``kept`` are the networks of the best epoch of this part.
    ``losses`` are held-out losses of its epochs, or of alternations in ``alternations``. ``random`` is the state of the
    generator of all random numbers.
    """

    part: str
    epochs: int
    networks: NetworkParts
    kept: NetworkParts
    optimizers: Mapping[str, OptimizerState]
    losses: tuple[float, ...]
    alternations: tuple[HeldOutLoss, ...]
    best: int
    invariance: float
    random: Mapping[str, Any]


def digest_training(words: ReplaceableWords, given: tuple[object, ...]) -> str:
    """Return a digest of what a training is of: sentences, vectors, candidates, and the values that are given."""
    found = sha256(repr(given).encode())
    found.update(np.ascontiguousarray(words.sentences.table).tobytes())
    for sentence in words.sentences.sentences:
        found.update(json.dumps([len(sentence.rows), sentence.document]).encode())
        for each in (sentence.rows, sentence.casings, sentence.tags):
            found.update(each.tobytes())
    for row, others in sorted(words.candidates.items()):
        found.update(json.dumps([int(row), len(others)]).encode())
        found.update(others.tobytes())
    return found.hexdigest()


def write_state(place: Path, state: TrainingState, digest: str) -> None:
    """Replace the file of a state, complete or not at all (mode 0600)."""
    about = {
        "format": _FORMAT,
        "digest": digest,
        **{name: getattr(state, name) for name in ("part", "epochs", "losses", "best", "invariance", "random")},
        "alternations": [tuple(map(float, each)) for each in state.alternations],
        "optimizers": list(state.optimizers),
    }
    arrays = dict(_arrays(state)) | {_ABOUT: np.frombuffer(json.dumps(about).encode(), np.uint8)}
    draft = place.with_name(f".{place.name}.new")
    draft.unlink(missing_ok=True)
    with private_file(str(draft)) as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]
    draft.replace(place)


def read_state(place: Path, digest: str) -> TrainingState | None:
    """Read a state; None if there is no file. Raises UsageError for a damaged file or the state of another training."""
    if not place.exists():
        return None
    try:
        with np.load(place, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop(_ABOUT).tobytes())
        is_known = about["format"] == _FORMAT
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise UsageError(
            f"{place}: the state of a training can't be read ({type(error).__name__}). Remove the file to train from "
            "the beginning"
        ) from None
    if not is_known or about["digest"] != digest:
        raise UsageError(
            f"{place}: the state of another training. Repeat its input, vectors and options, or remove the file to "
            "train from the beginning"
        )
    return TrainingState(
        about["part"],
        about["epochs"],
        _networks(arrays, "networks"),
        _networks(arrays, "kept"),
        {
            name: OptimizerState(*(arrays[f"optimizers/{name}/{each}"] for each in OptimizerState._fields))
            for name in about["optimizers"]
        },
        tuple(about["losses"]),
        tuple(HeldOutLoss(*each) for each in about["alternations"]),
        about["best"],
        about["invariance"],
        about["random"],
    )


def _arrays(state: TrainingState) -> Iterator[tuple[str, Float32s]]:
    for kind, networks in (("networks", state.networks), ("kept", state.kept)):
        for part, arrays in networks._asdict().items():
            for name, each in arrays.items():
                yield f"{kind}/{part}/{name}", np.asarray(each)
    for name, optimizer in state.optimizers.items():
        for field, each in optimizer._asdict().items():
            yield f"optimizers/{name}/{field}", np.asarray(each)


def _networks(arrays: Mapping[str, Float32s], kind: str) -> NetworkParts:
    def part(name: str) -> Tensors:
        prefix = f"{kind}/{name}/"
        return {each.removeprefix(prefix): array for each, array in arrays.items() if each.startswith(prefix)}

    return NetworkParts(*map(part, NetworkParts._fields))
