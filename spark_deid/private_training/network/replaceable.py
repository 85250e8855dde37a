"""Labelled sentences with the words that may stand for their annotated ones, all as rows of one table of vectors."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.private_training.embeddings.store import ABSENT
from spark_deid.private_training.network.encoding import CASINGS, EncodedText, TextEncoder
from spark_deid.private_training.network.sentence_set import LabelledSentence, SentenceSet
from spark_deid.private_training.pseudonyms.candidates import candidates_of
from spark_deid.private_training.pseudonyms.settings import NeighbourSettings
from spark_deid.text.bio import OUTSIDE, encode
from spark_deid.text.view import TextView

_NUMERIC = CASINGS.index("numeric")
_MOST_DIGITS = 4
"""Digits of numbers that others stand for; longer ones seldom have a vector."""


class ReplaceableWords(NamedTuple):
    """Sentences, and of each row of their table that an annotated word has, the rows of words that may stand for it."""

    sentences: SentenceSet
    candidates: Mapping[int, Int64s]

    def places(self, sentence: LabelledSentence) -> Int64s:
        """Return the places of a sentence's annotated words that others may stand for."""
        tagged = np.flatnonzero(sentence.tags != OUTSIDE)
        return tagged[[int(row) in self.candidates for row in sentence.rows[tagged].tolist()]]


class EncodedDocuments(NamedTuple):
    """Documents cut and tagged: sentences whose rows are those of the store, ABSENT without a vector."""

    sentences: tuple[LabelledSentence, ...]
    encoder: TextEncoder


def encode_documents(documents: Sequence[Document], labels: Sequence[str], encoder: TextEncoder) -> EncodedDocuments:
    """Cut documents into sentences; annotations of other labels are passed over."""
    found: list[LabelledSentence] = []
    for number, document in enumerate(documents):
        encoded = encoder(TextView(document.text))
        tokens = encoded.tokens
        spans = [span for span in document.spans if span.label in labels]
        tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, spans, labels)
        found.extend(cut_sentences(encoded, tags, number))
    return EncodedDocuments(tuple(found), encoder)


def cut_sentences(encoded: EncodedText, tags: Sequence[int] | Int32s, document: int) -> list[LabelledSentence]:
    """Return the sentences of a text that was encoded."""
    numbers = np.asarray(tags, np.int32)
    borders = encoded.borders.tolist()
    return [
        LabelledSentence(encoded.rows[one:other], encoded.casings[one:other], numbers[one:other], document)
        for one, other in pairwise(borders)
    ]


def with_vectors(encoded: EncodedDocuments) -> SentenceSet:
    """Return the sentences with rows of a table of their own, which has their vectors alone."""
    return _on_table(encoded, np.zeros(0, np.int64)).sentences


def with_candidates(encoded: EncodedDocuments, neighbours: int) -> ReplaceableWords:
    """Return the sentences and, of each annotated word, its nearest others; of numbers others of as many digits."""
    tagged: set[int] = set()
    numeric: set[int] = set()
    for sentence in encoded.sentences:
        chosen = (sentence.tags != OUTSIDE) & (sentence.rows != ABSENT)
        digits = sentence.casings == _NUMERIC
        tagged.update(sentence.rows[chosen & ~digits].tolist())
        numeric.update(sentence.rows[chosen & digits].tolist())
    store = encoded.encoder.store
    words = np.array(sorted(tagged), np.int64)
    near = candidates_of(store, words, NeighbourSettings(neighbours=neighbours)).rows.astype(np.int64)
    found = {row: own[own != ABSENT] for row, own in zip(words.tolist(), near, strict=True)}
    found |= _numbers(encoded.encoder, sorted(numeric), neighbours)
    found = {row: own for row, own in found.items() if len(own)}
    laid = _on_table(encoded, np.concatenate([*found.values(), np.zeros(0, np.int64)]))
    return ReplaceableWords(
        laid.sentences, {int(laid.places([row])[0]): laid.places(own) for row, own in found.items()}
    )


def _numbers(encoder: TextEncoder, rows: Sequence[int], count: int) -> dict[int, Int64s]:
    """Return the nearest numbers by value among those of as many digits that have a vector."""
    found: dict[int, Int64s] = {}
    for size in range(1, _MOST_DIGITS + 1):
        known = encoder.store.find([f"{number:0{size}d}" for number in range(10**size)])
        places = {int(row): place for place, row in enumerate(known.tolist()) if row != ABSENT}
        present = np.flatnonzero(known != ABSENT)
        for row in rows:
            if row in places:
                others = present[present != places[row]]
                nearest = np.argsort(np.abs(others - places[row]), kind="stable")[:count]
                found[row] = known[others[nearest]]
    return found


class _LaidSentences(NamedTuple):
    sentences: SentenceSet
    known: Int64s

    def places(self, rows: Sequence[int] | Int64s) -> Int64s:
        return np.searchsorted(self.known, np.asarray(rows, np.int64))


def _on_table(encoded: EncodedDocuments, more: Int64s) -> _LaidSentences:
    """Number the rows that are used; ABSENT, the least of all, comes first and is NOTHING."""
    used = [sentence.rows for sentence in encoded.sentences]
    known = np.unique(np.concatenate([np.array([ABSENT], np.int64), *used, more]))
    moved = tuple(sentence._replace(rows=np.searchsorted(known, sentence.rows)) for sentence in encoded.sentences)
    return _LaidSentences(SentenceSet(moved, encoded.encoder.vectors(known)), known)
