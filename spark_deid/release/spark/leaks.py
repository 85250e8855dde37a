"""Operators of the leak scan: what was removed, whether it stands beside the documents, and whether in them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import SparkSession

from spark_deid.core.arrow import tuples_of
from spark_deid.core.corpus import Corpus
from spark_deid.core.rare import RARE
from spark_deid.core.words import WORD
from spark_deid.release.leaks import LEAST, Texts, is_common, is_own, standing
from spark_deid.release.needles import Needles, needles_of
from spark_deid.storage.parts import Part, PartsWriter, read_groups
from spark_deid.storage.spark.tasks import run_tasks

REMOVED = pa.schema([("piece", pa.string()), ("label", pa.string())])
"""A piece of an original that an edit replaces, and the edit's label; each pair once a part."""
MOST_HITS = 1000
MOST_NEEDLES = 1 << 20
IDS, COLUMNS, TEXTS = "ids", "kept columns", "texts"
Standing = Mapping[str, Mapping[str, int]]
"""How many removed pieces stand in what is published, by where and label."""


class Removed(NamedTuple):
    """What was removed from documents, as parts of a table (REMOVED) in a private folder."""

    spark: SparkSession
    parts: tuple[Part, ...]

    def beside(self, texts: Texts, apart: Iterable[str]) -> Mapping[str, int]:
        """Count the removed pieces that stand in texts about a release, by where; runs one action.

        Common words, what every release says, and the words ``apart`` are no leak.
        """
        hits = set().union(*run_tasks(self.spark, partial(_beside, texts=texts), self.parts))
        known = tuple(apart)
        return Counter(place for piece, place in hits if not is_common(piece) and not is_own(piece, known))


def store_removed(corpus: Corpus, folder: str) -> Removed:
    """Write what edits removed: pieces of so many characters and more that the leak scan looks for. Runs one action."""
    spark = corpus.documents.sparkSession
    stored = run_tasks(spark, partial(_store, folder=folder), [parts["decisions"] for parts in corpus.decided])
    return Removed(spark, tuple(part for part in stored if part.rows))


def count_standing(removed: Removed, corpus: Corpus, columns: Sequence[str], *, ids: bool) -> Standing:
    """Count the removed pieces that stand, as words, in published texts, kept columns and, where kept, ids.

    In columns and ids each of their longer words counts as well. Rare text is left out, which a guarantee of its own
    counts, and so are common words. Runs one action.
    """
    if not removed.parts:
        return {}
    count = partial(_standing, removed=removed.parts, columns=tuple(columns), ids=ids)
    found = run_tasks(removed.spark, count, [parts["decisions"] for parts in corpus.decided])
    hits: dict[str, set[tuple[str, int]]] = {}
    for each in found:
        for place, numbers in each.items():
            hits.setdefault(place, set()).update(numbers)
    totals = {place: Counter(label for label, _ in pairs) for place, pairs in hits.items()}
    return {place: dict(sorted(counts.items())) for place, counts in sorted(totals.items()) if counts}


def _store(part: Part, *, folder: str) -> Part:
    pieces: set[tuple[str, str]] = set()
    for batch in read_groups(part.path, ["text", "edits"]):
        for text, edits in zip(batch.column("text").to_pylist(), tuples_of(batch.column("edits")), strict=True):
            pieces.update((text[each[0] : each[1]].strip(), each[-1]) for each in edits if each[1] - each[0] >= LEAST)
    rows = sorted(each for each in pieces if len(each[0]) >= LEAST)
    with PartsWriter({"removed": folder}, {"removed": REMOVED}) as writer:
        columns = [pa.array([row[place] for row in rows], pa.string()) for place in (0, 1)]
        writer.write({"removed": pa.RecordBatch.from_arrays(columns, schema=REMOVED)})
        return writer.close()["removed"]


def _beside(part: Part, *, texts: Texts) -> set[tuple[str, str]]:
    return set(sorted(standing((piece for piece, _ in _rows(part)), texts))[:MOST_HITS])


def _rows(part: Part) -> Iterator[tuple[str, str]]:
    for batch in read_groups(part.path):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _standing(
    part: Part, *, removed: tuple[Part, ...], columns: tuple[str, ...], ids: bool
) -> Mapping[str, set[tuple[str, int]]]:
    names = ["published", *(["doc_id"] if ids else []), *(["subject_id", "meta"] if columns else [])]
    found: dict[str, set[int]] = {}
    for batch in read_groups(part.path, names):
        for place, texts in _published(batch, columns, ids=ids):
            needles = _needles(removed, names=place != TEXTS).needles
            found.setdefault(place, set()).update(needles.found(texts))
    return {place: set(_told(_needles(removed, names=place != TEXTS), hits)) for place, hits in found.items()}


class Wanted(NamedTuple):
    """What to look for, and the labels of each piece."""

    needles: Needles
    labels: tuple[tuple[str, ...], ...]


def _told(wanted: Wanted, hits: Iterable[int]) -> Iterator[tuple[str, int]]:
    for hit in hits:
        if not is_common(wanted.needles.pieces[hit]):
            yield from ((label, hit) for label in wanted.labels[hit])


def _published(batch: pa.RecordBatch, columns: tuple[str, ...], *, ids: bool) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of documents that leave the house, by where they stand; ids and columns in small letters."""
    yield TEXTS, batch.column("published").to_pylist()
    if ids:
        yield IDS, [doc_id.lower() for doc_id in batch.column("doc_id").to_pylist()]
    if columns:
        metas = [dict(meta or ()) for meta in batch.column("meta").to_pylist()]
        kept = [meta.get(name) for name in columns for meta in metas]
        if ids and "subject_id" in columns:
            kept += batch.column("subject_id").to_pylist()
        yield COLUMNS, [value.lower() for value in kept if value]


@lru_cache(maxsize=2)
def _needles(parts: tuple[Part, ...], *, names: bool) -> Wanted:
    """Return what to look for, once a worker process; of very much one piece in so many.

    Ids and columns are looked through for ``names``: words of removed pieces too, in small letters.
    """
    labels: dict[str, set[str]] = {}
    for part in parts:
        for piece, label in _rows(part):
            if label != RARE:
                for each in _names_in(piece) if names else (piece,):
                    labels.setdefault(each, set()).add(label)
    every = len(labels) // MOST_NEEDLES + 1
    pieces = sorted(labels)[::every]
    return Wanted(needles_of(pieces), tuple(tuple(sorted(labels[piece])) for piece in pieces))


def _names_in(piece: str) -> Iterator[str]:
    yield piece.lower()
    yield from (word.lower() for word in WORD.findall(piece) if len(word) >= LEAST and not is_common(word))
