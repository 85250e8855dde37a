"""Count the words of documents by their odds of being part of a name: those that edits touch, and the others."""

from collections.abc import Iterable, Sequence

import numpy as np

from spark_deid.core.columns import Bools, Int32s, Int64s
from spark_deid.core.hashing import keyed_number
from spark_deid.core.missed_names import MissedEstimator, OddsCounts

GROUPS = 32
"""Groups of documents, which are resampled in place of documents: what is counted stays small."""
_KEY = b"documents by which missed names are estimated"
_ALL = 1 << 128


class OddsCounter:
    """Count a sample of documents, chosen by their ids: equal corpora give equal counts, however they are parted.

    ``share`` of the documents is looked at.
    """

    def __init__(self, estimator: MissedEstimator, share: float) -> None:
        self._weigh, self._cells, self._bound = estimator.weigh, estimator.cells, int(share * _ALL)
        self._untouched, self._edited = np.zeros((2, GROUPS, estimator.cells), np.int64)
        self._count_forms, self._forms = estimator.count_forms, np.zeros(estimator.forms, np.int64)
        self._documents = self._all = 0

    def chosen(self, doc_ids: Iterable[str]) -> list[int]:
        """Return the places of the documents that are looked at."""
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
    """Tell which words, in order and disjoint, a piece of the text touches.

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
