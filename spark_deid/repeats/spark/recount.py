"""Operator: count every published run again, by hashes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.numerics.arrays import Int64s
from spark_deid.engine.partitions import sort_partitions
from spark_deid.engine.shared import SharedValue, share
from spark_deid.repeats.recount.pieces import edits_in, evidence_pieces, published_runs
from spark_deid.repeats.recount.runs import (
    HashedRuns,
    HashSalt,
    RunTable,
    distinct_runs,
    draw_salt,
    hash_runs,
    in_order,
    in_parts,
    mix_numbers,
    pack_runs,
    quota_of,
    unpack_runs,
)
from spark_deid.repeats.settings import CountedText, CountingUnit
from spark_deid.repeats.spark.compared_texts import ComparedTexts

GUARANTEE = "k-repeating-runs"
MAX_RUNS = 4_000_000
"""Distinct runs up to which each one is counted; of more, as many are drawn."""
DOCUMENTS_NAMED = 5
GATHERED = 1 << 20
"""Runs that a task gathers before it sends them."""
BLOCK = 1 << 16
"""Runs whose counts travel together."""
ROWS = 64

_PARTS = pa.schema([("part", pa.int32()), ("data", pa.binary())])
_RUNS = pa.schema([("number", pa.int64()), ("data", pa.binary())])
_IDS = pa.schema([("doc_id", pa.string())])
Batches = Iterator[pa.RecordBatch]
Bytes = tuple[int, bytes]


@dataclass(frozen=True)
class RepeatClaim:
    """What a release is to hold: every run it shows is in at least ``k`` units.

    ``excluded`` lists words of the text that are placeholders: no run and no evidence.
    """

    k: int
    unit: CountingUnit
    counted: CountedText
    excluded: tuple[str, ...] = ()


def recount(
    compared: DataFrame, claim: RepeatClaim, *, max_runs: int = MAX_RUNS, paths: Sequence[str] = ()
) -> Assessment:
    """Assess a claim by rolling hashes of 122 bits under a new random salt; runs two Spark jobs or three.

    ``compared`` has a row for each document (columns of COMPARED). A published run counts where its hashes are found in
    the original, clear of what edits replace by other than stars, or in what is published. Documents of unknown people
    count as one person together. Above ``max_runs`` distinct runs a sample of as many is counted, drawn by hash; the
    evidence then bounds the fraction of violations. The value is the number of distinct runs of fewer than k units, and
    evidence names documents that show one. The driver holds hashes of little more than ``max_runs`` runs. ``paths``
    are parts of decisions that hold the same, each document once: workers read them where no rows must meet.
    """
    salt, texts = draw_salt(), ComparedTexts(compared, tuple(paths))
    runs, total = _runs(texts, salt, claim, max_runs)
    rare = _rare(texts, runs, salt, claim)
    documents = _documents(texts, runs.take(rare[:DOCUMENTS_NAMED]), salt, claim)
    return _assessment(claim, total, len(runs.first), len(rare), documents)


def _runs(texts: ComparedTexts, salt: HashSalt, claim: RepeatClaim, max_runs: int) -> tuple[HashedRuns, int]:
    """Return the distinct runs, at most ``max_runs``, and how many there are."""
    hashed = texts.mapped(("published",), partial(_run_batches, salt=salt, excluded=claim.excluded), _PARTS)
    parts = _together(hashed).mapInArrow(partial(_distinct_batches, quota=quota_of(max_runs)), tables.ddl(_RUNS))
    table = parts.toArrow()
    runs = unpack_runs(b"".join(table["data"].to_pylist()))
    if len(runs.first) > max_runs:
        runs = runs.take(np.argsort(mix_numbers(runs.second))[:max_runs])
    return in_order(runs), sum(table["number"].to_pylist())


def _together(parts: DataFrame) -> DataFrame:
    """Let what is of one part meet in one task, and follow on each other."""
    return sort_partitions(parts.repartition("part"), "part")


def _rare(texts: ComparedTexts, runs: HashedRuns, salt: HashSalt, claim: RepeatClaim) -> Int64s:
    """Return the numbers of the runs that do not reach k."""
    known = share(texts.rows.sparkSession, runs)
    # Every unit's documents meet in one task, so that the tasks' counts add up.
    count = partial(_count_batches, known=known, salt=salt, claim=claim)
    try:
        counts = texts.mapped_by_unit(claim.unit, _counted_text(claim), count, _PARTS)
        table = _together(counts).mapInArrow(partial(_rare_batches, k=claim.k), tables.ddl(_PARTS)).toArrow()
    finally:
        known.destroy()
    # Of a block that no task sent nothing was found.
    rare = np.ones(len(runs.first), np.bool_)
    for part, data in zip(table["part"].to_pylist(), table["data"].to_pylist(), strict=True):
        rare[part * BLOCK : (part + 1) * BLOCK] = np.frombuffer(data, np.bool_)
    return np.flatnonzero(rare)


def _counted_text(claim: RepeatClaim) -> str:
    return "published" if claim.counted is CountedText.PUBLISHED else "text"


def _documents(texts: ComparedTexts, rare: HashedRuns, salt: HashSalt, claim: RepeatClaim) -> list[str]:
    if not len(rare.first):
        return []
    function = partial(_name_batches, rare=rare, salt=salt, excluded=claim.excluded)
    named = texts.mapped(("doc_id", "published"), function, _IDS)
    return sorted(row["doc_id"] for row in named.distinct().limit(DOCUMENTS_NAMED).collect())


def _assessment(claim: RepeatClaim, total: int, looked_at: int, rare: int, documents: Sequence[str]) -> Assessment:
    stated = [f"{looked_at} of {total} distinct runs counted"]
    if looked_at < total and not rare:
        # None of n drawn violates: with 95% confidence fewer than 1 - 0.05^(1/n) of all do.
        stated.append(f"with 95% confidence fewer than {1 - 0.05 ** (1 / looked_at):.2g} of them violate")
    if documents:
        stated.append(f"violations in documents {', '.join(documents)}")
    parameters = f"k={claim.k} unit={claim.unit} counted={claim.counted}"
    return Assessment(GUARANTEE, parameters, float(rare), 0.0, rare == 0, "; ".join(stated))


def _run_batches(incoming: Batches, *, salt: HashSalt, excluded: tuple[str, ...]) -> Batches:
    published = (published_runs(batch.column("published"), edits_in(batch), excluded) for batch in incoming)
    return _batches(in_parts((hash_runs(pieces, salt) for pieces in published), GATHERED), _PARTS)


def _distinct_batches(incoming: Batches, *, quota: int) -> Batches:
    found = (distinct_runs(unpack_runs(b"".join(parts))) for _, parts in _by_part(incoming))
    return _batches(((len(runs.first), pack_runs(runs)[:quota].tobytes()) for runs in found), _RUNS)


def _by_part(incoming: Batches) -> Iterator[tuple[int, Iterator[bytes]]]:
    columns = (tuple(batch.column(name).to_pylist() for name in _PARTS.names) for batch in incoming)
    rows = (row for parts, data in columns for row in zip(parts, data, strict=True))
    for part, group in groupby(rows, itemgetter(0)):
        yield part, (data for _, data in group)


def _batches(rows: Iterable[Bytes], schema: pa.Schema) -> Batches:
    remaining = iter(rows)
    while some := list(islice(remaining, ROWS)):
        yield to_batch(some, schema)


def _name_batches(incoming: Batches, *, rare: HashedRuns, salt: HashSalt, excluded: tuple[str, ...]) -> Batches:
    for batch in incoming:
        pieces = published_runs(batch.column("published"), edits_in(batch), excluded)
        runs = hash_runs(pieces, salt)
        shows = np.isin(runs.first, rare.first) & np.isin(runs.second, rare.second)
        yield batch.select(["doc_id"]).take(pa.array(np.unique(pieces.texts[shows])))


def _count_batches(incoming: Batches, *, known: SharedValue[HashedRuns], salt: HashSalt, claim: RepeatClaim) -> Batches:
    table = RunTable(known.value, salt, max_count=claim.k)
    cut = published_runs if claim.counted is CountedText.PUBLISHED else evidence_pieces
    last = _Last(None, 0)
    for batch in incoming:
        owners, last = _owners(batch.column("unit"), last)
        pieces = cut(batch.column(_counted_text(claim)), edits_in(batch), claim.excluded)
        everywhere = np.full(len(pieces.texts), -1, np.int64)
        table.add(pieces, everywhere if claim.unit is CountingUnit.OCCURRENCE else owners[pieces.texts])
    counts = table.counts.astype(_kind(claim.k))
    blocks = (counts[first : first + BLOCK] for first in range(0, len(counts), BLOCK))
    yield from _batches(((part, block.tobytes()) for part, block in enumerate(blocks) if block.any()), _PARTS)


def _rare_batches(incoming: Batches, *, k: int) -> Batches:
    return _batches(((part, (_sum(counts, k) < k).tobytes()) for part, counts in _by_part(incoming)), _PARTS)


def _sum(counts: Iterator[bytes], k: int) -> Int64s:
    """Add the tasks' counts of one block; they come one after another, however many tasks there are."""
    arrays = (np.frombuffer(data, _kind(k)) for data in counts)
    return reduce(np.add, arrays, np.zeros(1, np.int64))


def _kind(k: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the smallest type that holds counts up to k."""
    return np.min_scalar_type(k)


class _Last(NamedTuple):
    """The unit of the last row, and its number."""

    unit: str | None
    number: int


def _owners(units: pa.StringArray, last: _Last) -> tuple[Int64s, _Last]:
    """Number units, which go up by one everywhere one begins; ``last`` is that of the batch before."""
    if not len(units):
        return np.zeros(0, np.int64), last
    changes = pc.not_equal(units[1:], units[:-1]).to_numpy(zero_copy_only=False)
    owners = last.number + np.cumsum([units[0].as_py() != last.unit, *changes])
    return owners, _Last(units[-1].as_py(), int(owners[-1]))
