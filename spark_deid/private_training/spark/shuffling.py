"""Operators: documents to sentences in an order drawn by a key, and these to new documents."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b, sha256
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core import tables
from spark_deid.core.columns import cut_by_size
from spark_deid.core.errors import GateRefused
from spark_deid.engine.tasks import run_tasks
from spark_deid.private_training.pseudonyms.sentence_columns import cut_documents
from spark_deid.private_training.pseudonyms.sentence_runs import (
    SENTENCES,
    SHARED,
    SentenceRun,
    SharedPairs,
    WordTally,
    documents_of,
    pairs_of_tallies,
    write_run,
)
from spark_deid.storage.parts import PartFile, in_pieces, read_groups

_DOCUMENTS, _CHARACTERS = 100, 1 << 20
"""Documents that are cut together, and characters of them, but for one that is longer: their columns take some 25 times
as many bytes."""
_SENTENCES, _RUN_BYTES = 50_000, 1 << 24
"""Sentences of a run, and bytes of them: a task holds hardly more at a time."""
_RANGES, _MOST_RANGES = 4, 4096
"""Ranges of places for each task that gathers them, one after another, and in all."""
_RANGE_BYTES = 1 << 21
"""Bytes of the parts, which are compressed, for which there is a range: a task holds the sentences of one or two."""


class StoredSentences(NamedTuple):
    """Sentences in runs, a tally of the words of their pseudonyms for each task, and how many sentences there are."""

    runs: tuple[SentenceRun, ...]
    tallies: tuple[str, ...]
    number: int


def store_sentences(spark: SparkSession, decided: Sequence[PartFile], folder: str, key: bytes) -> StoredSentences:
    """Cut published texts into sentences with the spans of their edits, and write them in the order of their places.

    Runs one action. Raises GateRefused where a character that is not whitespace, or a span, went astray.
    """
    draws = blake2b(b"representation sentences", key=sha256(key).digest(), digest_size=32).digest()
    ranges = max(_RANGES * len(decided), sum(part.size for part in decided) // _RANGE_BYTES, 1)
    store = partial(store_part, folder=folder, key=draws, ranges=min(ranges, _MOST_RANGES))
    stored = run_tasks(spark, store, list(decided))
    if any(lost for _, _, lost in stored):
        raise GateRefused("nothing is released: the sentences do not contain all of the original texts")
    runs = tuple(run for own, _, _ in stored for run in own)
    return StoredSentences(runs, tuple(tally for _, tally, _ in stored), sum(sum(run.rows) for run in runs))


def count_joined(spark: SparkSession, sentences: StoredSentences) -> Mapping[str, object]:
    """Count pairs of sentences that share a pseudonym, and those of them that were of one document; runs one action."""
    summed = [SharedPairs(0, 0, 0, 0), *run_tasks(spark, pairs_of_tallies, [sentences.tallies])][-1]
    return {
        "pairs": summed.pairs,
        "of_one_document": _share(summed.own, summed.pairs),
        "seldom_pairs": summed.seldom_pairs,
        "seldom_of_one_document": _share(summed.seldom_own, summed.seldom_pairs),
    }


def gather(spark: SparkSession, sentences: StoredSentences, each: int) -> DataFrame:
    """Join sentences, in the order of their places, to documents of that many (columns of SHARED); runs no action.

    A task has some ranges of places, so that nothing is brought from one to another but by the files of the runs.
    """
    ranges = len(sentences.runs[0].rows) if sentences.runs else 0
    numbers = spark.range(0, ranges, 1, max(min(ranges, len(sentences.tallies)), 1))
    return numbers.mapInArrow(partial(_gather, runs=sentences.runs, each=each), tables.ddl(SHARED))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _gather(incoming: Iterator[pa.RecordBatch], *, runs: Sequence[SentenceRun], each: int) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for number in batch.column(0).to_pylist():
            yield from documents_of(runs, number, each)


def store_part(
    part: PartFile, *, folder: str, key: bytes, ranges: int, most: int = _SENTENCES
) -> tuple[list[SentenceRun], str, int]:
    """Return the runs of a part's sentences, the tally of their words, and how much was lost of its texts.

    A run ends after a piece of documents with which it has ``most`` sentences.
    """
    lost = 0
    runs: list[SentenceRun] = []
    cut: list[pa.RecordBatch] = []
    tally = WordTally()
    for batch in in_pieces(read_groups(part.path, ["doc_id", "published", "edits"]), _DOCUMENTS):
        ids, texts = batch.column("doc_id").to_pylist(), batch.column("published").to_pylist()
        for low, high in cut_by_size([*map(len, texts)], _CHARACTERS):
            found = cut_documents(ids[low:high], texts[low:high], batch.column("edits").slice(low, high - low), key)
            tally.add(found.pseudonyms, found.sentences, found.documents)
            cut.append(found.rows)
            lost += found.lost
        if sum(each.num_rows for each in cut) >= most or sum(each.nbytes for each in cut) >= _RUN_BYTES:
            runs.append(write_run(folder, pa.Table.from_batches(cut, SENTENCES), ranges))
            cut = []
    runs.append(write_run(folder, pa.Table.from_batches(cut, SENTENCES), ranges))
    return runs, tally.write(folder), lost
