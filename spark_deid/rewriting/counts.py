"""What edits leave of documents, by columns: words, and annotations."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.columns import Bools, Int32s, Int64s, field_in, join_texts, offsets_in
from spark_deid.core.hashing import keyed_number
from spark_deid.core.missed_names import MissedEstimator, OddsCounts
from spark_deid.core.span import GOLD
from spark_deid.core.words import WORD, after_titles, characters_of, word_borders

_LONG = 100
"""Characters of an annotation up to which it is looked up what titles it begins with."""


class RewrittenCounts(NamedTuple):
    """Counts by document: its word tokens, those without an edit, and annotations with a remaining word character.

    The last columns of DECISIONS.
    """

    words: Int64s
    published_words: Int64s
    gold_unedited: Int64s


def count_rewritten(texts: list[str], spans: pa.ListArray, edits: pa.ListArray) -> RewrittenCounts:
    """Count documents by their columns of spans and of edits, which are disjoint and are in their texts.

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


# Count the words of documents by their odds of being part of a name: those that edits touch, and the others.


GROUPS = 32
"""Groups of documents, which are resampled instead of documents: what is counted remains small."""
_KEY = b"documents by which missed names are estimated"
_ALL = 1 << 128


class OddsCounter:
    """Count a sample of documents, chosen by their ids: equal corpora give equal counts, however they are parted.

    ``share`` of the documents is checked.
    """

    def __init__(self, estimator: MissedEstimator, share: float) -> None:
        self._weigh, self._cells, self._bound = estimator.weigh, estimator.cells, int(share * _ALL)
        self._untouched, self._edited = np.zeros((2, GROUPS, estimator.cells), np.int64)
        self._count_forms, self._forms = estimator.count_forms, np.zeros(estimator.forms, np.int64)
        self._documents = self._all = 0

    def chosen(self, doc_ids: Iterable[str]) -> list[int]:
        """Return the places of the documents that are checked."""
        ids = [*doc_ids]
        self._all += len(ids)
        return [place for place, doc_id in enumerate(ids) if keyed_number(_KEY, doc_id) < self._bound]

    def add(self, doc_id: str, text: str, edited: Sequence[tuple[int, int]]) -> None:
        """Count a document; ``edited`` are the starts and ends of pieces that edits touch."""
        group = keyed_number(_KEY, doc_id) % GROUPS
        words = self._weigh(text)
        touched = are_touched(words.starts, words.ends, edited)
        for counts, cells in ((self._untouched, words.cells[~touched]), (self._edited, words.cells[touched])):
            counts[group] += np.bincount(cells, minlength=self._cells)
        self._forms += self._count_forms(text)
        self._documents += 1

    @property
    def counts(self) -> OddsCounts:
        """Return what was counted."""
        return OddsCounts(self._untouched, self._edited, self._documents, self._all, self._forms)


def add_counts(counts: Iterable[OddsCounts], cells: int, forms: int) -> OddsCounts:
    """Add counts up."""
    nothing = np.zeros((GROUPS, cells), np.int64)
    added = OddsCounts(nothing, nothing, 0, 0, np.zeros(forms, np.int64))
    for each in counts:
        added = OddsCounts(
            added.untouched + each.untouched,
            added.edited + each.edited,
            added.documents + each.documents,
            added.all_documents + each.all_documents,
            added.forms + each.forms,
        )
    return added


def are_touched(starts: Int32s, ends: Int32s, pieces: Sequence[tuple[int, int]]) -> Bools:
    """Return which words, in order and disjoint, a piece of the text touches.

    >>> are_touched(np.array([0, 4, 9]), np.array([3, 8, 12]), [(6, 9)]).tolist()
    [False, True, False]
    """
    if not pieces:
        return np.zeros(len(starts), np.bool_)
    first, last = np.array(pieces, np.int64).T
    change: Int64s = np.zeros(len(starts) + 1, np.int64)
    np.add.at(change, np.searchsorted(ends, first, "right"), 1)
    np.add.at(change, np.searchsorted(starts, last, "left"), -1)
    return np.asarray(np.cumsum(change[:-1]) > 0)
