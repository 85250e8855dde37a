"""Text as a neural model is given it: cut into a tokenizer's pieces, in windows of one length."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from spark_deid.core.span import Span
from spark_deid.detection.token_classification.export import LINE, shape_types

TAGS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG")
_BEGINS = {"NAME": 1, "LOCATION": 3, "ORGANIZATION": 5}
WINDOW, SHORT = 256, 128
"""Pieces of a window, with the special ones at its ends: of long texts, and of those that fit into half of it."""
CLS, SEP = 101, 102


class PieceTable(NamedTuple):
    """Texts one behind the other, piece by piece: ids, token types (see ``token_types``), tags, and where texts end."""

    ids: np.ndarray
    types: np.ndarray
    tags: np.ndarray
    ends: np.ndarray


class WindowBatch(NamedTuple):
    """Windows of one length (windows x pieces); ``places`` are rows of the table.

    They are -1 where a window is filled up, and at its special pieces.
    """

    ids: np.ndarray
    types: np.ndarray
    places: np.ndarray


def cut_texts(texts: Iterable[tuple[str, Sequence[Span]]], tokenizer: Any) -> PieceTable:
    """Cut texts with their spans into pieces."""
    ids, types, tags, ends = [], [], [], [0]
    for text, spans in texts:
        encoded = tokenizer.encode(text, add_special_tokens=False)
        ids.append(np.asarray(encoded.ids, np.int32))
        types.append(shape_types(text, encoded.offsets).astype(np.int32))
        tags.append(_tags(encoded.offsets, spans))
        ends.append(ends[-1] + len(encoded.ids))
    return PieceTable(np.concatenate(ids), np.concatenate(types), np.concatenate(tags), np.asarray(ends))


def _tags(offsets: Sequence[tuple[int, int]], spans: Sequence[Span]) -> np.ndarray:
    tags = np.zeros(len(offsets), np.int32)
    places = np.asarray(offsets, np.int64).reshape(-1, 2)
    for span in spans:
        first = np.searchsorted(places[:, 1], span.start, "right")
        last = np.searchsorted(places[:, 0], span.end, "left")
        tags[first:last] = _BEGINS[span.label] + 1
        tags[first : min(first + 1, last)] = _BEGINS[span.label]
    return tags


def windows(table: PieceTable) -> list[WindowBatch]:
    """Cut texts into windows, which end where lines do if they can; short ones and long ones apart."""
    cut = list(_cut(table))
    return [
        _batch(table, [(a, b) for a, b in cut if low < b - a + 2 <= high])
        for low, high in ((0, SHORT), (SHORT, WINDOW))
        if any(low < b - a + 2 <= high for a, b in cut)
    ]


def _cut(table: PieceTable) -> Iterator[tuple[int, int]]:
    room = WINDOW - 2
    for first, end in zip(table.ends[:-1].tolist(), table.ends[1:].tolist(), strict=True):
        while first < end:
            last = min(end, first + room)
            lines = np.flatnonzero(table.types[first + room // 2 : last] >= LINE) if last < end else []
            last = first + room // 2 + int(lines[-1]) if len(lines) else last
            yield first, last
            first = last


def _batch(table: PieceTable, cut: Sequence[tuple[int, int]]) -> WindowBatch:
    length = SHORT if max(b - a for a, b in cut) + 2 <= SHORT else WINDOW
    ids, types = (np.zeros((len(cut), length), np.int32) for _ in range(2))
    places = np.full((len(cut), length), -1, np.int64)
    for row, (first, last) in enumerate(cut):
        inside = slice(1, 1 + last - first)
        ids[row, 0], ids[row, 1 + last - first] = CLS, SEP
        ids[row, inside], types[row, inside] = table.ids[first:last], table.types[first:last]
        places[row, inside] = np.arange(first, last)
    return WindowBatch(ids, types, places)
