"""What edits leave of documents, by columns: words, and annotations."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.columns import Int64s, field_in, join_texts, offsets_in
from spark_deid.core.span import GOLD
from spark_deid.core.words import WORD, after_titles, characters_of, word_borders

_LONG = 100
"""Characters of an annotation up to which it is looked up what titles it begins with."""


class RewrittenCounts(NamedTuple):
    """Of each document its word tokens, those that no edit touches, and annotations of which a word character is left.

    The last columns of DECISIONS.
    """

    words: Int64s
    published_words: Int64s
    gold_unedited: Int64s


def count_rewritten(texts: list[str], spans: pa.ListArray, edits: pa.ListArray) -> RewrittenCounts:
    """Count documents by their columns of spans and of edits, which are disjoint and lie in their texts.

    Titles that an annotation begins with do not count where an edit touches it.
    """
    joined = join_texts(texts)
    behind = joined.begins + joined.sizes
    places = _placed(joined.begins, edits)
    starts, ends = word_borders(joined.text)
    change = np.zeros(len(starts) + 1, np.int64)
    np.add.at(change, np.searchsorted(ends, places[1], "right"), 1)
    np.add.at(change, np.searchsorted(starts, places[2], "left"), -1)
    untouched = np.concatenate([[0], np.cumsum(np.cumsum(change[:-1]) == 0)])
    first, stop = np.searchsorted(starts, joined.begins), np.searchsorted(starts, behind)
    gold = pc.fill_null(pc.equal(field_in(spans, "source"), GOLD), fill_value=False).to_numpy(zero_copy_only=False)
    owners, *bounds = (column[gold] for column in _placed(joined.begins, spans))
    inside = [np.clip(bound, joined.begins[owners], behind[owners]) for bound in bounds]
    left = _unhidden(joined.text, inside[0], inside[1], places[1], places[2])
    unedited = np.bincount(owners[left], minlength=len(texts))
    return RewrittenCounts(stop - first, untouched[stop] - untouched[first], unedited)


def _placed(begins: Int64s, cells: pa.ListArray) -> tuple[Int64s, Int64s, Int64s]:
    """Return the document of each row of a column of lists, and its start and end in the joined texts."""
    owners = pc.list_parent_indices(cells).to_numpy().astype(np.int64)
    return owners, offsets_in(cells, "start") + begins[owners], offsets_in(cells, "end") + begins[owners]


def _unhidden(text: str, starts: Int64s, ends: Int64s, hidden_from: Int64s, hidden_to: Int64s) -> Int64s:
    """Return the numbers of the spans that keep a word character; titles of those that edits touch do not count."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    change = np.zeros(len(codes) + 1, np.int8)
    np.add.at(change, hidden_from, 1)
    np.add.at(change, hidden_to, -1)
    is_hidden = np.cumsum(change[:-1], dtype=np.int8) > 0
    hidden, shown = np.zeros((2, len(codes) + 1), np.int32)
    np.cumsum(is_hidden, out=hidden[1:])
    np.cumsum(characters_of(WORD)[codes] & ~is_hidden, out=shown[1:])
    candidates = np.flatnonzero(shown[ends] > shown[starts])
    begins = starts[candidates].copy()
    touched = np.flatnonzero(hidden[ends[candidates]] > hidden[begins])
    known: dict[str, int] = {}
    for row in touched.tolist():
        start, end = int(starts[candidates[row]]), int(ends[candidates[row]])
        if end - start > _LONG:  # no copy of what may be half of the text
            begins[row] = after_titles(text, start, end)
            continue
        if (surface := text[start:end]) not in known:
            known[surface] = after_titles(surface, 0, end - start)
        begins[row] += known[surface]
    return candidates[shown[ends[candidates]] > shown[begins]]
