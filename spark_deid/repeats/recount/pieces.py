"""What a release shows of a document, and what of the corpus may count as evidence for it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.edit import STAR
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, read_only
from spark_deid.core.numerics.compilation import Int, compiled


class TextPieces(NamedTuple):
    """Pieces of texts in UTF-8: ``data[starts[i]:ends[i]]`` is of the text numbered ``texts[i]``; none is empty."""

    data: UInt8s
    starts: Int64s
    ends: Int64s
    texts: Int64s


class ColumnEdits(NamedTuple):
    """The edits of a column of texts, in order: those of text i are numbers ``before[i]`` to ``before[i + 1]``.

    ``starts`` and ``ends`` are characters of the originals, ``replaced`` how many characters stand there now, and
    ``hides`` tells whether they are stars.
    """

    before: Int64s
    starts: Int64s
    ends: Int64s
    replaced: Int64s
    hides: Bools


def is_star(replacement: str) -> bool:
    """Tell whether a replacement stands for rare text: one star, or one for each character."""
    return bool(replacement) and not replacement.strip(STAR)


def published_runs(published: pa.StringArray, edits: ColumnEdits, excluded: Sequence[str]) -> TextPieces:
    """Return what released texts show between replacements, by the edits' places and not by their looks.

    A text that was changed after its edits is cut at the same places, so that what was changed is counted as it is.
    Listed words in ``excluded`` and stars end a run as well. What was to be hidden is no run where stars are, and shown
    wherever none is.
    """
    data, bounds = _bytes_of(published)
    return _without(data, *cut_published(data, bounds, *edits), excluded)


def evidence_pieces(original: pa.StringArray, edits: ColumnEdits, excluded: Sequence[str]) -> TextPieces:
    """Return the pieces of originals in which runs are counted: what edits replace by other than stars is none."""
    data, bounds = _bytes_of(original)
    return _without(data, *cut_original(data, bounds, edits.before, edits.starts, edits.ends, edits.hides), excluded)


def edits_in(batch: pa.RecordBatch) -> ColumnEdits:
    """Read the columns of lists starts, ends, replaced and hides of a batch, in any order; null is none."""
    sizes = pc.fill_null(pc.list_value_length(batch.column("starts")), 0).to_numpy()
    starts, ends, replaced = (
        batch.column(name).flatten().to_numpy().astype(np.int64) for name in ("starts", "ends", "replaced")
    )
    hides = batch.column("hides").flatten().to_numpy(zero_copy_only=False).astype(np.bool_)
    if {len(starts), len(ends), len(replaced), len(hides)} != {int(sizes.sum())}:
        raise SparkDeidError("edits: expected as many ends, lengths and kinds as starts")
    before = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    edits = ColumnEdits(before, starts, ends, replaced, hides)
    texts = np.repeat(np.arange(len(sizes)), sizes)
    if np.all((np.diff(starts) > 0) | (np.diff(texts) > 0)):
        return edits
    order = np.lexsort((ends, starts, texts))
    return ColumnEdits(before, starts[order], ends[order], replaced[order], hides[order])


def _bytes_of(texts: pa.StringArray) -> tuple[UInt8s, Int64s]:
    """Return the bytes of a column of texts, and its bounds in them; null is empty."""
    filled = pc.fill_null(texts, "")
    _, offsets, data = filled.buffers()
    width = np.int64 if pa.types.is_large_string(filled.type) else np.int32
    bounds = np.frombuffer(offsets, width)[filled.offset : filled.offset + len(filled) + 1].astype(np.int64)
    return read_only(np.frombuffer(data if data else b"", np.uint8)), bounds


def _without(data: UInt8s, starts: Int64s, ends: Int64s, texts: Int64s, excluded: Sequence[str]) -> TextPieces:
    if not excluded:
        stars = int(np.count_nonzero(data == STAR.encode()[0]))
        return TextPieces(data, *split_at_stars(data, starts, ends, texts, len(starts) + stars))
    # Longest first, because an alternation uses the first branch that matches.
    words = sorted((STAR, *excluded), key=len, reverse=True)
    pattern = re.compile(b"|".join(re.escape(word.encode()) for word in words))
    found = []
    for start, end, text in zip(starts.tolist(), ends.tolist(), texts.tolist(), strict=True):
        for match in pattern.finditer(data.data, start, end):
            found.append((start, match.start(), text))
            start = match.end()
        found.append((start, end, text))
    cut = np.array(found, np.int64).reshape(-1, 3)
    cut = cut[cut[:, 0] < cut[:, 1]]
    return TextPieces(data, *(cut[:, column].copy() for column in range(3)))


# Cut texts in UTF-8 at edits, whose offsets are characters, and at stars.


_STAR = np.frombuffer(STAR.encode(), np.uint8).copy()


@compiled
def cut_published(
    data: UInt8s, bounds: Int64s, before: Int64s, starts: Int64s, ends: Int64s, replaced: Int64s, hides: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what a released text shows between replacements; some may be empty.

    Text i is ``data[bounds[i] : bounds[i + 1]]``, and its edits, in order, are numbers ``before[i]`` to
    ``before[i + 1]``: their places in the original, and how many characters replace it. One that ``hides`` cuts
    nothing here, since what stands there is only hidden where it is a star. No two pieces overlap, even if edits do.
    """
    pieces = np.empty((3, len(starts) + len(before)), np.int64)
    number = 0
    for text in range(len(before) - 1):
        places = _places(data, bounds[text], bounds[text + 1])
        position = shift = np.int64(0)
        for edit in range(before[text], before[text + 1]):
            start = starts[edit] + shift
            if not hides[edit]:
                _keep(pieces, number, places, position, start, text)
                number += 1
                position = max(position, start + replaced[edit])
            # `shift` moves offsets of the original to the released text, whose earlier edits changed its length.
            shift = start + replaced[edit] - ends[edit]
        _keep(pieces, number, places, position, np.int64(len(places) - 1), text)
        number += 1
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]


@compiled
def cut_original(
    data: UInt8s, bounds: Int64s, before: Int64s, starts: Int64s, ends: Int64s, hides: Bools
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what edits leave of originals; an edit that only ``hides`` leaves what it hides.

    What any other edit replaces is in no piece, whatever overlaps it.
    """
    pieces = np.empty((3, len(starts) + len(before)), np.int64)
    number = 0
    for text in range(len(before) - 1):
        places = _places(data, bounds[text], bounds[text + 1])
        position = np.int64(0)
        for edit in range(before[text], before[text + 1]):
            if not hides[edit]:
                _keep(pieces, number, places, position, starts[edit], text)
                number += 1
                position = max(position, ends[edit])
        _keep(pieces, number, places, position, np.int64(len(places) - 1), text)
        number += 1
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]


@compiled
def _places(data: UInt8s, start: Int, end: Int) -> Int64s:
    """Return where each character begins, and the end."""
    places = np.empty(end - start + 1, np.int64)
    number = 0
    for place in range(start, end):
        # The place is always written and the number moves only at first bytes: no jump per byte.
        places[number] = place
        number += (data[place] & 0xC0) != 0x80
    places[number] = end
    return places[: number + 1]


@compiled
def _keep(pieces: Int64s, number: Int, places: Int64s, start: Int, end: Int, text: Int) -> None:
    """Write one piece down, from a character to another; what lies outside of the text is none of it."""
    last = len(places) - 1
    pieces[0, number] = places[min(max(start, 0), last)]
    pieces[1, number] = places[min(max(end, 0), last)]
    pieces[2, number] = text


@compiled
def split_at_stars(
    data: UInt8s, starts: Int64s, ends: Int64s, texts: Int64s, max_pieces: Int
) -> tuple[Int64s, Int64s, Int64s]:
    """Return starts, ends and texts of what pieces show between stars, at most ``max_pieces``; none is empty."""
    pieces = np.empty((3, max_pieces), np.int64)
    number = 0
    for piece in range(len(starts)):
        begin = place = starts[piece]
        end = ends[piece]
        while begin < end:
            # UTF-8 synchronizes itself: these three bytes are never part of other characters.
            while place < end and not (
                place + 3 <= end
                and data[place] == _STAR[0]
                and data[place + 1] == _STAR[1]
                and data[place + 2] == _STAR[2]
            ):
                place += 1
            if place > begin:
                pieces[0, number], pieces[1, number], pieces[2, number] = begin, place, texts[piece]
                number += 1
            place += 3
            begin = place
    return pieces[0, :number], pieces[1, :number], pieces[2, :number]
