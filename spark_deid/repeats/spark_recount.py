"""Operator: count every published run again, by hashes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark import Broadcast, StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.guarantee import Assessment
from spark_deid.repeats.recount.pieces import edits_in, evidence, published_runs
from spark_deid.repeats.recount.table import Runs, Salt, Table, draw_salt, hash_runs, in_order
from spark_deid.repeats.settings import Counted, Unit

GUARANTEE = "k-repeating-runs"
MOST_RUNS = 4_000_000
"""Distinct runs up to which each one is counted; of more, as many are drawn."""
DOCUMENTS_NAMED = 5

_HASHES = ("first", "second", "head", "root")
_RUNS = pa.schema([*((name, pa.int64()) for name in _HASHES), ("length", pa.int32())])
_COUNTS = pa.schema([("run", pa.int32()), ("units", pa.int32())])
_IDS = pa.schema([("doc_id", pa.string())])
_EDIT = ("start", "end", "replacement")


@dataclass(frozen=True)
class Claim:
    """What a release is to hold: every run it shows is in at least ``k`` units.

    ``apart`` lists words of the text that are placeholders: no run and no evidence.
    """

    k: int
    unit: Unit
    counted: Counted
    apart: tuple[str, ...] = ()


def compare(documents: DataFrame, published: DataFrame, edits: DataFrame) -> DataFrame:
    """Put beside each other what ``recount`` takes, by the documents' ids.

    ``documents`` are the originals (doc_id, subject_id, text), ``published`` what is or will be released (doc_id,
    text), ``edits`` the edits table between them. A document may be in either only.
    """
    nested = edits.groupBy("doc_id").agg(F.collect_list(F.struct(*_EDIT)).alias("edits"))
    originals = documents.select("doc_id", "subject_id", F.col("text").alias("original"))
    texts = published.select("doc_id", F.col("text").alias("published"))
    return originals.join(texts, on="doc_id", how="full").join(nested, on="doc_id", how="left")


def recount(compared: DataFrame, claim: Claim, *, most_runs: int = MOST_RUNS) -> Assessment:
    """Assess a claim by rolling hashes of 122 bits under a new random salt; runs three Spark jobs or four.

    ``compared`` has a row for each document: doc_id, subject_id, ``original`` and ``published``, each of which may be
    null, and ``edits``, structs with start, end and replacement, or null. A published run counts where its hashes are
    found in the original, clear of what edits replace by other than stars, or in what is published. Documents of
    unknown persons count as one person together. Above ``most_runs`` distinct runs a sample of as many is counted,
    drawn by hash; the evidence then bounds the share of violations. The value is the number of distinct runs of fewer
    than k units, and evidence names documents that show one. The driver holds hashes of at most ``most_runs`` runs.
    """
    salt = draw_salt()
    runs, total = _runs(compared, salt, claim, most_runs)
    rare = np.setdiff1d(np.arange(len(runs.first)), _frequent(compared, runs, salt, claim))
    documents = _documents(compared, runs.take(rare[:DOCUMENTS_NAMED]), salt, claim)
    return _assessment(claim, total, len(runs.first), len(rare), documents)


def _runs(compared: DataFrame, salt: Salt, claim: Claim, most: int) -> tuple[Runs, int]:
    """Return the distinct runs, at most so many, and how many there are."""
    texts = compared.select("published", "edits")
    shown = texts.mapInArrow(partial(_run_batches, salt=salt, apart=claim.apart), tables.ddl(_RUNS))
    # Kept on disk, since neither the texts nor the runs of a large corpus are to be gone through twice.
    hashes = shown.distinct().persist(StorageLevel.DISK_ONLY)
    try:
        total = hashes.count()
        chosen = hashes.orderBy("first", "second").limit(most) if total > most else hashes
        table = chosen.toArrow()
    finally:
        hashes.unpersist()
    first, second, heads, roots = (table[name].to_numpy().view(np.uint64) for name in _HASHES)
    return in_order(Runs(first, second, heads, roots, table["length"].to_numpy())), total


def _frequent(compared: DataFrame, runs: Runs, salt: Salt, claim: Claim) -> NDArray[np.int64]:
    """Return the numbers of the runs that reach k."""
    known: Broadcast[Runs] = compared.sparkSession.sparkContext.broadcast(runs)
    text = "published" if claim.counted is Counted.PUBLISHED else "original"
    # Every unit's documents meet in one task, so that the tasks' counts add up.
    person = F.coalesce(F.concat(F.lit("="), "subject_id"), F.lit(""))
    unit = person if claim.unit is Unit.SUBJECT else F.col("doc_id")
    owned = compared.select(unit.alias("unit"), F.col(text).alias("text"), "edits")
    if claim.unit is Unit.SUBJECT:
        owned = owned.repartition("unit").sortWithinPartitions("unit")
    counts = owned.mapInArrow(partial(_count_batches, known=known, salt=salt, claim=claim), tables.ddl(_COUNTS))
    reached = counts.groupBy("run").agg(F.sum("units").alias("units")).where(F.col("units") >= claim.k)
    found = np.asarray(reached.select("run").toArrow()["run"], np.int64)
    known.destroy()
    return found


def _documents(compared: DataFrame, rare: Runs, salt: Salt, claim: Claim) -> list[str]:
    if not len(rare.first):
        return []
    function = partial(_name_batches, rare=rare, salt=salt, apart=claim.apart)
    named = compared.select("doc_id", "published", "edits").mapInArrow(function, tables.ddl(_IDS))
    return sorted(row["doc_id"] for row in named.distinct().limit(DOCUMENTS_NAMED).collect())


def _assessment(claim: Claim, total: int, looked_at: int, rare: int, documents: Sequence[str]) -> Assessment:
    said = [f"{looked_at} of {total} distinct runs counted"]
    if looked_at < total and not rare:
        # None of n drawn violates: with 95% confidence fewer than 1 - 0.05^(1/n) of all do.
        said.append(f"with 95% confidence fewer than {1 - 0.05 ** (1 / looked_at):.2g} of them violate")
    if documents:
        said.append(f"violations in documents {', '.join(documents)}")
    parameters = f"k={claim.k} unit={claim.unit} counted={claim.counted}"
    return Assessment(GUARANTEE, parameters, float(rare), 0.0, rare == 0, "; ".join(said))


def _run_batches(incoming: Iterator[pa.RecordBatch], *, salt: Salt, apart: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        runs = hash_runs(published_runs(batch.column("published"), edits_in(batch.column("edits")), apart), salt)
        runs = runs.take(_distinct(runs))
        hashes = [pa.array(part.view(np.int64)) for part in runs[:-1]]
        yield pa.RecordBatch.from_arrays([*hashes, pa.array(runs.lengths)], schema=_RUNS)


def _distinct(runs: Runs) -> NDArray[np.int64]:
    """Return the number of one of each run, as far as sorting by the first hash brings equal ones together."""
    order = np.argsort(runs.first)
    first, second = runs.first[order], runs.second[order]
    return order[np.flatnonzero(np.append(True, (np.diff(first) != 0) | (np.diff(second) != 0))[: len(order)])]


def _name_batches(
    incoming: Iterator[pa.RecordBatch], *, rare: Runs, salt: Salt, apart: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        pieces = published_runs(batch.column("published"), edits_in(batch.column("edits")), apart)
        runs = hash_runs(pieces, salt)
        shows = np.isin(runs.first, rare.first) & np.isin(runs.second, rare.second)
        yield batch.select(["doc_id"]).take(pa.array(np.unique(pieces.texts[shows])))


def _count_batches(
    incoming: Iterator[pa.RecordBatch], *, known: "Broadcast[Runs]", salt: Salt, claim: Claim
) -> Iterator[pa.RecordBatch]:
    table = Table(known.value, salt, most=claim.k)
    cut = published_runs if claim.counted is Counted.PUBLISHED else evidence
    last = _Last(None, -1)
    for batch in incoming:
        owners, last = _owners(batch.column("unit"), last)
        pieces = cut(batch.column("text"), edits_in(batch.column("edits")), claim.apart)
        everywhere = np.full(len(pieces.texts), -1, np.int64)
        table.add(pieces, everywhere if claim.unit is Unit.OCCURRENCE else owners[pieces.texts])
    counts = table.counts
    found = np.flatnonzero(counts).astype(np.int32)
    yield pa.RecordBatch.from_arrays([pa.array(found), pa.array(counts[found])], schema=_COUNTS)


class _Last(NamedTuple):
    """The unit of the last row, and its number."""

    unit: str | None
    number: int


def _owners(units: pa.StringArray, last: _Last) -> tuple[NDArray[np.int64], _Last]:
    """Number units, which go up by one wherever one begins; ``last`` is that of the batch before."""
    if not len(units):
        return np.zeros(0, np.int64), last
    changes = pc.not_equal(units[1:], units[:-1]).to_numpy(zero_copy_only=False)
    owners = last.number + np.cumsum([units[0].as_py() != last.unit, *changes])
    return owners, _Last(units[-1].as_py(), int(owners[-1]))
