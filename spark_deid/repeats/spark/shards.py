"""Operator: what is rare, found in shards that no task holds together."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, Row, SparkSession

from spark_deid.core import tables
from spark_deid.core.arrow import to_batch
from spark_deid.engine import functions as F
from spark_deid.engine.partitions import map_numbered
from spark_deid.engine.tasks import run_tasks
from spark_deid.repeats.findings import FINDINGS, Batches
from spark_deid.repeats.kernels.trie import RangeSplitters
from spark_deid.repeats.rare import GRID, RarityGrid
from spark_deid.repeats.settings import CountedText, RaritySettings
from spark_deid.repeats.shards.cut_documents import (
    cover_document,
    cover_shard,
    find_document,
    find_in_shard,
    find_written,
    segments_in,
    tally_document,
    tally_shard,
)
from spark_deid.repeats.shards.opening import OpenedShard, open_rows, reopen_shard
from spark_deid.repeats.shards.rounds import answer_range, send_leaves, write_answers
from spark_deid.repeats.shards.search import CutDocument, Documents, SearchRound, ShardSearch
from spark_deid.repeats.shards.tries import FIRST_DEPTH, SAMPLES_A_RANGE, LeafSample, choose_splitters, next_depth
from spark_deid.repeats.spark.search import find_in_one_task, sweep
from spark_deid.repeats.spark.shard_assignment import ShardedDocuments, ShardingPlan, assign_shards, choose_sharding

Result = TypeVar("Result")
_OPENED = pa.schema(
    [
        ("shard", pa.int32()),
        ("size", pa.int64()),
        ("active", pa.int64()),
        ("leaves", pa.int64()),
        ("prefixes", pa.list_(pa.binary())),
    ]
)
_OPENED_FROM = ["doc_id", "subject_id", "text", "edits", "segment", "core"]
MIN_RANGES = 16
"""Ranges of a round with little to merge, where there are as many shards: cores should not wait for one another."""


def find_rare_text(
    documents: DataFrame, rarity: RaritySettings, *, shards: int, folder: str, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find rare text in one task, or in shards: as many as asked for, else where the text fits in no task's memory.

    ``folder`` keeps the shards' state. The result does not depend on the choice (columns of FINDINGS).
    """
    sharding = choose_sharding(documents, shards, folder)
    if sharding is None:
        return find_in_one_task(documents, rarity, placeholders=placeholders)
    return find_in_shards(documents, rarity, sharding, placeholders=placeholders)


def sweep_rare_text(
    documents: DataFrame,
    rarity: RaritySettings,
    grid: RarityGrid,
    *,
    shards: int,
    folder: str,
    placeholders: Sequence[str] = (),
) -> DataFrame:
    """Count hidden characters for every k and minimum length, in one task or in shards as text is found (GRID)."""
    sharding = choose_sharding(documents, shards, folder)
    if sharding is None:
        return sweep(documents, rarity, grid=grid, placeholders=placeholders)
    return sweep_in_shards(documents, rarity, grid, sharding, placeholders=placeholders)


def find_in_shards(
    documents: DataFrame, rarity: RaritySettings, sharding: ShardingPlan, *, placeholders: Sequence[str] = ()
) -> DataFrame:
    """Find what ``find_in_one_task`` finds, for any number of shards and ranges (columns of FINDINGS).

    Runs an action to measure units, one to open the shards and three a round; where counts are to hold in the published
    text, one more to cover, and all but the first again until nothing more is hidden. The driver holds splitters,
    counts, and the names of units and documents that are larger than a shard. What a round left is in files, so a lost
    worker costs one round at most.
    """
    run = _begin(documents, rarity, sharding, placeholders)
    tasks, search, segments, opened, _ = run
    rounds = _rounds(run, search, opened)
    if rarity.counted is CountedText.ORIGINAL and not segments:
        return tasks.frame(partial(find_in_shard, search=search, rounds=rounds), FINDINGS)
    while _cover(run, search, rounds) and rarity.counted is CountedText.PUBLISHED:
        search = replace(search, count=search.count + 1)
        opened = tasks.collect(partial(reopen_shard, search=search, documents=segments))
        rounds = _rounds(run, search, opened)
    found = tasks.frame(partial(find_written, search=search), FINDINGS)
    return found.unionByName(run.documents.frame(partial(find_document, search=search), FINDINGS))


def sweep_in_shards(
    documents: DataFrame,
    rarity: RaritySettings,
    grid: RarityGrid,
    sharding: ShardingPlan,
    *,
    placeholders: Sequence[str] = (),
) -> DataFrame:
    """Count what ``sweep`` counts from suffixes that are sorted once (columns of GRID); each k has separate rounds.

    Runs the actions of ``find_in_shards`` for every k; the driver gets a row for each pair of the grid.
    """
    run = _begin(documents, rarity, sharding, placeholders)
    totals: Counter[tuple[int, int]] = Counter()
    hidden: Counter[tuple[int, int]] = Counter()
    for number, k in enumerate(grid.k):
        search = replace(run.search, count=number, rarity=replace(rarity, k=k))
        if number:
            run.tasks.collect(partial(_begin_again, search=search))
        rounds = _rounds(run, search, run.opened)
        counted = _summed(run.tasks.frame(partial(_tallied, search=search, rounds=rounds, grid=grid), GRID))
        if run.segments:
            counted += _summed(run.documents.frame(partial(_document_tallied, search=search, grid=grid), GRID))
        for row in counted:
            totals[row["k"], row["min_length"]] += row["characters"]
            hidden[row["k"], row["min_length"]] += row["hidden"]
    rows = [(*pair, totals[pair], hidden[pair]) for pair in sorted(totals)]
    return documents.sparkSession.createDataFrame(rows, tables.ddl(GRID))


def _summed(tallies: DataFrame) -> list[Row]:
    sums = [F.sum(name).alias(name) for name in ("characters", "hidden")]
    return tallies.groupBy("k", "min_length").agg(*sums).collect()


class _Tasks(NamedTuple):
    """Tasks with their input, each in a separate partition: no shuffle makes these, so nothing joins them."""

    spark: SparkSession
    numbers: tuple[Any, ...]

    def frame(self, function: Callable[[Any], Batches], schema: pa.Schema) -> DataFrame:
        """Call a function for every number; it yields batches."""
        rows = self.spark.range(0, len(self.numbers), 1, numPartitions=max(1, len(self.numbers)))
        return rows.mapInArrow(partial(_each_number, function=function, numbers=self.numbers), tables.ddl(schema))

    def collect(self, function: Callable[[Any], Result]) -> list[Result]:
        """Call a function for every number in one action, and return what it returns.

        Nothing of this is for the planner of queries, which takes a few tenths of a second for each of many actions.
        """
        return run_tasks(self.spark, function, self.numbers)


def _each_number(incoming: Batches, *, function: Callable[[Any], Batches], numbers: Sequence[Any]) -> Batches:
    for batch in incoming:
        for place in batch.column("id").to_pylist():
            yield from function(numbers[place])


class _Run(NamedTuple):
    """A search that has begun: a task for each shard that holds text, and what the first count found there."""

    tasks: _Tasks
    search: ShardSearch
    segments: Documents
    opened: list[OpenedShard]
    ranges: int

    @property
    def documents(self) -> _Tasks:
        """Return a task for each document that is cut, told its id and its segments."""
        return self.tasks._replace(numbers=tuple(sorted(self.segments.items())))


def _begin(documents: DataFrame, rarity: RaritySettings, sharding: ShardingPlan, placeholders: Sequence[str]) -> "_Run":
    assigned = assign_shards(
        documents, rarity, sharding.shards, max_bytes=sharding.max_bytes, placeholders=placeholders
    )
    samples = -(-SAMPLES_A_RANGE * sharding.ranges // assigned.shards)
    # What another search left in the folder must not be taken for an earlier attempt of this one.
    search = ShardSearch(f"{sharding.folder}/{uuid.uuid4().hex}", 0, rarity, assigned.groups, samples)
    opened = _open(assigned, search, placeholders)
    tasks = _Tasks(documents.sparkSession, tuple(sorted(each.shard for each in opened)))
    return _Run(tasks, search, _segments(tasks, search), opened, sharding.ranges)


def _open(assigned: ShardedDocuments, search: ShardSearch, placeholders: Sequence[str]) -> list[OpenedShard]:
    function = partial(_open_batches, search=search, placeholders=tuple(placeholders))
    order = ("unit", "doc_id", "segment")
    opened = map_numbered(assigned.rows, assigned.shards, "shard", function, tables.ddl(_OPENED), order=order)
    return [OpenedShard(*row) for row in opened.collect()]


def _open_batches(incoming: Batches, *, search: ShardSearch, placeholders: tuple[str, ...]) -> Batches:
    rows = filter(attrgetter("num_rows"), incoming)
    first = next(rows, None)
    if first is None:
        return
    batches = (batch.select(_OPENED_FROM) for batch in chain([first], rows))
    opened = open_rows(batches, first.column("shard")[0].as_py(), search, placeholders)
    if opened is not None:
        yield to_batch([opened], _OPENED)


def _segments(tasks: _Tasks, search: ShardSearch) -> Documents:
    """Return where the segments of documents are that no shard holds whole."""
    cut = tasks._replace(numbers=tuple(n for n in tasks.numbers if n in search.groups))
    found: Documents = {}
    if cut.numbers:
        rows = [row for listed in cut.collect(partial(segments_in, search=search)) for row in listed]
        for doc_id, _, segment in sorted(rows):
            found.setdefault(doc_id, []).append(segment)
    return found


def _rounds(run: _Run, search: ShardSearch, opened: Sequence[OpenedShard]) -> int:
    """Carry rounds out until no suffix is active; return how many they were."""
    cap, size = search.rarity.cap, sum(each.size for each in opened)
    number = low = 0
    high = min(FIRST_DEPTH, cap)
    while any(each.active for each in opened) and low < cap:
        share = sum(each.active for each in opened) / size
        if number:
            high = next_depth(low, cap, share)
        ranges = min(run.ranges, max(MIN_RANGES, round(2 * share * run.ranges)))
        splitters = choose_splitters(
            [LeafSample(each.prefixes, each.leaves) for each in opened if each.prefixes], ranges
        )
        opened = _round(run.tasks, search, SearchRound(number, low, high), splitters)
        number, low = number + 1, high
    return number


def _round(tasks: _Tasks, search: ShardSearch, step: SearchRound, splitters: RangeSplitters) -> list[OpenedShard]:
    """Carry a round out; return what remains active in each shard."""
    ranges = len(splitters.bounds)
    tasks.collect(partial(send_leaves, search=search, step=step, splitters=splitters))
    answering = partial(answer_range, shards=tasks.numbers, search=search, step=step, splitters=splitters)
    tasks._replace(numbers=tuple(range(ranges))).collect(answering)
    return tasks.collect(partial(write_answers, ranges=ranges, search=search, step=step))


def _cover(run: _Run, search: ShardSearch, rounds: int) -> int:
    """Cover all that was counted; return how many characters are hidden for the first time."""
    changed = run.tasks.collect(partial(cover_shard, search=search, rounds=rounds))
    if run.segments:
        changed += run.documents.collect(partial(cover_document, search=search))
    return sum(changed)


def _begin_again(number: int, *, search: ShardSearch) -> None:
    search.shard(number).begin_again()


def _tallied(number: int, *, search: ShardSearch, rounds: int, grid: RarityGrid) -> Batches:
    yield _grid_rows(tally_shard(number, search, rounds, grid), search)


def _document_tallied(document: CutDocument, *, search: ShardSearch, grid: RarityGrid) -> Batches:
    yield _grid_rows(tally_document(document, search, grid), search)


def _grid_rows(tallies: Iterable[tuple[int, int, int]], search: ShardSearch) -> pa.RecordBatch:
    return to_batch([(search.rarity.k, *row) for row in tallies], GRID)
