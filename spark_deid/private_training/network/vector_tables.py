"""Vectors that institutions have let out, as sentences that a de-identifier is trained on."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from spark_deid.core.errors import CorpusError
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.casing import CASINGS
from spark_deid.private_training.network.sentence_set import NOTHING, LabelledSentence, SentenceSet
from spark_deid.text.bio import tag_names

_COLUMNS = ("vectors", "casings", "tags")


def read_vectors(files: Iterable[Path], outputs: int) -> tuple[SentenceSet, tuple[str, ...]]:
    """Read tables of vectors of ``outputs`` numbers a token; return their sentences, and their labels in order.

    Sentences are of one document each, since nobody knows of which they are. Raises CorpusError, with file and row, for
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
                        f"{file}: row {place + 1} of batch {number + 1}: expected {outputs} numbers and a tag a token"
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
