"""Operator: what is rare, found in shards that no task holds together."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.errors import UsageError
from spark_deid.repeats.findings import FINDINGS
from spark_deid.repeats.grid import GRID, Grid
from spark_deid.repeats.kernels.trie import Splitters
from spark_deid.repeats.settings import Counted, Rarity
from spark_deid.repeats.shard import FIRST_DEPTH, SAMPLES_A_RANGE, Sample, next_depth, split
from spark_deid.repeats.shard_tasks import (
    ANSWERED,
    OPENED,
    SENT,
    Piece,
    Search,
    Step,
    answer_range,
    cover_document,
    cover_shard,
    find,
    find_document,
    find_written,
    open_rows,
    pieces_in,
    reopen,
    send,
    take,
    tally_document,
    tally_shard,
)
from spark_deid.repeats.spark import find_in_one_task, sweep
from spark_deid.repeats.spark_units import Assigned, assign
from spark_deid.repeats.suffixes import MOST_BYTES

BYTES_A_BYTE = 20
"""Memory that finding takes for a byte of text."""
SHARD_BYTES = 64_000_000

Documents = dict[str, list[Piece]]
_CHANGED = pa.schema([("changed", pa.int64())])
_PIECES = pa.schema([("doc_id", pa.string()), ("piece", pa.int32()), ("shard", pa.int32()), ("document", pa.int32())])


class Sharding(NamedTuple):
    """How many shards and ranges of prefixes, and the folder, seen by every worker, that keeps each round's state.

    A unit of more than ``most_bytes`` gets shards of its own, in addition.
    """

    shards: int
    ranges: int
    folder: str
    most_bytes: int = SHARD_BYTES


def find_rare_text(
    documents: DataFrame, rarity: Rarity, *, shards: int, folder: str, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find rare text in one task, or in shards: as many as asked for, else where the text fits in no task's memory.

    ``folder`` keeps the shards' state. The result does not depend on the choice (columns of FINDINGS).
    """
    sharding = _sharding(documents, shards, folder)
    if sharding is None:
        return find_in_one_task(documents, rarity, placeholders=placeholders)
    return find_in_shards(documents, rarity, sharding, placeholders=placeholders)


def sweep_rare_text(documents: DataFrame, rarity: Rarity, grid: Grid, *, shards: int, folder: str) -> DataFrame:
    """Count hidden characters for every k and minimum length, in one task or in shards as text is found (GRID)."""
    sharding = _sharding(documents, shards, folder)
    return (
        sweep(documents, rarity, grid=grid) if sharding is None else sweep_in_shards(documents, rarity, grid, sharding)
    )


def _sharding(documents: DataFrame, shards: int, folder: str) -> Sharding | None:
    fits = bytes_that_fit(_task_memory(documents.sparkSession))
    most = min(SHARD_BYTES, max(1, fits))
    if not shards:
        size = documents.agg(F.sum(F.octet_length("text"))).collect()[0][0] or 0
        if size <= fits:
            return None
        shards = -(-size // most)
    if not Path(folder).is_absolute():
        raise UsageError(f"{folder}: shards keep their state in files; name a workspace on a disk that all workers see")
    return Sharding(shards, shards, folder, most)


def bytes_that_fit(memory: int) -> int:
    """Return how many bytes of text one task can search in so much memory; half of what a suffix array can number.

    The other half is for the ends of documents, of which there may be as many as bytes of text.

    >>> bytes_that_fit(20_000_000), bytes_that_fit(1 << 40) == (1 << 30) - 1
    (1000000, True)
    """
    return min(memory // BYTES_A_BYTE, MOST_BYTES // 2)


def _task_memory(spark: SparkSession) -> int:
    """Return the bytes of memory that a task's Python may take: half of what is free here, or a share of a worker's."""
    settings = spark.sparkContext.getConf()
    if (settings.get("spark.master") or "").startswith("local"):
        return psutil.virtual_memory().available // 2
    words = settings.get("spark.executor.pyspark.memory") or settings.get("spark.executor.memoryOverhead") or "384m"
    jvm: Any = spark.sparkContext._jvm
    executor = int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsMb(words)) << 20
    return share_of_a_task(executor, settings.get("spark.executor.cores"), settings.get("spark.task.cpus"))


def share_of_a_task(memory: int, cores: str | None, cpus: str | None) -> int:
    """Return the part of an executor's memory that each task may take, as many as its cores do at a time.

    Spark itself limits Python workers so. Where the settings do not say how many cores there are, one is taken.

    >>> share_of_a_task(8_000, "4", None), share_of_a_task(8_000, "4", "2"), share_of_a_task(8_000, None, None)
    (2000, 4000, 8000)
    """
    return memory // max(1, int(cores or 1) // int(cpus or 1))


def find_in_shards(
    documents: DataFrame, rarity: Rarity, sharding: Sharding, *, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find what ``find_in_one_task`` finds, for any number of shards and ranges (columns of FINDINGS).

    Runs an action to measure units, one to open the shards and one a round; where counts are to hold in the published
    text, one more to cover, and all but the first again until nothing more is hidden. The driver holds splitters,
    counts, and the names of units and documents that are larger than a shard. What a round left is in files, so a lost
    worker costs one round.
    """
    assigned = assign(documents, rarity, sharding.shards, most=sharding.most_bytes, placeholders=placeholders)
    samples = -(-SAMPLES_A_RANGE * sharding.ranges // assigned.shards)
    search = Search(sharding.folder, 0, rarity, assigned.groups, samples)
    opened = _open(assigned, search, placeholders)
    shards = _Shards(documents.sparkSession, tuple(sorted(row["shard"] for row in opened)), sharding.ranges)
    pieces = _pieces(shards, search)
    rounds = _rounds(shards, search, opened)
    if rarity.counted is Counted.ORIGINAL and not pieces:
        return shards.map(partial(find, search=search, rounds=rounds))
    while _cover(shards, search, rounds, pieces) and rarity.counted is Counted.PUBLISHED:
        search = replace(search, count=search.count + 1)
        opened = shards.map(partial(_reopened, search=search, documents=pieces), OPENED).collect()
        rounds = _rounds(shards, search, opened)
    found = shards.map(partial(find_written, search=search))
    return found.unionByName(_by_document(shards, pieces, partial(find_document, search=search), FINDINGS))


def sweep_in_shards(documents: DataFrame, rarity: Rarity, grid: Grid, sharding: Sharding) -> DataFrame:
    """Count what ``sweep`` counts from suffixes that are sorted once (columns of GRID); each k has rounds of its own.

    Runs the actions of ``find_in_shards`` for every k; the driver gets a row for each pair of the grid.
    """
    assigned = assign(documents, rarity, sharding.shards, most=sharding.most_bytes)
    samples = -(-SAMPLES_A_RANGE * sharding.ranges // assigned.shards)
    search = Search(sharding.folder, 0, rarity, assigned.groups, samples)
    opened = _open(assigned, search, ())
    shards = _Shards(documents.sparkSession, tuple(sorted(row["shard"] for row in opened)), sharding.ranges)
    pieces = _pieces(shards, search)
    totals: Counter[tuple[int, int]] = Counter()
    hidden: Counter[tuple[int, int]] = Counter()
    for number, k in enumerate(grid.k):
        search = replace(search, count=number, rarity=replace(rarity, k=k))
        if number:
            shards.map(partial(_begun_again, search=search), _CHANGED).collect()
        rounds = _rounds(shards, search, opened)
        tallies = shards.map(partial(_tallied, search=search, rounds=rounds, grid=grid), GRID)
        counted = _summed(tallies)
        if pieces:
            of_documents = partial(_document_tallied, search=search, grid=grid)
            counted += _summed(_by_document(shards, pieces, of_documents, GRID))
        for row in counted:
            totals[row["k"], row["min_length"]] += row["characters"]
            hidden[row["k"], row["min_length"]] += row["hidden"]
    rows = [(*pair, totals[pair], hidden[pair]) for pair in sorted(totals)]
    return documents.sparkSession.createDataFrame(rows, tables.ddl(GRID))


def _summed(tallies: DataFrame) -> list[Row]:
    sums = [F.sum(name).alias(name) for name in ("characters", "hidden")]
    return tallies.groupBy("k", "min_length").agg(*sums).collect()


class _Shards(NamedTuple):
    """The shards that hold text, and into how many ranges their first round is cut."""

    spark: SparkSession
    numbers: tuple[int, ...]
    ranges: int

    def map(self, function: Callable[[int], Iterator[pa.RecordBatch]], schema: pa.Schema = FINDINGS) -> DataFrame:
        """Call a function for every shard, each in a partition of its own: no shuffle makes them, so nothing joins."""
        rows = self.spark.range(0, len(self.numbers), 1, numPartitions=max(1, len(self.numbers)))
        return rows.mapInArrow(partial(_each_number, function=function, numbers=self.numbers), tables.ddl(schema))


def _each_number(
    incoming: Iterator[pa.RecordBatch],
    *,
    function: Callable[[int], Iterator[pa.RecordBatch]],
    numbers: Sequence[int],
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            yield from function(numbers[place])


def _open(assigned: Assigned, search: Search, placeholders: Sequence[str]) -> list[Row]:
    # A number given in so many words is one that adaptive execution keeps.
    owned = assigned.rows.repartitionById(assigned.shards, F.col("shard")).sortWithinPartitions(
        "unit", "doc_id", "piece"
    )
    columns = owned.select("doc_id", "subject_id", "text", "edits", "piece", "core")
    function = partial(_open_batches, search=search, placeholders=tuple(placeholders))
    return columns.mapInArrow(function, tables.ddl(OPENED)).collect()


def _rounds(shards: _Shards, search: Search, opened: Sequence[Row]) -> int:
    """Carry rounds out until no suffix is active; return how many they were."""
    cap, size = search.rarity.cap, sum(row["bytes"] for row in opened)
    number = low = 0
    high = min(FIRST_DEPTH, cap)
    while any(row["active"] for row in opened) and low < cap:
        share = sum(row["active"] for row in opened) / size
        if number:
            high = next_depth(low, cap, share)
        ranges = max(1, min(shards.ranges, round(2 * share * shards.ranges)))
        splitters = split([Sample(row["prefixes"], row["leaves"]) for row in opened if row["prefixes"]], ranges)
        opened = _run(shards, search, Step(number, low, high), splitters)
        number, low = number + 1, high
    return number


def _run(shards: _Shards, search: Search, step: Step, splitters: Splitters) -> list[Row]:
    """Carry a round out; return what is left active in each shard."""
    sent = shards.map(partial(_sent, search=search, step=step, splitters=splitters), SENT)
    together = _grouped(sent, "range", len(splitters.bounds), "shard")
    answering = partial(_answer_batches, search=search, step=step, splitters=splitters)
    answered = together.mapInArrow(answering, tables.ddl(ANSWERED))
    returned = _grouped(answered, "shard", max(shards.numbers) + 1, "range")
    return returned.mapInArrow(partial(_take_batches, search=search, step=step), tables.ddl(OPENED)).collect()


def _grouped(rows: DataFrame, key: str, number: int, order: str) -> DataFrame:
    """Bring rows of one key together and in order, each key in a partition of its own."""
    return rows.repartitionById(number, F.col(key)).sortWithinPartitions(key, order)


def _pieces(shards: _Shards, search: Search) -> Documents:
    """Return where the pieces of documents are that no shard holds whole."""
    cut = shards._replace(numbers=tuple(n for n in shards.numbers if n in search.groups))
    if not cut.numbers:
        return {}
    found: Documents = {}
    for row in cut.map(partial(_pieces_of, search=search), _PIECES).orderBy("doc_id", "piece").collect():
        found.setdefault(row["doc_id"], []).append(Piece(row["shard"], row["document"]))
    return found


def _cover(shards: _Shards, search: Search, rounds: int, pieces: Documents) -> int:
    """Cover all that was counted; return how many characters are hidden for the first time."""
    covered = shards.map(partial(_covered, search=search, rounds=rounds), _CHANGED)
    changed: int = sum(row["changed"] for row in covered.collect())
    if pieces:
        documents = _by_document(shards, pieces, partial(_document_covered, search=search), _CHANGED)
        changed += sum(row["changed"] for row in documents.collect())
    return changed


def _by_document(shards: _Shards, pieces: Documents, function: Callable[..., Any], schema: pa.Schema) -> DataFrame:
    names = sorted(pieces)
    each = partial(_of_document, function=function, names=names, pieces=pieces)
    return shards._replace(numbers=tuple(range(len(names)))).map(each, schema)


def _of_document(
    number: int, *, function: Callable[..., Iterator[pa.RecordBatch]], names: Sequence[str], pieces: Documents
) -> Iterator[pa.RecordBatch]:
    yield from function(names[number], pieces[names[number]])


def _rows(rows: Iterator[Mapping[str, Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    # One row a batch: a row may hold many megabytes.
    for row in rows:
        yield pa.RecordBatch.from_pylist([dict(row)], schema=schema)


def _open_batches(
    incoming: Iterator[pa.RecordBatch], *, search: Search, placeholders: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    batches = [batch for batch in incoming if batch.num_rows]
    context = TaskContext.get()
    if batches and context is not None:
        yield from _rows(iter([open_rows(batches, context.partitionId(), search, placeholders)]), OPENED)


def _reopened(number: int, *, search: Search, documents: Documents) -> Iterator[pa.RecordBatch]:
    yield from _rows(iter([reopen(number, search, documents)]), OPENED)


def _sent(number: int, *, search: Search, step: Step, splitters: Splitters) -> Iterator[pa.RecordBatch]:
    yield from _rows(send(number, search, step, splitters), SENT)


def _answer_batches(
    incoming: Iterator[pa.RecordBatch], *, search: Search, step: Step, splitters: Splitters
) -> Iterator[pa.RecordBatch]:
    for rows in _groups(incoming, "range"):
        yield from _rows(answer_range(rows, search, step, splitters), ANSWERED)


def _take_batches(incoming: Iterator[pa.RecordBatch], *, search: Search, step: Step) -> Iterator[pa.RecordBatch]:
    for rows in _groups(incoming, "shard"):
        yield from _rows(iter([take(rows, search, step)]), OPENED)


def _groups(incoming: Iterator[pa.RecordBatch], key: str) -> Iterator[list[dict[str, Any]]]:
    rows = (row for batch in incoming for row in batch.to_pylist())
    for _, group in groupby(rows, itemgetter(key)):
        yield list(group)


def _pieces_of(number: int, *, search: Search) -> Iterator[pa.RecordBatch]:
    rows = [(doc_id, piece, number, document) for doc_id, piece, document in pieces_in(number, search)]
    yield from _rows((dict(zip(_PIECES.names, row, strict=True)) for row in rows), _PIECES)


def _covered(number: int, *, search: Search, rounds: int) -> Iterator[pa.RecordBatch]:
    yield from _rows(iter([{"changed": cover_shard(number, search, rounds)}]), _CHANGED)


def _document_covered(doc_id: str, pieces: Sequence[Piece], *, search: Search) -> Iterator[pa.RecordBatch]:
    yield from _rows(iter([{"changed": cover_document(doc_id, pieces, search)}]), _CHANGED)


def _begun_again(number: int, *, search: Search) -> Iterator[pa.RecordBatch]:
    search.shard(number).begin_again()
    yield from _rows(iter([{"changed": 0}]), _CHANGED)


def _tallied(number: int, *, search: Search, rounds: int, grid: Grid) -> Iterator[pa.RecordBatch]:
    yield from _grid_rows(tally_shard(number, search, rounds, grid), search)


def _document_tallied(doc_id: str, pieces: Sequence[Piece], *, search: Search, grid: Grid) -> Iterator[pa.RecordBatch]:
    yield from _grid_rows(tally_document(pieces, search, grid), search)


def _grid_rows(tallies: Iterator[tuple[int, int, int]], search: Search) -> Iterator[pa.RecordBatch]:
    yield from _rows((dict(zip(GRID.names, (search.rarity.k, *row), strict=True)) for row in tallies), GRID)
