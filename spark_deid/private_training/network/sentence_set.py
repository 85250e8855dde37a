"""Labelled sentences as networks are trained on them, and batches of few shapes."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.parquet as pq

from spark_deid.core.errors import CorpusError
from spark_deid.core.numerics.arrays import Bools, Int32s, Int64s, UInt8s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import CASINGS, padded_length, padded_rows
from spark_deid.private_training.network.tagging import NO_CASING
from spark_deid.text.bio import tag_names

NOTHING = 0
"""The first row of a table of vectors: zeros, of words without a vector and of absent tokens."""


class LabelledSentence(NamedTuple):
    """A sentence: rows of a table of vectors, casings, tags (``text.bio``), and the number of its document."""

    rows: Int64s
    casings: UInt8s
    tags: Int32s
    document: int


class SentenceSet(NamedTuple):
    """Sentences, and the vectors that their rows are of; the first is NOTHING."""

    sentences: tuple[LabelledSentence, ...]
    table: Float32s

    @property
    def tokens(self) -> int:
        """Return the number of all tokens."""
        return sum(len(sentence.rows) for sentence in self.sentences)

    def chosen(self, wanted: Sequence[bool] | Bools) -> "SentenceSet":
        """Return the sentences that are wanted, with the same vectors."""
        pairs = zip(self.sentences, wanted, strict=True)
        return self._replace(sentences=tuple(sentence for sentence, chosen in pairs if chosen))

    def drawn(self, count: int, seed: int) -> "SentenceSet":
        """Return as many sentences, drawn by the seed; all where there are no more."""
        wanted = np.zeros(len(self.sentences), np.bool_)
        wanted[np.random.default_rng(seed).permutation(len(wanted))[:count]] = True
        return self.chosen(wanted)

    def parted(self, share: float, seed: int) -> tuple["SentenceSet", "SentenceSet"]:
        """Hold documents out: return the sentences of the others, and those of the fraction that is drawn by the seed.

        At least one document is in either, where there are two.
        """
        documents = np.unique([sentence.document for sentence in self.sentences])
        order = np.random.default_rng(seed).permutation(documents)
        held = set(order[: min(max(1, round(share * len(order))), len(order) - 1)].tolist())
        is_held = [sentence.document in held for sentence in self.sentences]
        return self.chosen([not each for each in is_held]), self.chosen(is_held)


class SentenceBatch(NamedTuple):
    """Sentences of one padded length: arrays ``[sentence, token]``, and 0 as the weight of those that only fill up."""

    rows: Int64s
    casings: Int64s
    tags: Int64s
    present: Bools
    weights: Float32s
    numbers: Int64s
    """Which sentences of the set these are."""

    def widened(self, length: int) -> "SentenceBatch":
        """Return the batch with absent tokens up to a length."""
        more = ((0, 0), (0, length - self.rows.shape[1]))
        return self._replace(
            rows=np.pad(self.rows, more, constant_values=NOTHING),
            casings=np.pad(self.casings, more, constant_values=NO_CASING),
            tags=np.pad(self.tags, more),
            present=np.pad(self.present, more),
        )


def batches(
    sentences: Sequence[LabelledSentence], size: int, rng: np.random.Generator | None = None, most: int | None = None
) -> Iterator[SentenceBatch]:
    """Yield batches of ``size``, each of sentences of alike lengths; in a drawn order where there is a generator.

    With ``most`` that many sentences at most, drawn again.
    """
    order = np.arange(len(sentences)) if rng is None else rng.permutation(len(sentences))
    grouped: dict[int, list[int]] = {}
    for number in order[:most].tolist():
        grouped.setdefault(padded_length(len(sentences[number].rows)), []).append(number)
    chunks = [
        (length, numbers[start : start + size])
        for length, numbers in sorted(grouped.items())
        for start in range(0, len(numbers), size)
    ]
    for place in range(len(chunks)) if rng is None else rng.permutation(len(chunks)):
        length, numbers = chunks[int(place)]
        yield batch_of([sentences[number] for number in numbers], np.array(numbers), length, size)


def batch_of(chosen: Sequence[LabelledSentence], numbers: Int64s, length: int, size: int) -> SentenceBatch:
    """Lay sentences out as arrays of ``size`` rows."""
    padding = size - len(chosen)
    lengths = np.array([*(len(sentence.rows) for sentence in chosen), *([0] * padding)])
    empty = [np.zeros(0, np.int64)] * padding
    return SentenceBatch(
        padded_rows([*(sentence.rows for sentence in chosen), *empty], length, NOTHING),
        padded_rows([*(sentence.casings.astype(np.int64) for sentence in chosen), *empty], length, NO_CASING),
        padded_rows([*(sentence.tags.astype(np.int64) for sentence in chosen), *empty], length, 0),
        np.arange(length) < lengths[:, None],
        np.array([1.0] * len(chosen) + [0.0] * padding, np.float32),
        np.concatenate([numbers, np.full(padding, -1)]).astype(np.int64),
    )


# Vectors that institutions have published, as sentences that a de-identifier is trained on.


_COLUMNS = ("vectors", "casings", "tags")


def read_vectors(files: Iterable[Path], outputs: int) -> tuple[SentenceSet, tuple[str, ...]]:
    """Read tables of vectors of ``outputs`` numbers a token; return their sentences, and their labels in order.

    Sentences are of one document each, since no one knows of which they are. Raises CorpusError, with file and row, for
    a row that has not as many vectors and tags as casings.
    """
    tagged: list[list[str]] = []
    casings: list[list[int]] = []
    blocks: list[Float32s] = [np.zeros((NOTHING + 1, outputs), np.float32)]
    for file in files:
        try:
            table = pq.read_table(file, columns=list(_COLUMNS))
        except (OSError, ValueError, KeyError) as error:
            raise CorpusError(f"{file}: can't be read as a table of vectors ({type(error).__name__})") from None
        for number, row in enumerate(table.to_batches()):
            for place, (vectors, own, tags) in enumerate(zip(*(row.column(name) for name in _COLUMNS), strict=True)):
                values = np.asarray(vectors.values, np.float32)
                tagged.append(tags.as_py())
                casings.append(own.as_py())
                if len(values) != outputs * len(casings[-1]) or len(tagged[-1]) != len(casings[-1]):
                    raise CorpusError(
                        f"{file}: row {place + 1} of batch {number + 1}: expected {outputs} numbers and one "
                        "tag per token"
                    )
                blocks.append(values.reshape(-1, outputs))
    labels = tuple(sorted({tag[2:] for tags in tagged for tag in tags if tag != "O"}))
    return SentenceSet(_sentences(tagged, casings, labels), np.concatenate(blocks)), labels


def _sentences(
    tagged: list[list[str]], casings: list[list[int]], labels: tuple[str, ...]
) -> tuple[LabelledSentence, ...]:
    numbers = {name: number for number, name in enumerate(tag_names(labels))}
    found, begin = [], NOTHING + 1
    for document, (tags, own) in enumerate(zip(tagged, casings, strict=True)):
        rows = np.arange(begin, begin + len(own))
        begin += len(own)
        kinds = np.clip(np.array(own, np.int64), 0, len(CASINGS) - 1).astype(np.uint8)
        found.append(LabelledSentence(rows, kinds, np.array([numbers.get(tag, 0) for tag in tags], np.int32), document))
    return tuple(found)
