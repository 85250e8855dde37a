"""Operator: count every published run again, by hashes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter

import numpy as np
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import edits_of
from spark_deid.core.edit import Edit
from spark_deid.core.guarantee import Assessment
from spark_deid.repeats.recount.pieces import evidence, published_runs
from spark_deid.repeats.recount.table import Runs, Salt, Table, draw_salt, hash_runs
from spark_deid.repeats.settings import Counted, Unit

GUARANTEE = "k-repeating-runs"
MOST_RUNS = 4_000_000
"""Distinct runs up to which each one is counted; of more, as many are drawn."""
DOCUMENTS_NAMED = 5
BLOCK = 8_000_000
"""Characters that are gathered before they are counted."""

_RUNS = pa.schema([("first", pa.int64()), ("second", pa.int64()), ("length", pa.int32()), ("doc_id", pa.string())])
_COUNTS = pa.schema([("run", pa.int32()), ("units", pa.int32())])


@dataclass(frozen=True)
class Claim:
    """What a release is to hold: every run it shows is in at least ``k`` units.

    ``apart`` lists words of the text that are placeholders: no run and no evidence.
    """

    k: int
    unit: Unit
    counted: Counted
    apart: tuple[str, ...] = ()


def recount(
    documents: DataFrame, published: DataFrame, edits: DataFrame, claim: Claim, *, most_runs: int = MOST_RUNS
) -> Assessment:
    """Assess a claim by rolling hashes of 122 bits under a new random salt; runs four Spark jobs or five.

    ``documents`` are the originals (doc_id, subject_id, text), ``published`` what is or will be released (doc_id,
    text), ``edits`` the edits table between them. A published run counts where its hashes are found in the original,
    clear of what edits replace by other than stars, or in what is published. Documents of unknown persons count as
    one person together. Above ``most_runs`` distinct runs a sample of as many is counted, drawn by hash; the evidence
    then bounds the share of violations. The value is the number of distinct runs of fewer than k units, and evidence
    names documents that show one. The driver holds hashes of at most ``most_runs`` runs.
    """
    salt = draw_salt()
    rows = _rows(documents, published, edits)
    shown = rows.mapInArrow(partial(_run_batches, salt=salt, apart=claim.apart), tables.ddl(_RUNS))
    hashes = shown.select("first", "second", "length").distinct()
    total = hashes.count()
    chosen = hashes.orderBy("first", "second").limit(most_runs) if total > most_runs else hashes
    table = chosen.toArrow()
    runs = Runs(*(table[name].to_numpy() for name in ("first", "second", "length")))
    runs = Runs(runs.first.astype(np.uint64), runs.second.astype(np.uint64), runs.lengths)
    frequent = _frequent(rows, runs, salt, claim)
    rare = np.setdiff1d(np.arange(table.num_rows), frequent)
    return _assessment(claim, total, table.num_rows, len(rare), _documents(shown, table, rare))


def _rows(documents: DataFrame, published: DataFrame, edits: DataFrame) -> DataFrame:
    struct = F.struct(*Edit._fields)
    nested = edits.groupBy("doc_id").agg(F.collect_list(struct).alias("edits"))
    originals = documents.select("doc_id", "subject_id", F.col("text").alias("original"))
    texts = published.select("doc_id", F.col("text").alias("published"))
    return originals.join(texts, on="doc_id", how="full").join(nested, on="doc_id", how="left")


def _frequent(rows: DataFrame, runs: Runs, salt: Salt, claim: Claim) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the numbers of the runs that reach k."""
    session = rows.sparkSession
    known: Broadcast[Runs] = session.sparkContext.broadcast(runs)
    # Every unit's documents meet in one task, so that the tasks' counts add up.
    person = F.coalesce(F.concat(F.lit("="), "subject_id"), F.lit(""))
    unit = person if claim.unit is Unit.SUBJECT else F.col("doc_id")
    owned = rows.withColumn("unit", unit).select("unit", "original", "published", "edits")
    if claim.unit is Unit.SUBJECT:
        owned = owned.repartition("unit").sortWithinPartitions("unit")
    counts = owned.mapInArrow(partial(_count_batches, known=known, salt=salt, claim=claim), tables.ddl(_COUNTS))
    reached = counts.groupBy("run").agg(F.sum("units").alias("units")).where(F.col("units") >= claim.k)
    found = np.asarray(reached.select("run").toArrow()["run"], np.int64)
    known.destroy()
    return found


def _documents(shown: DataFrame, table: pa.Table, rare: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    if not len(rare):
        return []
    few = table.take(pa.array(rare[:DOCUMENTS_NAMED])).to_pylist()
    keys = [F.struct(*(F.lit(row[name]).cast("bigint") for name in ("first", "second"))) for row in few]
    named = shown.where(F.struct("first", "second").isin(keys)).select("doc_id").distinct()
    return sorted(row["doc_id"] for row in named.limit(DOCUMENTS_NAMED).collect())


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
        ids: list[str] = []
        shown: list[str] = []
        columns = (batch.column(name).to_pylist() for name in ("doc_id", "published", "edits"))
        for doc_id, published, cell in zip(*columns, strict=True):
            runs = set(published_runs(published or "", edits_of(cell), apart))
            ids.extend([doc_id] * len(runs))
            shown.extend(runs)
        runs_hashed = hash_runs(shown, salt)
        hashes = [pa.array(part.astype(np.int64)) for part in runs_hashed[:2]]
        yield pa.RecordBatch.from_arrays(
            [*hashes, pa.array(runs_hashed.lengths), pa.array(ids, pa.string())], schema=_RUNS
        )


def _count_batches(
    incoming: Iterator[pa.RecordBatch], *, known: "Broadcast[Runs]", salt: Salt, claim: Claim
) -> Iterator[pa.RecordBatch]:
    table = Table(known.value, salt, most=claim.k)
    for pieces, owners in _owned_pieces(incoming, claim):
        table.add(pieces, owners)
    found = np.flatnonzero(table.counts).astype(np.int32)
    yield pa.RecordBatch.from_arrays([pa.array(found), pa.array(table.counts[found])], schema=_COUNTS)


def _owned_pieces(incoming: Iterator[pa.RecordBatch], claim: Claim) -> Iterator[tuple[list[str], list[int]]]:
    """Yield the pieces of each batch and their owners, which go up by one with each new unit."""
    units = (
        row
        for batch in incoming
        for row in zip(*(batch.column(n).to_pylist() for n in ("unit", "original", "published", "edits")), strict=True)
    )
    pieces: list[str] = []
    owners: list[int] = []
    size = 0
    for number, (_, rows) in enumerate(groupby(units, itemgetter(0))):
        for _, original, published, cell in rows:
            text = published if claim.counted is Counted.PUBLISHED else original
            cut = published_runs if claim.counted is Counted.PUBLISHED else evidence
            found = list(cut(text or "", edits_of(cell), claim.apart))
            pieces.extend(found)
            owners.extend([-1 if claim.unit is Unit.OCCURRENCE else number] * len(found))
            size += len(text or "")
        if size > BLOCK:
            yield pieces, owners
            pieces, owners, size = [], [], 0
    yield pieces, owners
