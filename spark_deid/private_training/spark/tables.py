"""Operators: the words of a corpus's annotations, and the table of their candidates; workers search."""

import uuid
from collections.abc import Iterable, Sequence
from functools import partial
from hashlib import blake2b, sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.core.arrow import spans_in
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.engine.tasks import run_tasks
from spark_deid.private_training.embeddings.neighbour_index import QUERIES, build_index, nearest, nearest_by_index
from spark_deid.private_training.embeddings.store import ABSENT, EmbeddingStore, open_store
from spark_deid.private_training.pseudonyms.candidates import (
    CANDIDATES,
    TABLE,
    CandidateRows,
    NeighbourSearch,
    NeighbourTable,
    candidates_of,
    open_table,
    write_table,
)
from spark_deid.private_training.pseudonyms.settings import APPROXIMATE, NeighbourSettings
from spark_deid.private_training.word_tokens import letter_runs
from spark_deid.storage.parts import Parts, read_groups


class TableFigures(NamedTuple):
    """Words whose candidates a table has, those searched now, and how many of their nearest hold them, in the mean.

    ``recall`` is the fraction of the exact candidates of ``recalled`` words that the table has; None where it is exact.
    """

    words: int
    searched: int
    mean_subwords: float
    recall: float | None = None
    recalled: int = 0


def rows_of_annotations(spark: SparkSession, read: Sequence[Parts], store: str) -> Int64s:
    """Return the rows of a store that are in annotations of a corpus, sorted; runs one action."""
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
    words: set[str] = set()
    for text, own in zip(texts, spans, strict=True):
        words.update(letter_runs("\n".join([text[start:end] for start, end, *_ in own])))
    return words


def store_table(
    spark: SparkSession, store: EmbeddingStore, rows: Int64s, settings: NeighbourSettings, folder: Path, key: bytes
) -> tuple[NeighbourTable, TableFigures]:
    """Write the table of the candidates of rows into a folder; what a cache has is taken, what it lacks is added.

    Runs one action where anything is searched: a task for every few hundred words; with an approximate index one more
    that builds it, and one that searches some words exactly, which are drawn by ``key``.
    """
    cached = _cached(settings, store)
    known = [open_table(str(place)) for place in sorted(cached.iterdir())] if cached else []
    lacking = np.setdiff1d(rows, np.concatenate([*(table.rows for table in known), np.zeros(0, np.int64)]))
    chunks = [lacking[first : first + QUERIES] for first in range(0, len(lacking), QUERIES)]
    place = str(store.folder)
    search: NeighbourSearch = nearest
    if settings.index == APPROXIMATE and chunks:
        index = str((Path(settings.cache) if settings.cache else folder) / f"{_name_of(store)}.hnsw")
        run_tasks(spark, partial(_build, store=place), [index])
        search = partial(nearest_by_index, path=index)
    made_of = partial(_search, store=place, settings=settings, folder=str(folder), search=search)
    found = run_tasks(spark, made_of, chunks)
    made = [open_table(place) for place in found]
    if cached and made:
        added = cached / f".{uuid.uuid4().hex}"
        added.mkdir()
        _gather(made, lacking, settings, added)
        added.rename(cached / added.name.removeprefix("."))
    whole = folder / f"{TABLE}-{uuid.uuid4().hex[:8]}"  # what was opened once is remembered by its place
    whole.mkdir()
    _gather([*known, *made], rows, settings, whole)
    table = open_table(str(whole))
    figures = TableFigures(len(rows), len(lacking), round(float(table.subwords.mean()), 4) if len(rows) else 0.0)
    if settings.index == APPROXIMATE:
        sample = _drawn(rows, key)
        recalled = run_tasks(spark, partial(_recall, store=place, settings=settings, table=str(whole)), [sample])
        figures = figures._replace(recall=recalled[0], recalled=len(sample))
    return table, figures


def _name_of(store: EmbeddingStore) -> str:
    """Name what consists of a store: by its digest of the vectors and words, hashed as it may be anything."""
    return sha256(repr((store.about.source_sha256, store.about.k)).encode()).hexdigest()[:32]


def _build(index: str, *, store: str) -> None:
    """Build an index if it is missing yet."""
    if not Path(index).exists():
        build_index(open_store(store), Path(index))


def _drawn(rows: Int64s, key: bytes) -> Int64s:
    """Return some rows, drawn by a key, as many as are searched together."""
    order = sorted(rows.tolist(), key=lambda row: blake2b(b"recall %d" % row, key=sha256(key).digest()).digest())
    return np.array(sorted(order[:QUERIES]), np.int64)


def _recall(rows: Int64s, *, store: str, settings: NeighbourSettings, table: str) -> float:
    """Return the fraction of the exact candidates of rows that a table has, to four digits; 1 if they are missing."""
    exact, known = candidates_of(open_store(store), rows, settings).rows, open_table(table)
    wanted = [own[own != ABSENT] for own in exact]
    found = sum(int(np.isin(own, known.of(row)).sum()) for row, own in zip(rows.tolist(), wanted, strict=True))
    return round(found / max(sum(map(len, wanted)), 1), 4) if len(rows) else 1.0


def _cached(settings: NeighbourSettings, store: EmbeddingStore) -> Path | None:
    """Return the folder of what was found before with the same settings, made for its owner only."""
    if settings.cache is None:
        return None
    results = (_name_of(store), settings.neighbours, settings.include_self, settings.exclude, settings.index)
    place = Path(settings.cache) / sha256(repr(results).encode()).hexdigest()[:32]
    Path(settings.cache).mkdir(mode=0o700, parents=True, exist_ok=True)
    place.mkdir(mode=0o700, exist_ok=True)
    for torn in place.glob(".*"):
        for file in torn.iterdir():
            file.unlink()
        torn.rmdir()
    return place


def _search(rows: Int64s, *, store: str, settings: NeighbourSettings, folder: str, search: NeighbourSearch) -> str:
    found: CandidateRows = candidates_of(open_store(store), rows, settings, search)
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
