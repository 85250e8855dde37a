"""Operators: the words of a corpus's annotations, and the table of their candidates; workers search."""

import uuid
from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.core.arrow import spans_in
from spark_deid.numerics.arrays import Int64s
from spark_deid.representation.embeddings.neighbours import QUERIES
from spark_deid.representation.embeddings.store import ABSENT, EmbeddingStore, open_store
from spark_deid.representation.pseudonyms.candidates import CandidateRows, candidates_of
from spark_deid.representation.pseudonyms.neighbour_table import (
    CANDIDATES,
    TABLE,
    NeighbourTable,
    open_table,
    write_table,
)
from spark_deid.representation.pseudonyms.settings import NeighbourSettings
from spark_deid.representation.word_tokens import LETTERS, tokens_of
from spark_deid.storage.parts import Parts, read_groups
from spark_deid.storage.spark.tasks import run_tasks


class TableFigures(NamedTuple):
    """Words whose candidates a table has, those searched now, and how many of their nearest hold them, in the mean."""

    words: int
    searched: int
    mean_subwords: float


def rows_of_annotations(spark: SparkSession, read: Sequence[Parts], store: str) -> Int64s:
    """Return the rows of a store that stand in annotations of a corpus, sorted; runs one action."""
    found = run_tasks(spark, partial(_rows_of_part, store=store), list(read))
    return np.unique(np.concatenate([*found, np.zeros(0, np.int64)]))


def _rows_of_part(parts: Parts, *, store: str) -> Int64s:
    words: set[str] = set()
    groups = zip(read_groups(parts["documents"].path, ["text"]), read_groups(parts["imported"].path), strict=True)
    for documents, imported in groups:
        words |= _words_of(documents, imported)
    rows = open_store(store).resolve(sorted(words))
    return np.unique(rows[rows != ABSENT])


def _words_of(documents: pa.RecordBatch, imported: pa.RecordBatch) -> set[str]:
    texts, spans = documents.column("text").to_pylist(), spans_in(imported.column("spans"))
    return {
        text[token.start : token.end]
        for text, own in zip(texts, spans, strict=True)
        for span in own
        for token in tokens_of(text, span.start, span.end)
        if token.kind == LETTERS
    }


def store_table(
    spark: SparkSession, store: EmbeddingStore, rows: Int64s, settings: NeighbourSettings, folder: Path
) -> tuple[NeighbourTable, TableFigures]:
    """Write the table of the candidates of rows into a folder; what a cache has is taken, what it lacks is added.

    Runs one action where anything is searched: a task for every few hundred words.
    """
    cached = _cached(settings, store)
    known = [open_table(str(place)) for place in sorted(cached.iterdir())] if cached else []
    lacking = np.setdiff1d(rows, np.concatenate([*(table.rows for table in known), np.zeros(0, np.int64)]))
    chunks = [lacking[first : first + QUERIES] for first in range(0, len(lacking), QUERIES)]
    found = run_tasks(spark, partial(_search, store=str(store.folder), settings=settings, folder=str(folder)), chunks)
    made = [open_table(place) for place in found]
    if cached and made:
        place = cached / f".{uuid.uuid4().hex}"
        place.mkdir()
        _gather(made, lacking, settings, place)
        place.rename(cached / place.name.removeprefix("."))
    whole = folder / TABLE
    whole.mkdir()
    _gather([*known, *made], rows, settings, whole)
    table = open_table(str(whole))
    figures = TableFigures(len(rows), len(lacking), round(float(table.subwords.mean()), 4) if len(rows) else 0.0)
    return table, figures


def _cached(settings: NeighbourSettings, store: EmbeddingStore) -> Path | None:
    """Return the folder of what was found before with the same settings, made for its owner alone."""
    if settings.cache is None:
        return None
    told = (store.about.source_sha256, settings.neighbours, settings.include_self, settings.exclude)
    place = Path(settings.cache) / sha256(repr(told).encode()).hexdigest()[:32]
    Path(settings.cache).mkdir(mode=0o700, parents=True, exist_ok=True)
    place.mkdir(mode=0o700, exist_ok=True)
    for torn in place.glob(".*"):
        for file in torn.iterdir():
            file.unlink()
        torn.rmdir()
    return place


def _search(rows: Int64s, *, store: str, settings: NeighbourSettings, folder: str) -> str:
    found: CandidateRows = candidates_of(open_store(store), rows, settings)
    place = Path(folder) / f"part-{uuid.uuid4().hex}"
    place.mkdir()
    write_table(place, rows, found.rows, found.subwords)
    return str(place)


def _gather(tables: Iterable[NeighbourTable], rows: Int64s, settings: NeighbourSettings, place: Path) -> None:
    """Copy the candidates of rows from tables into a new one; rows that none has have no candidates."""
    subwords = np.zeros(len(rows), np.int64)
    shape = (len(rows), settings.neighbours)
    if not len(rows):
        write_table(place, rows, np.zeros(shape, np.int32), subwords)
        return
    gathered = np.lib.format.open_memmap(place / CANDIDATES, "w+", np.dtype(np.int32), shape)
    for table in tables:
        _, here, there = np.intersect1d(rows, table.rows, return_indices=True)
        gathered[here] = table.all_candidates[there]
        subwords[here] = table.subwords[there]
    gathered.flush()
    write_table(place, rows, None, subwords)
