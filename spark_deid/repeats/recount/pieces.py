"""What a release shows of a document, and what of the corpus may count as evidence for it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Bools, Int64s, UInt8s, read_only
from spark_deid.core.rare import STAR
from spark_deid.repeats.recount.cutting import cut_original, cut_published, split_at_stars


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
