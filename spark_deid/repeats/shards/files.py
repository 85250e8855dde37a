"""The state of a shard between rounds, in a folder that every worker sees."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt16s
from spark_deid.repeats.kernels.trie import Depths
from spark_deid.repeats.shards.tries import ActiveSuffixes, UnitWeights
from spark_deid.repeats.text import TextLayout

Arrays = dict[str, NDArray[Any]]
MAPPED_BYTES = 1 << 20


def write_arrays(folder: Path, arrays: Arrays, *, links: Iterable[Path] = ()) -> None:
    """Write arrays to a new folder that is whole, or absent; one that is there was written by another attempt."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(prefix=".part-", dir=folder.parent))
    try:
        for name, array in arrays.items():
            np.save(unfinished / f"{name}.npy", array)
        for path in links:
            os.link(path, unfinished / path.name)
        os.rename(unfinished, folder)
    except BaseException as error:
        shutil.rmtree(unfinished)
        # Attempts of one task write the same, so the first may occur.
        if not (isinstance(error, OSError) and folder.is_dir()):
            raise


def read_array(folder: Path, name: str) -> NDArray[Any]:
    """Read one array; a large one remains in the file, of which only pages come into memory that are checked.

    What is changed of it is changed in memory only.
    """
    path = folder / f"{name}.npy"
    if path.stat().st_size < MAPPED_BYTES:
        array: NDArray[Any] = np.load(path)
        return array
    return np.asarray(np.load(path, mmap_mode="c")).view(np.ndarray)


@dataclass(frozen=True, repr=False)
class ShardContents:
    """The content of a shard: distinct documents laid out, their weights, and their rows of the corpus.

    Row i is the document of id ``ids[i]``, or segment ``segments[i]`` of it from 0 on, laid out as ``document_of[i]``;
    a whole document is not a segment (-1). Document j is searched in its first ``cores[j]`` bytes; what follows
    is there to follow them into, and is searched in another segment.
    """

    text: TextLayout
    weights: UnitWeights
    ids: list[str]
    segments: Int32s
    document_of: Int64s
    cores: Int64s


@dataclass(frozen=True)
class ShardFolder:
    """The files of one shard in one count of the corpus; ``place`` is the shard's folder, ``count`` from 0 on."""

    place: Path
    count: int

    def write_contents(self, contents: ShardContents) -> None:
        """Write what no round changes."""
        names = [name.encode("utf-8", "surrogatepass") for name in contents.ids]
        arrays: Arrays = {
            "bounds": contents.text.bounds,
            "units": contents.text.units,
            "weights": contents.weights.weights,
            "per_occurrence": np.array(contents.weights.per_occurrence),
            "ids": np.frombuffer(b"".join(names), np.uint8),
            "id_lengths": np.array([len(name) for name in names], np.int64),
            "segments": contents.segments,
            "document_of": contents.document_of,
            "cores": contents.cores,
        }
        write_arrays(self.place / "contents", arrays)

    def read_contents(self) -> ShardContents:
        """Read what a shard holds, with the text as this count takes it."""
        get = partial(read_array, self.place / "contents")
        joined = get("ids").tobytes()
        ends = np.cumsum(get("id_lengths")).tolist()
        ids = [joined[a:b].decode("utf-8", "surrogatepass") for a, b in zip([0, *ends], ends, strict=False)]
        weights = UnitWeights(get("weights"), bool(get("per_occurrence")))
        return ShardContents(self.read_text(), weights, ids, get("segments"), get("document_of"), get("cores"))

    def write_text(self, text: TextLayout) -> None:
        """Write the bytes of the text as this count takes them."""
        write_arrays(self._counted("text"), {"data": text.data})

    def read_text(self) -> TextLayout:
        """Read the text as this count takes it."""
        contents = self.place / "contents"
        data = read_array(self._counted("text"), "data")
        return TextLayout(data, read_array(contents, "bounds"), read_array(contents, "units"))

    def read_weights(self) -> UnitWeights:
        """Read what the units of the shard represent."""
        contents = self.place / "contents"
        return UnitWeights(read_array(contents, "weights"), bool(read_array(contents, "per_occurrence")))

    def write_active(self, number: int, active: ActiveSuffixes) -> None:
        """Write which suffixes go into a round."""
        arrays: Arrays = {"suffixes": active.suffixes, "shared": active.shared, "units": active.units}
        write_arrays(self._counted(f"active-{number}"), arrays)

    def read_active(self, number: int) -> ActiveSuffixes:
        """Read which suffixes go into a round."""
        place = self._counted(f"active-{number}")
        return ActiveSuffixes(*(read_array(place, name) for name in ("suffixes", "shared", "units")))

    def begin_again(self) -> None:
        """Begin this count where the first began; links take no room."""
        for name in ("text", "active-0"):
            first = ShardFolder(self.place, 0)._counted(name)
            write_arrays(self._counted(name), {}, links=sorted(first.iterdir()))

    def write_begins(self, number: int, begins: Bools) -> None:
        """Write where the leaves begin that a round sends."""
        write_arrays(self._counted(f"begins-{number}"), {"begins": np.packbits(begins)})

    def read_begins(self, number: int, size: int) -> Bools:
        """Read where the leaves of a round begin, of ``size`` suffixes."""
        return np.unpackbits(read_array(self._counted(f"begins-{number}"), "begins"), count=size).view(np.bool_)

    def sent(self, number: int) -> Path:
        """Return the file of what the shard sends in a round."""
        return self._counted(f"sent-{number}")

    def write_depths(self, number: int, depths: Depths) -> None:
        """Write how deep the suffixes of a round were shared."""
        write_arrays(self._counted(f"depths-{number}"), {"depths": depths})

    def read_depths(self, rounds: int) -> list[tuple[Int32s, Depths]]:
        """Read the suffixes and depths of all rounds."""
        return [
            (
                read_array(self._counted(f"active-{number}"), "suffixes"),
                read_array(self._counted(f"depths-{number}"), "depths"),
            )
            for number in range(rounds)
        ]

    def write_result(self, lengths: UInt16s, hidden: Bools) -> None:
        """Write the extension lengths by character, and what a covering hides."""
        write_arrays(self._counted("result"), {"lengths": lengths, "hidden": hidden})

    def read_lengths(self) -> UInt16s:
        """Read the extension lengths by character."""
        return read_array(self._counted("result"), "lengths")

    def read_hidden(self) -> Bools:
        """Read what a covering hides."""
        return read_array(self._counted("result"), "hidden")

    def _counted(self, name: str) -> Path:
        return self.place / f"count-{self.count}" / name


# What shards and ranges of prefixes send each other: one file a sender and round, with a message to each receiver.
#
# Files and not Spark's shuffles, since the folder that keeps the shards' state is seen by every worker anyway: a
# shuffle would take each byte from Python to the JVM and back, which costs as much processor time as merging it. And
# what was sent is still there where a worker is lost.


def write_messages(path: Path, messages: Sequence[bytes]) -> int:
    """Write a message to each receiver, numbered from 0 on; return the bytes. The file is whole, or absent.

    It begins with where each message does, and the last ends, as 8 bytes each. Attempts of one task write the same.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    bounds = np.cumsum([8 * (len(messages) + 1), *(len(message) for message in messages)], dtype=np.int64)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    try:
        with open(handle, "wb") as file:
            file.write(bounds.tobytes())
            file.writelines(messages)
        os.replace(unfinished, path)
    except BaseException:
        # A full disk would be fuller with each attempt.
        os.unlink(unfinished)
        raise
    return int(bounds[-1])


def read_message(path: Path, receiver: int) -> bytes:
    """Read what a sender wrote to one receiver."""
    with path.open("rb") as file:
        file.seek(8 * receiver)
        begin, end = np.frombuffer(file.read(16), np.int64).tolist()
        file.seek(begin)
        return file.read(end - begin)
