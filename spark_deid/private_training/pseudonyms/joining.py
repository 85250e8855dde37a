"""Sentences that share a pseudonym: how many pairs of them there are, and how many were of one document."""

import os
import uuid
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.core.numerics.arrays import Int64s
from spark_deid.private_training.word_tokens import long_words

_TALLY = pa.schema([("word", pa.string()), ("standing", pa.int64()), ("own", pa.int64())])
_ROWS = 1 << 15
"""Rows that are kept before they are added up, at least."""
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
        self._summed = _TALLY.empty_table()
        self._added: list[pa.Table] = []

    def add(self, pseudonyms: str, sentences: Int64s, documents: Int64s) -> None:
        """Add whole documents by their pseudonyms, with NUL between each two, and numbers of sentences and documents.

        No other call has a part of one of them.
        """
        words, owners = long_words(pseudonyms)
        if not words:
            return
        written = pa.array(words).dictionary_encode()
        encoded = pa.array([word.casefold() for word in written.dictionary.to_pylist()]).dictionary_encode()
        codes = encoded.indices.to_numpy().astype(np.int64)[written.indices.to_numpy()]
        distinct = len(encoded.dictionary)
        present, first = np.unique(sentences[owners] * distinct + codes, return_index=True)
        codes = present % distinct
        in_document, times = np.unique(documents[owners[first]] * distinct + codes, return_counts=True)
        own = np.zeros(distinct, np.int64)
        np.add.at(own, in_document % distinct, times * (times - 1) // 2)
        columns = [encoded.dictionary, np.bincount(codes, minlength=distinct), own]
        self._added.append(pa.table(columns, schema=_TALLY))
        if sum(map(len, self._added)) > max(len(self._summed), _ROWS):
            self._sum_up()

    def _sum_up(self) -> None:
        self._summed, self._added = _summed([self._summed, *self._added]), []

    def write(self, folder: str) -> str:
        """Write the tally to a new file of a folder, and return its path."""
        path = os.path.join(folder, f"tally-{uuid.uuid4()}.arrow")
        self._sum_up()
        with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, _TALLY) as writer:
            writer.write_table(self._summed)
        return path


def _summed(tallies: Sequence[pa.Table]) -> pa.Table:
    """Add up tallies by word."""
    grouped = pa.concat_tables(tallies).group_by("word", use_threads=False)
    summed = grouped.aggregate([("standing", "sum"), ("own", "sum")])
    return summed.select(["word", "standing_sum", "own_sum"]).rename_columns(_TALLY.names)


def pairs_of_tallies(paths: Sequence[str]) -> SharedPairs:
    """Add up tallies of all documents, one after another: there are no more rows than words."""
    summed = _TALLY.empty_table()
    for path in paths:
        with pa.OSFile(path, "rb") as file, pa.ipc.open_file(file) as reader:
            summed = _summed([summed, reader.read_all()])
    present, own = summed.column("standing"), summed.column("own")
    pairs = pc.divide(pc.multiply(present, pc.subtract(present, 1)), 2)
    seldom = pc.less_equal(present, _SELDOM)
    columns = (pairs, own, pairs.filter(seldom), own.filter(seldom))
    return SharedPairs(*(int(pc.sum(column).as_py() or 0) for column in columns))
