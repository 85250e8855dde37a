"""Operator: what is rare, found in shards that no task holds together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.repeats.findings import FINDINGS
from spark_deid.repeats.grid import GRID, Grid
from spark_deid.repeats.kernels.trie import Splitters
from spark_deid.repeats.settings import Counted, Rarity
from spark_deid.repeats.shards.cut_documents import cover_document, find_document, pieces_in, tally_document
from spark_deid.repeats.shards.opening import open_rows, reopen
from spark_deid.repeats.shards.results import cover_shard, find, find_written, tally_shard
from spark_deid.repeats.shards.rounds import answer_range, send, take
from spark_deid.repeats.shards.search import Documents, Piece, Search, Step
from spark_deid.repeats.shards.tries import FIRST_DEPTH, SAMPLES_A_RANGE, Sample, next_depth, split
from spark_deid.repeats.spark import find_in_one_task, sweep
from spark_deid.repeats.spark_sharding import Sharding, choose_sharding
from spark_deid.repeats.spark_units import Assigned, assign

_OPENED = pa.schema(
    [
        ("shard", pa.int32()),
        ("bytes", pa.int64()),
        ("active", pa.int64()),
        ("leaves", pa.int64()),
        ("prefixes", pa.list_(pa.binary())),
    ]
)
_NUMBER = pa.schema([("number", pa.int64())])
_PIECES = pa.schema(
    [
        ("doc_id", pa.string()),
        ("piece", pa.int32()),
        *((name, pa.int64()) for name in Piece._fields),
    ]
)


def find_rare_text(
    documents: DataFrame, rarity: Rarity, *, shards: int, folder: str, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find rare text in one task, or in shards: as many as asked for, else where the text fits in no task's memory.

    ``folder`` keeps the shards' state. The result does not depend on the choice (columns of FINDINGS).
    """
    sharding = choose_sharding(documents, shards, folder)
    if sharding is None:
        return find_in_one_task(documents, rarity, placeholders=placeholders)
    return find_in_shards(documents, rarity, sharding, placeholders=placeholders)


def sweep_rare_text(documents: DataFrame, rarity: Rarity, grid: Grid, *, shards: int, folder: str) -> DataFrame:
    """Count hidden characters for every k and minimum length, in one task or in shards as text is found (GRID)."""
    sharding = choose_sharding(documents, shards, folder)
    return (
        sweep(documents, rarity, grid=grid) if sharding is None else sweep_in_shards(documents, rarity, grid, sharding)
    )


def find_in_shards(
    documents: DataFrame, rarity: Rarity, sharding: Sharding, *, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find what ``find_in_one_task`` finds, for any number of shards and ranges (columns of FINDINGS).

    Runs an action to measure units, one to open the shards and three a round; where counts are to hold in the published
    text, one more to cover, and all but the first again until nothing more is hidden. The driver holds splitters,
    counts, and the names of units and documents that are larger than a shard. What a round left is in files, so a lost
    worker costs one round at most.
    """
    run = _begin(documents, rarity, sharding, placeholders)
    tasks, search, pieces, opened, _ = run
    rounds = _rounds(run, search, opened)
    if rarity.counted is Counted.ORIGINAL and not pieces:
        return tasks.frame(partial(find, search=search, rounds=rounds), FINDINGS)
    while _cover(run, search, rounds) and rarity.counted is Counted.PUBLISHED:
        search = replace(search, count=search.count + 1)
        opened = tasks.rows(partial(reopen, search=search, documents=pieces), _OPENED)
        rounds = _rounds(run, search, opened)
    found = tasks.frame(partial(find_written, search=search), FINDINGS)
    return found.unionByName(_by_document(run, partial(find_document, search=search), FINDINGS))


def sweep_in_shards(documents: DataFrame, rarity: Rarity, grid: Grid, sharding: Sharding) -> DataFrame:
    """Count what ``sweep`` counts from suffixes that are sorted once (columns of GRID); each k has rounds of its own.

    Runs the actions of ``find_in_shards`` for every k; the driver gets a row for each pair of the grid.
    """
    run = _begin(documents, rarity, sharding, ())
    totals: Counter[tuple[int, int]] = Counter()
    hidden: Counter[tuple[int, int]] = Counter()
    for number, k in enumerate(grid.k):
        search = replace(run.search, count=number, rarity=replace(rarity, k=k))
        if number:
            run.tasks.rows(partial(_begin_again, search=search), _NUMBER)
        rounds = _rounds(run, search, run.opened)
        counted = _summed(run.tasks.frame(partial(_tallied, search=search, rounds=rounds, grid=grid), GRID))
        if run.pieces:
            counted += _summed(_by_document(run, partial(_document_tallied, search=search, grid=grid), GRID))
        for row in counted:
            totals[row["k"], row["min_length"]] += row["characters"]
            hidden[row["k"], row["min_length"]] += row["hidden"]
    rows = [(*pair, totals[pair], hidden[pair]) for pair in sorted(totals)]
    return documents.sparkSession.createDataFrame(rows, tables.ddl(GRID))


def _summed(tallies: DataFrame) -> list[Row]:
    sums = [F.sum(name).alias(name) for name in ("characters", "hidden")]
    return tallies.groupBy("k", "min_length").agg(*sums).collect()


class _Tasks(NamedTuple):
    """Tasks by number, each in a partition of its own: no shuffle makes these, so nothing joins them."""

    spark: SparkSession
    numbers: tuple[int, ...]

    def frame(self, function: Callable[[int], Iterator[pa.RecordBatch]], schema: pa.Schema) -> DataFrame:
        """Call a function for every number; it yields batches."""
        rows = self.spark.range(0, len(self.numbers), 1, numPartitions=max(1, len(self.numbers)))
        return rows.mapInArrow(partial(_each_number, function=function, numbers=self.numbers), tables.ddl(schema))

    def rows(self, function: Callable[[int], Any], schema: pa.Schema) -> list[Row]:
        """Call a function for every number, in one action; it returns a row, or the value of one."""
        return self.frame(partial(_one_row, function=function, schema=schema), schema).collect()


def _each_number(
    incoming: Iterator[pa.RecordBatch],
    *,
    function: Callable[[int], Iterator[pa.RecordBatch]],
    numbers: Sequence[int],
) -> Iterator[pa.RecordBatch]:
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            yield from function(numbers[place])


def _one_row(number: int, *, function: Callable[[int], Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    row = function(number)
    yield to_batch([row if isinstance(row, tuple) else (row,)], schema)


class _Run(NamedTuple):
    """A search that has begun: a task for each shard that holds text, and what the first count found there."""

    tasks: _Tasks
    search: Search
    pieces: Documents
    opened: list[Row]
    ranges: int


def _begin(documents: DataFrame, rarity: Rarity, sharding: Sharding, placeholders: Sequence[str]) -> "_Run":
    assigned = assign(documents, rarity, sharding.shards, most=sharding.most_bytes, placeholders=placeholders)
    samples = -(-SAMPLES_A_RANGE * sharding.ranges // assigned.shards)
    search = Search(sharding.folder, 0, rarity, assigned.groups, samples)
    opened = _open(assigned, search, placeholders)
    tasks = _Tasks(documents.sparkSession, tuple(sorted(row["shard"] for row in opened)))
    return _Run(tasks, search, _pieces(tasks, search), opened, sharding.ranges)


def _open(assigned: Assigned, search: Search, placeholders: Sequence[str]) -> list[Row]:
    # A number given in so many words is one that adaptive execution keeps.
    owned = assigned.rows.repartitionById(assigned.shards, F.col("shard")).sortWithinPartitions(
        "unit", "doc_id", "piece"
    )
    columns = owned.select("doc_id", "subject_id", "text", "edits", "piece", "core")
    function = partial(_open_batches, search=search, placeholders=tuple(placeholders))
    return columns.mapInArrow(function, tables.ddl(_OPENED)).collect()


def _open_batches(
    incoming: Iterator[pa.RecordBatch], *, search: Search, placeholders: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    batches = [batch for batch in incoming if batch.num_rows]
    context = TaskContext.get()
    if batches and context is not None:
        yield to_batch([open_rows(batches, context.partitionId(), search, placeholders)], _OPENED)


def _pieces(tasks: _Tasks, search: Search) -> Documents:
    """Return where the pieces of documents are that no shard holds whole."""
    cut = tasks._replace(numbers=tuple(n for n in tasks.numbers if n in search.groups))
    found: Documents = {}
    if cut.numbers:
        rows = cut.frame(partial(_pieces_of, search=search), _PIECES).orderBy("doc_id", "piece")
        for doc_id, _, *piece in rows.collect():
            found.setdefault(doc_id, []).append(Piece(*piece))
    return found


def _pieces_of(number: int, *, search: Search) -> Iterator[pa.RecordBatch]:
    yield to_batch([(doc_id, order, *piece) for doc_id, order, piece in pieces_in(number, search)], _PIECES)


def _rounds(run: _Run, search: Search, opened: Sequence[Row]) -> int:
    """Carry rounds out until no suffix is active; return how many they were."""
    cap, size = search.rarity.cap, sum(row["bytes"] for row in opened)
    number = low = 0
    high = min(FIRST_DEPTH, cap)
    while any(row["active"] for row in opened) and low < cap:
        share = sum(row["active"] for row in opened) / size
        if number:
            high = next_depth(low, cap, share)
        ranges = max(1, min(run.ranges, round(2 * share * run.ranges)))
        splitters = split([Sample(row["prefixes"], row["leaves"]) for row in opened if row["prefixes"]], ranges)
        opened = _round(run.tasks, search, Step(number, low, high), splitters)
        number, low = number + 1, high
    return number


def _round(tasks: _Tasks, search: Search, step: Step, splitters: Splitters) -> list[Row]:
    """Carry a round out; return what is left active in each shard."""
    ranges = len(splitters.bounds)
    tasks.rows(partial(send, search=search, step=step, splitters=splitters), _NUMBER)
    answering = partial(answer_range, shards=tasks.numbers, search=search, step=step, splitters=splitters)
    tasks._replace(numbers=tuple(range(ranges))).rows(answering, _NUMBER)
    return tasks.rows(partial(take, ranges=ranges, search=search, step=step), _OPENED)


def _cover(run: _Run, search: Search, rounds: int) -> int:
    """Cover all that was counted; return how many characters are hidden for the first time."""
    changed = run.tasks.rows(partial(cover_shard, search=search, rounds=rounds), _NUMBER)
    if run.pieces:
        changed += _by_document(run, partial(_document_covered, search=search), _NUMBER).collect()
    return sum(row["number"] for row in changed)


def _by_document(run: _Run, function: Callable[..., Iterator[pa.RecordBatch]], schema: pa.Schema) -> DataFrame:
    names = sorted(run.pieces)
    each = partial(_of_document, function=function, names=names, pieces=run.pieces)
    return run.tasks._replace(numbers=tuple(range(len(names)))).frame(each, schema)


def _of_document(
    number: int, *, function: Callable[..., Iterator[pa.RecordBatch]], names: Sequence[str], pieces: Documents
) -> Iterator[pa.RecordBatch]:
    yield from function(names[number], pieces[names[number]])


def _document_covered(doc_id: str, pieces: Sequence[Piece], *, search: Search) -> Iterator[pa.RecordBatch]:
    yield to_batch([(cover_document(doc_id, pieces, search),)], _NUMBER)


def _begin_again(number: int, *, search: Search) -> int:
    search.shard(number).begin_again()
    return 0


def _tallied(number: int, *, search: Search, rounds: int, grid: Grid) -> Iterator[pa.RecordBatch]:
    yield _grid_rows(tally_shard(number, search, rounds, grid), search)


def _document_tallied(_: str, pieces: Sequence[Piece], *, search: Search, grid: Grid) -> Iterator[pa.RecordBatch]:
    yield _grid_rows(tally_document(pieces, search, grid), search)


def _grid_rows(tallies: Iterable[tuple[int, int, int]], search: Search) -> pa.RecordBatch:
    return to_batch([(search.rarity.k, *row) for row in tallies], GRID)
