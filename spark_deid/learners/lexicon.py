"""The train lexicon: which labels a word, and a run of words, had in training.

A training document is reported what the others state, never what it states itself (leave one document out); else its
own words would look far surer than those of a new document.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spark_deid.core.numerics.arrays import Int32s, UInt64s
from spark_deid.text.kernels.lookup import LookupTable, build_lookup, empty_lookup
from spark_deid.text.token_columns.lexicon import LABEL_BITS, MAX_SPAN, PREFIX_BIT, UNKNOWN, hash_spans
from spark_deid.text.token_columns.table import TrainingKnowledge

MAX_LABELS = 3
"""Labels that a known span reveals."""


class TaggedDocument(NamedTuple):
    """A training document: its words' keyed hashes, and their tags (``text.bio``)."""

    words: UInt64s
    tags: Int32s


@dataclass(frozen=True, repr=False)
class LabelCounts:
    """How often each key (in order) has each label: ``counts[key, label]``."""

    keys: UInt64s
    counts: Int32s


@dataclass(frozen=True, repr=False)
class DocumentLexicon:
    """The counts of all training documents, in the form that columns read."""

    words: LookupTable
    spans: LookupTable

    def known(self) -> TrainingKnowledge:
        """Return the knowledge that a document gets that was not trained on."""
        return TrainingKnowledge(self.words, self.spans, empty_lookup(), empty_lookup())


LEXICON_ARRAYS: Mapping[str, type[np.generic]] = dict.fromkeys(
    ("word_keys", "word_values", "span_keys", "span_values"), np.uint64
)
"""The arrays of a lexicon in a model folder."""


def arrays_of(lexicon: DocumentLexicon) -> dict[str, UInt64s]:
    """Return the arrays of a lexicon for a model folder."""
    return dict(zip(LEXICON_ARRAYS, (*lexicon.words, *lexicon.spans), strict=True))


def lexicon_of(arrays: Mapping[str, NDArray[Any]]) -> DocumentLexicon:
    """Return the lexicon of a model folder's arrays."""
    return DocumentLexicon(
        LookupTable(arrays["word_keys"], arrays["word_values"]), LookupTable(arrays["span_keys"], arrays["span_values"])
    )


@dataclass(frozen=True, repr=False)
class TrainLexicon:
    """The lexicon of training documents, and the knowledge that each of them gets."""

    documents: tuple[TaggedDocument, ...]
    labels: int
    words: LabelCounts
    spans: LabelCounts
    lexicon: DocumentLexicon

    def known(self, document: int) -> TrainingKnowledge:
        """Return the knowledge of this training document: the lexicon without its own part."""
        own = self.documents[document]
        words = _count_words([own], self.labels)
        rows = np.searchsorted(self.words.keys, words.keys)
        own_words = build_lookup(words.keys, _word_values(self.words.counts[rows] - words.counts))
        spans = _count_spans([own], self.labels)
        rows = np.searchsorted(self.spans.keys, spans.keys)
        others = LabelCounts(spans.keys, self.spans.counts[rows] - spans.counts)
        own_spans = build_lookup(spans.keys, _span_values(others) | np.uint64(PREFIX_BIT))
        return TrainingKnowledge(self.lexicon.words, self.lexicon.spans, own_words, own_spans)


def learn_lexicon(documents: Iterable[TaggedDocument], labels: int) -> TrainLexicon:
    """Count words and spans of training documents with that many labels."""
    given = tuple(documents)
    words, spans = _count_words(given, labels), _count_spans(given, labels)
    prefixes = np.unique(np.concatenate([np.zeros(0, np.uint64), *(_prefixes(document) for document in given)]))
    values = _span_values(spans) | np.where(np.isin(spans.keys, prefixes), np.uint64(PREFIX_BIT), np.uint64(0))
    others = prefixes[~np.isin(prefixes, spans.keys)]
    span_lookup = build_lookup(
        np.concatenate([spans.keys, others]), np.concatenate([values, np.full(len(others), PREFIX_BIT, np.uint64)])
    )
    lexicon = DocumentLexicon(build_lookup(words.keys, _word_values(words.counts)), span_lookup)
    return TrainLexicon(given, labels, words, spans, lexicon)


def no_lexicon() -> DocumentLexicon:
    """Return a lexicon that knows nothing."""
    return DocumentLexicon(empty_lookup(), empty_lookup())


def _count_words(documents: Sequence[TaggedDocument], labels: int) -> LabelCounts:
    """Count occurrences of words by label; column 0 is O."""
    words = np.concatenate([np.zeros(0, np.uint64), *(document.words for document in documents)])
    tags = np.concatenate([np.zeros(0, np.int32), *(document.tags for document in documents)])
    keys, rows = np.unique(words, return_inverse=True)
    counts = np.zeros((len(keys), labels + 1), np.int32)
    np.add.at(counts, (rows, (tags + 1) // 2), 1)
    return LabelCounts(keys, counts)


def _count_spans(documents: Sequence[TaggedDocument], labels: int) -> LabelCounts:
    """Count the documents in which a run of words is a whole span of a label."""
    pairs = [pair for document in documents for pair in sorted(set(_spans(document)))]
    keys, rows = np.unique(np.array([key for key, _ in pairs], np.uint64), return_inverse=True)
    counts = np.zeros((len(keys), labels), np.int32)
    np.add.at(counts, (rows, np.array([label for _, label in pairs], np.int64)), 1)
    return LabelCounts(keys, counts)


def _borders(tags: Int32s) -> Iterable[tuple[int, int, int]]:
    """Yield first token, end and label of each span of tags."""
    for first in np.flatnonzero(tags % 2 == 1).tolist():
        end = first + 1
        while end < len(tags) and tags[end] == tags[first] + 1:
            end += 1
        yield first, end, (int(tags[first]) - 1) // 2


def _spans(document: TaggedDocument) -> Iterable[tuple[int, int]]:
    hashes = np.empty(MAX_SPAN, np.uint64)
    for first, end, label in _borders(document.tags):
        if end - first <= MAX_SPAN:
            hash_spans(document.words, first, end, hashes)
            yield int(hashes[end - first - 1]), label


def _prefixes(document: TaggedDocument) -> UInt64s:
    """Return the hashes of all runs of words that begin a span and continue."""
    hashes = np.empty(MAX_SPAN, np.uint64)
    found: list[int] = []
    for first, end, _ in _borders(document.tags):
        if 1 < end - first <= MAX_SPAN:
            hash_spans(document.words, first, end, hashes)
            found.extend(hashes[: end - first - 1].tolist())
    return np.array(found, np.uint64)


def _word_values(counts: Int32s) -> UInt64s:
    """Code each row: main label, how pure (.95, .7), how often (2, 5, 30); for O also the best other label."""
    total = counts.sum(1)
    main = counts.shape[1] - 1 - counts[:, ::-1].argmax(1)
    share = np.take_along_axis(counts, main[:, None], 1)[:, 0] / np.maximum(total, 1)
    purity = 1 + (share > 0.7).astype(np.int64) + (share > 0.95)
    often = np.searchsorted([2, 5, 30], total, "right")
    values = (main * 4 + purity) * 4 + often
    labelled = np.pad(counts[:, 1:], ((0, 0), (1, 0)))
    other = labelled.shape[1] - 1 - labelled[:, ::-1].argmax(1)
    best = np.take_along_axis(labelled, other[:, None], 1)[:, 0]
    second = np.where((main == 0) & (best > 0), 1 + other * 2 + (best / np.maximum(total, 1) > 0.1), 0)
    return np.where(total > 0, values + (second << 12) + 2, UNKNOWN).astype(np.uint64)


def _span_values(spans: LabelCounts) -> UInt64s:
    """Code each row: the labels seen, most often first, in fields of ``LABEL_BITS``."""
    order = np.argsort(-spans.counts, 1, kind="stable")[:, :MAX_LABELS]
    values = np.zeros(len(spans.keys), np.uint64)
    for place in range(order.shape[1]):
        label = order[:, place]
        seen = np.take_along_axis(spans.counts, label[:, None], 1)[:, 0] > 0
        values |= np.where(seen, (label + 1) << (LABEL_BITS * place), 0).astype(np.uint64)
    return values
