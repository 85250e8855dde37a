"""Findings of a corpus, one row per document, from Arrow batches to Arrow batches."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.core.span import merge_places
from spark_deid.repeats.kernels.characters import count_classes
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.rare import HiddenRuns, Lengths
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import Interval, TextLayout, exclude_characters, lay_out_bytes, number_units

Batches = Iterator[pa.RecordBatch]
"""Input and output of functions over partitions of a table."""
FINDINGS = pa.schema(
    [
        ("doc_id", pa.string()),
        ("starts", pa.list_(pa.int32())),
        ("ends", pa.list_(pa.int32())),
        ("lengths", pa.list_(pa.int64())),
        ("characters", pa.int64()),
        ("hidden", pa.int64()),
    ]
)
"""Runs to hide; the number of characters by extension length (LENGTH_BOUNDS); characters of text, and hidden ones."""
LENGTH_BOUNDS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""Where each class of extension lengths begins, in characters."""
_CLASS_OF = np.searchsorted(LENGTH_BOUNDS, np.arange(MAX_LENGTH + 1), side="right") - 1
ROWS = 1000


class DocumentBatch(NamedTuple):
    """Documents as they came; ``excluded`` are intervals of characters without text, in order and disjoint."""

    ids: pa.ChunkedArray
    texts: list[bytes]
    subjects: list[str | None]
    excluded: list[Sequence[Interval]]


def gather_documents(batches: Iterable[pa.RecordBatch], placeholders: Sequence[str]) -> DocumentBatch:
    """Gather batches with the columns doc_id, subject_id, text and edits (structs with start and end, or null).

    Where one of the ``placeholders`` is in a text, it is excluded as well.
    """
    table = pa.Table.from_batches(batches)
    texts = table["text"].cast(pa.large_binary()).to_pylist()
    excluded: list[Sequence[Interval]] = [
        [(edit["start"], edit["end"]) for edit in cell or ()] for cell in table["edits"].to_pylist()
    ]
    if placeholders:
        pattern = re.compile("|".join(map(re.escape, sorted(placeholders, key=len, reverse=True))))
        for i, text in enumerate(table["text"].to_pylist()):
            excluded[i] = merge_places([*excluded[i], *(match.span() for match in pattern.finditer(text))])
    return DocumentBatch(table["doc_id"], texts, table["subject_id"].to_pylist(), excluded)


def lay_out_batch(batch: DocumentBatch, unit: CountingUnit) -> TextLayout:
    """Arrange gathered documents for counting."""
    units = number_units(batch.subjects) if unit is CountingUnit.SUBJECT else ()
    text = lay_out_bytes(batch.texts, units)
    exclude_characters(text, enumerate(batch.excluded))
    return text


def write_findings(
    ids: pa.ChunkedArray, text: TextLayout, runs: HiddenRuns, lengths: Lengths, documents: Int64s
) -> Batches:
    """Write what was found in every document; ``lengths`` are extension lengths by character.

    Row i is of the i-th id, and of the document laid out as ``documents[i]``.
    """
    cumulated = np.concatenate([[0], np.cumsum(runs.ends - runs.starts, dtype=np.int64)])
    for first in range(0, len(documents), ROWS):
        chosen = documents[first : first + ROWS]
        counts = count_classes(lengths, text.characters, chosen, _CLASS_OF, len(LENGTH_BOUNDS))
        before = cumulated[runs.before]
        arrays = [
            ids.slice(first, len(chosen)).combine_chunks(),
            _lists(runs.before, runs.starts, chosen),
            _lists(runs.before, runs.ends, chosen),
            pa.FixedSizeListArray.from_arrays(counts.ravel(), len(LENGTH_BOUNDS)).cast(pa.list_(pa.int64())),
            pa.array(text.characters[chosen + 1] - text.characters[chosen] - 1),
            pa.array(before[chosen + 1] - before[chosen]),
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=FINDINGS)


def _lists(before: Int64s, values: Int32s, chosen: Int64s) -> pa.ListArray:
    sizes = before[chosen + 1] - before[chosen]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(offsets[-1]) + np.repeat(before[chosen] - offsets[:-1], sizes)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values[places], pa.int32()))


# Count equal documents once, with a weight.
#
# Boilerplate remains active in all rounds, and every copy of it costs as much as the first. Copies change a count only
# by their number, so one of them is searched and the others get its result:
#
# - By **occurrence**, each place of a copied document is once in every copy: a place of the kept document has the
#   number of copies as its weight.
# - By **document**, a substring is in all copies or in none: the kept document has their number as its weight.
# - By **subject**, a second copy of one person adds nothing. People with equal sets of documents count together, with
#   their number as the weight. People who share only some documents count separately, since the common text of several
#   documents of a person counts once. Documents of unknown people belong to one person, who is never joined with a
#   known one.
#
# Two documents are equal if their texts and their excluded places are. Copies are dropped on arrival, so that the
# memory of a shard is that of its distinct documents.


_Content = tuple[bytes, tuple[Interval, ...]]


class DistinctDocuments(NamedTuple):
    """Distinct documents, grouped by unit; ``document_of`` has for each row of the shard its document.

    Unit ``units[i]`` of document i represents ``weights[units[i]]`` units of the corpus.
    """

    texts: list[bytes]
    excluded: list[Sequence[Interval]]
    units: Int32s
    weights: Int64s
    document_of: Int64s


def collapse_duplicates(batches: Iterable[DocumentBatch], unit: CountingUnit) -> DistinctDocuments:
    """Find the distinct documents of a shard; all those of a unit must be in it, one after another."""
    collapsing = _Collapsing()
    owner: str | None = None
    for batch in batches:
        for text, subject, excluded in zip(batch.texts, batch.subjects, batch.excluded, strict=True):
            if unit is not CountingUnit.SUBJECT or subject != owner:
                collapsing.end_unit(is_unknown=unit is CountingUnit.SUBJECT and owner is None)
                owner = subject
            collapsing.add((text, tuple(excluded)))
    collapsing.end_unit(is_unknown=unit is CountingUnit.SUBJECT and owner is None)
    return collapsing.collapsed()


class _Collapsing:
    """The known part of a shard, and the documents of the unit that is read."""

    def __init__(self) -> None:
        self._known: dict[tuple[bool, frozenset[_Content]], tuple[int, dict[_Content, int]]] = {}
        self._documents: list[_Content] = []
        self._units: list[int] = []
        self._weights: list[int] = []
        self._document_of: list[int] = []
        self._own: dict[_Content, int] = {}
        self._rows: list[int] = []

    def add(self, content: _Content) -> None:
        """Add a document to the unit that is being read."""
        self._rows.append(self._own.setdefault(content, len(self._own)))

    def end_unit(self, *, is_unknown: bool) -> None:
        """Take the unit for one more of its like; the unknown person is like no other."""
        if not self._own:
            return
        number, numbers = self._known.setdefault((is_unknown, frozenset(self._own)), (len(self._weights), {}))
        if number == len(self._weights):
            self._weights.append(0)
            for content in self._own:
                numbers[content] = len(self._documents)
                self._documents.append(content)
                self._units.append(number)
        self._weights[number] += 1
        places = [numbers[content] for content in self._own]
        self._document_of.extend(places[row] for row in self._rows)
        self._own, self._rows = {}, []

    def collapsed(self) -> DistinctDocuments:
        """Return what was found."""
        texts = [text for text, _ in self._documents]
        excluded: list[Sequence[Interval]] = [intervals for _, intervals in self._documents]
        numbers = np.array(self._units, np.int32), np.array(self._weights, np.int64)
        return DistinctDocuments(texts, excluded, *numbers, np.array(self._document_of, np.int64))
