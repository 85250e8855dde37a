"""The state of a shard between rounds, in a folder that every worker sees."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_deid.repeats.shard import Shard
from spark_deid.repeats.text import LaidOut

Arrays = dict[str, NDArray[Any]]


def write_arrays(folder: Path, arrays: Arrays) -> None:
    """Write arrays to a new folder that is whole, or absent; one that is there was written by another attempt."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    for name, array in arrays.items():
        np.save(partial / f"{name}.npy", array)
    try:
        os.rename(partial, folder)
    except OSError:
        # Attempts of one task write the same, so the first may stand.
        shutil.rmtree(partial)


def read_array(folder: Path, name: str) -> NDArray[Any]:
    """Read one array."""
    array: NDArray[Any] = np.load(folder / f"{name}.npy")
    return array


def write_text(folder: Path, text: LaidOut, ids: list[str]) -> None:
    """Write what no round changes."""
    names = np.array([name.encode("utf-8", "surrogatepass") for name in ids], object)
    lengths = np.array([len(name) for name in names], np.int64)
    joined = np.frombuffer(b"".join(names), np.uint8)
    arrays: Arrays = {
        "data": text.data,
        "bounds": text.bounds,
        "units": text.units,
        "ids": joined,
        "id_lengths": lengths,
    }
    write_arrays(folder / "text", arrays)


def read_text(folder: Path) -> LaidOut:
    """Read a shard's text."""
    return LaidOut(*(read_array(folder / "text", name) for name in ("data", "bounds", "units")))


def read_ids(folder: Path) -> list[str]:
    """Read the ids of a shard's documents."""
    joined = read_array(folder / "text", "ids").tobytes()
    ends = np.cumsum(read_array(folder / "text", "id_lengths").astype(np.int64)).tolist()
    return [joined[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends], ends, strict=False)]


def write_round(folder: Path, number: int, shard: Shard) -> None:
    """Write what a round left."""
    arrays: Arrays = {"suffixes": shard.suffixes, "shared": shard.shared, "units": shard.units, "placed": shard.placed}
    write_arrays(folder / f"round-{number}", arrays)


def read_round(folder: Path, number: int) -> Shard:
    """Read what a round left."""
    place = folder / f"round-{number}"
    arrays = (read_array(place, name) for name in ("suffixes", "shared", "units", "placed"))
    return Shard(read_text(folder), *arrays)
