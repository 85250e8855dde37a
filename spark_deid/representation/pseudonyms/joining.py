"""Sentences that share a pseudonym: how many pairs of them there are, and how many were of one document."""

import os
import uuid
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.representation.word_tokens import long_words

_TALLY = pa.schema([("word", pa.string()), ("standing", pa.int64()), ("own", pa.int64())])
_SELDOM = 3
"""Sentences that share a pseudonym, up to which it counts as seldom: such pairs are the likeliest of one document."""


class SharedPairs(NamedTuple):
    """Pairs of sentences that share a pseudonym, those of them of one document, and both of seldom pseudonyms alone."""

    pairs: int
    own: int
    seldom_pairs: int
    seldom_own: int


class WordTally:
    """Of each word of pseudonyms the sentences in which it stands, and the pairs of these that are of one document."""

    def __init__(self) -> None:
        self._standing: Counter[str] = Counter()
        self._own: Counter[str] = Counter()

    def add(self, sentences: Sequence[str]) -> None:
        """Add a document by the pseudonyms of its sentences; no other one has a part of it."""
        words = ({word.casefold() for word in own} for own in long_words(sentences))
        counted = Counter(chain.from_iterable(words))
        self._standing.update(counted)
        for word, number in counted.items():
            if number > 1:
                self._own[word] += number * (number - 1) // 2

    def write(self, folder: str) -> str:
        """Write the tally to a new file of a folder, and return its path."""
        path = os.path.join(folder, f"tally-{uuid.uuid4()}.arrow")
        words = list(self._standing)
        columns = (words, self._standing.values(), [self._own[word] for word in words])
        arrays = [pa.array(column, field.type) for column, field in zip(columns, _TALLY, strict=True)]
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, _TALLY) as writer:
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=_TALLY))
        return path


def pairs_of_tallies(paths: Sequence[str]) -> SharedPairs:
    """Add up tallies of all documents, one after another: there are no more rows than words."""
    summed = _TALLY.empty_table()
    for path in paths:
        with pa.OSFile(path, "rb") as file, pa.ipc.open_file(file) as reader:
            both = pa.concat_tables([summed, reader.read_all()])
        grouped = both.group_by("word", use_threads=False).aggregate([("standing", "sum"), ("own", "sum")])
        summed = grouped.select(["word", "standing_sum", "own_sum"]).rename_columns(_TALLY.names)
    standing, own = summed.column("standing"), summed.column("own")
    pairs = pc.divide(pc.multiply(standing, pc.subtract(standing, 1)), 2)
    seldom = pc.less_equal(standing, _SELDOM)
    columns = (pairs, own, pairs.filter(seldom), own.filter(seldom))
    return SharedPairs(*(int(pc.sum(column).as_py() or 0) for column in columns))
