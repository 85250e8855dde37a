"""Marked text by columns: the texts of many documents one behind another, and arrays of what is marked in them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

MAX_CHARACTERS = 1 << 23
"""Characters of text that are checked together, as their columns take a few times as many bytes."""
Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Bools = NDArray[np.bool_]


class JoinedTexts(NamedTuple):
    """Texts with a line break between each two: that of document i begins at ``begins[i]`` and has ``sizes[i]``."""

    text: str
    begins: Int64s
    sizes: Int64s


class CodedNames(NamedTuple):
    """A column of strings: the numbers of its rows' values, and the values, each once."""

    codes: Int64s
    values: tuple[str, ...]


class MarkedColumns(NamedTuple):
    """Pieces of joined texts: whose they are, where each begins and ends, and its label."""

    documents: Int64s
    starts: Int64s
    ends: Int64s
    labels: CodedNames

    def take(self, chosen: Int64s | Bools) -> "MarkedColumns":
        """Return the chosen rows."""
        documents, starts, ends = (column[chosen] for column in self[:3])
        return MarkedColumns(documents, starts, ends, self.labels._replace(codes=self.labels.codes[chosen]))


def cut_by_size(sizes: Sequence[int] | Int64s, most: int = MAX_CHARACTERS) -> Iterator[tuple[int, int]]:
    """Cut rows of these sizes into ranges of less than that much, but for their first rows.

    >>> list(cut_by_size([3, 3, 9, 1], 6))
    [(0, 1), (1, 2), (2, 4)]
    """
    numbers = np.cumsum(np.asarray(sizes, np.int64)) // most
    borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(sizes)]
    yield from ((low, high) for low, high in pairwise(borders) if low < high)


def join_texts(texts: Sequence[str]) -> JoinedTexts:
    r"""Put texts one behind another, so that no word goes from one to the next.

    >>> join_texts(["ab", "", "c"])[:1], join_texts(["ab", "", "c"]).begins.tolist()
    (('ab\n\nc',), [0, 3, 4])
    """
    sizes = np.fromiter(map(len, texts), np.int64, len(texts))
    return JoinedTexts("\n".join(texts), np.cumsum(sizes + 1) - sizes - 1, sizes)


def read_marks(texts: JoinedTexts, cells: pa.ListArray) -> MarkedColumns:
    """Read start, end and label of a column of lists of structs, a list per text; offsets are in their texts."""
    documents = pc.list_parent_indices(cells).to_numpy().astype(np.int64)
    starts, ends = (offsets_in(cells, name) + texts.begins[documents] for name in ("start", "end"))
    return MarkedColumns(documents, starts, ends, names_in(cells, "label"))


def offsets_in(cells: pa.ListArray, name: str) -> Int64s:
    """Return a field of integers, not one of them null, of a column of lists of structs."""
    offsets: Int64s = field_in(cells, name).to_numpy().astype(np.int64)
    return offsets


def names_in(cells: pa.ListArray, name: str) -> CodedNames:
    """Return a field of strings, not one of them null, of a column of lists of structs."""
    encoded = field_in(cells, name).dictionary_encode()
    return CodedNames(encoded.indices.to_numpy().astype(np.int64), tuple(encoded.dictionary.to_pylist()))


def has_null(cells: pa.ListArray, names: Sequence[str]) -> bool:
    """Return whether a list or one of these fields is null anywhere."""
    return bool(cells.null_count or any(field_in(cells, name).null_count for name in names))


def field_in(cells: pa.ListArray, name: str) -> pa.Array:
    """Return a field of a column of lists of structs."""
    flat = cells.flatten()
    return flat.flatten()[flat.type.get_field_index(name)]
