"""Mondrian over a table of any size, exactly as over one in memory, however the table is divided.

The table is read once into private chunks of codes. The top levels are cut by what all chunks together count; parts
that fit a worker are then brought together and finished by an Arrow function each, which writes its file of the result.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StringType, StructField, StructType

from spark_deid.anonymity.claim import PrivacyClaim, check_columns
from spark_deid.anonymity.coding import TableCoder, constraint_for
from spark_deid.anonymity.constraint import ClassConstraint, free_constraint
from spark_deid.anonymity.fitted import FITTED, save_fitted
from spark_deid.anonymity.kernels.classes import find_node_boxes, place_units
from spark_deid.anonymity.kernels.cuts import CutTree
from spark_deid.anonymity.mondrian_top_levels import CutRules, check_values, top_cuts
from spark_deid.anonymity.multivalued import flatten_column, is_list, with_values
from spark_deid.anonymity.partition import with_bands
from spark_deid.anonymity.partition_statistics import NodeCounts, Question, answer_questions, merge_answers
from spark_deid.anonymity.recoding_modes import Modes, check_mondrian, modes_of
from spark_deid.anonymity.space import last_codes, space_of
from spark_deid.anonymity.spark import chunks as stored
from spark_deid.anonymity.spark.chunks import CHUNK_ROWS, PERSON, ChunkLayout, RowChunk
from spark_deid.anonymity.spark.finishing import (
    PART,
    TIE,
    UNIT,
    FinishedFile,
    PartFinisher,
    compared_schema,
    finish_part,
    original_name,
)
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.engine.partitions import map_numbered
from spark_deid.engine.resources import parallelism
from spark_deid.engine.shared import SharedValue, share_packed
from spark_deid.engine.tables import read_files, types_in
from spark_deid.engine.tasks import run_tasks
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.folder import LocalFolder
from spark_deid.storage.parts import PartFile as File
from spark_deid.storage.spark.records import arrow_schema

PART_ROWS = CHUNK_ROWS
"""About how many rows a worker finishes at a time."""
BATCH_ROWS = 1 << 16
COMPARED = "rows"
"""The folder of a workspace that keeps rows before and after."""
_BATCH_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"
PartResult = TypeVar("PartResult")


@dataclass(frozen=True)
class MondrianRequest:
    """What a table is to become: ``published`` are all columns of the result, in order.

    Classes show bands where ``recoding`` does not state otherwise. Where a ``private`` folder is named, its ``fitted``
    keeps the recoding, and ``rows`` is a Delta table of the quasi-identifiers before and after. ``release_key`` makes
    ids of people and the order of rows, the key of everything else if it is missing. ``compared`` is a new folder
    for rows before and after where no private one is named.
    """

    claim: PrivacyClaim
    published: tuple[str, ...]
    recoding: Modes
    is_relaxed: bool = False
    private: Path | None = None
    release_key: bytes = field(default=b"", repr=False)
    compared: Path | None = None


@dataclass(frozen=True)
class MondrianResult:
    """The files of a recoded table, and what it came to.

    ``sizes`` and ``before`` count classes by their people (rows, where no one states whose they are), after and before;
    before, people of several rows are where their least values are. ``ncp`` is the fraction of the span of each
    quasi-identifier that a row covers on average; ``splits`` counts cuts by quasi-identifier, ``top`` those that the
    whole table decided; ``suppressed`` counts rows that are omitted, by reason. ``pairs`` are files of rows and, in
    the same order, of what they were.
    """

    files: tuple[File, ...]
    schema: pa.Schema
    rows: int
    units: int
    sizes: Counter[int]
    before: Counter[int]
    ncp: dict[str, float]
    splits: dict[str, int]
    top: int
    suppressed: dict[str, int] = field(default_factory=dict)
    pairs: tuple[tuple[File, File], ...] = ()


class MondrianFolders(NamedTuple):
    """New folders that every worker sees, the result's files go to ``output``, and the key of ties."""

    scratch: Path
    output: Path
    key: bytes


def cut_table(
    table: DataFrame, request: MondrianRequest, scratch: Path, output: Path, key: bytes, *, part_rows: int = PART_ROWS
) -> MondrianResult:
    """Cut a table into classes by Mondrian, and write its rows, recoded, as files in a folder.

    ``scratch`` and ``output`` are new folders that every worker sees. The person column becomes a hash by the
    request's key, ties are drawn by ``key``.
    Reads the table once; then runs a job for its codes, one or a few for each level of cuts that the whole table
    decides, and two that bring parts together and finish them. On the driver are the distinct values of coded columns
    (at most ``DISTINCT_BYTES``), and counts of them.

    Raises UsageError, CorpusError, and GateRefused where the whole table does not satisfy the models as one class.
    """
    with open_table(table, request, MondrianFolders(scratch, output, key)) as (work, finisher):
        constraint = work.code()
        cuts = work.top_cuts(constraint, request.is_relaxed, part_rows)
        boxes = find_node_boxes(cuts, last_codes(work.coder.quasi).astype(np.int64))
        leaves = np.flatnonzero(cuts.columns < 0)
        finisher = replace(
            finisher,
            constraint=constraint,
            boxes=(boxes[0][leaves], boxes[1][leaves]),
            fitted=_folder(request.private, FITTED),
            compared=_folder(request.private, COMPARED) or folder_for_pairs(request),
        )
        finished = work.finish(work.route(cuts), finisher)
    if request.private is not None:
        save_fitted(request.private / FITTED, request.claim, work.coder.quasi, cuts)
        commit_compared(request.private / COMPARED, request.claim, finished)
    return result_of(finished, finisher.schema, work.coder, cuts)


@contextmanager
def open_table(
    table: DataFrame, request: MondrianRequest, places: MondrianFolders, plain: PrivacyClaim | None = None
) -> Iterator[tuple["StoredTable", PartFinisher]]:
    """Store a table, and give what looks at it and, but for constraint and boxes, what finishes its parts.

    Columns are coded by ``plain`` where it is given. Raises UsageError and CorpusError.
    """
    claim, spark = request.claim, table.sparkSession
    check_mondrian(claim)
    check_columns(claim, table.columns)
    layout = stored.layout_of(claim, request.published, tied=request.is_relaxed)
    places.output.mkdir(parents=True, exist_ok=True)
    places.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    nothing = np.empty((0, len(claim.quasi)), np.int32)
    with large_batches(spark):
        release_key = request.release_key or places.key
        chunks = stored.store_chunks(table, layout, places.scratch / "chunks", places.key, release_key)
        coder = stored.coder_for(plain or claim, layout, chunks)
        modes = modes_of(claim, request.recoding)
        coder = replace(coder, quasi=with_bands(coder.quasi, modes))
        yield (
            StoredTable(spark, chunks, layout, coder, claim),
            PartFinisher(
                coder=coder,
                constraint=claim.models.tighten(free_constraint()),
                recoding=modes,
                is_relaxed=request.is_relaxed,
                boxes=(nothing, nothing),
                layout=layout,
                schema=schema_of(table, request),
                folder=str(places.output),
                key=release_key,
            ),
        )


def commit_compared(folder: Path, claim: PrivacyClaim, finished: Sequence[FinishedFile]) -> None:
    """Make the files of rows before and after a table."""
    files = [entry.compared for entry in finished if entry.compared is not None]
    commit_table(LocalFolder(folder), compared_schema(claim.quasi), files)


def folder_for_pairs(request: MondrianRequest) -> str:
    """Make the folder for rows before and after that the request names; an empty text where it names none."""
    if request.compared is None:
        return ""
    request.compared.mkdir(mode=0o700)
    return str(request.compared)


def _folder(private: Path | None, name: str) -> str:
    if private is None:
        return ""
    (private / name).mkdir(mode=0o700)
    return str(private / name)


@dataclass(frozen=True)
class StoredTable:
    """A stored table, and the session that looks at it.

    ``doubling`` gives, by attribute, the doubled codes of a fitted recoding for those of the table. Of these originals
    can't be reported again: ``with_originals`` has routed rows provide them.
    """

    spark: SparkSession
    chunks: tuple[RowChunk, ...]
    layout: ChunkLayout
    coder: TableCoder
    claim: PrivacyClaim
    doubling: tuple[Int32s, ...] = ()
    with_originals: bool = False

    @property
    def groups(self) -> list[tuple[RowChunk, ...]]:
        """Return chunks, a group a task."""
        tasks = min(len(self.chunks), 2 * parallelism(self.spark))
        return [self.chunks[start::tasks] for start in range(tasks)]

    @property
    def rows(self) -> int:
        """Return how many rows the table has."""
        return sum(chunk.rows for chunk in self.chunks)

    @property
    def units(self) -> int:
        """Return how many people the table has, or rows where no one states whose they are."""
        return sum(chunk.units for chunk in self.chunks)

    def code(self) -> ClassConstraint:
        """Code all chunks; return the constraint that classes must satisfy.

        Raises CorpusError for sensitive values that can't be counted on the driver.
        """
        check_values(int(self.coder.offsets[-1]), len(self.groups))
        shared = share_packed(self.spark, self.coder)
        held = run_tasks(
            self.spark, partial(_code, layout=self.layout, coder=shared, doubling=self.doubling), self.groups
        )
        shared.destroy()
        return constraint_for(self.claim, self.coder, np.sum(held, axis=0))

    def top_cuts(self, constraint: ClassConstraint, is_relaxed: bool, part_rows: int) -> CutTree:
        """Cut until parts fit."""
        most = max(part_rows * self.units // self.rows, 1)
        rules = CutRules(space_of(self.coder.quasi), constraint, is_relaxed, most, len(self.groups))
        return top_cuts(self._ask, rules, self.units)

    def route(self, cuts: CutTree) -> "RoutedFiles":
        """Write which part of some cuts each row belongs to."""
        numbered = list(enumerate(self.chunks))
        routes = partial(_route, layout=self.layout, coder=self.coder, cuts=cuts, with_originals=self.with_originals)
        files = run_tasks(self.spark, routes, numbered)
        return RoutedFiles(tuple(files), int((cuts.columns < 0).sum()))

    def each(
        self, routed: "RoutedFiles", function: Callable[[Iterator[pa.RecordBatch]], PartResult | None]
    ) -> list[PartResult]:
        """Bring the rows of each part together; return what a function makes of those that have any."""
        rows = read_files(self.spark, routed.files, types_in(self.spark, routed.files[0]))
        shared = share_packed(self.spark, function)
        made = map_numbered(rows, routed.parts, PART, partial(finish_part, finisher=shared), "made binary").collect()
        shared.destroy()
        return [entry for entry in (pickle.loads(row[0]) for row in made) if entry is not None]

    def finish(
        self, routed: "RoutedFiles", finisher: Callable[[Iterator[pa.RecordBatch]], FinishedFile | None]
    ) -> list[FinishedFile]:
        """Finish each part."""
        finished = self.each(routed, finisher)
        if sum(entry.file.rows + sum((entry.suppressed or {}).values()) for entry in finished) != self.rows:
            raise SparkDeidError("the table is not written: a part of it was lost on its way to a worker. Run again")
        return finished

    def _ask(self, cuts: CutTree, questions: Sequence[Question]) -> list[NodeCounts]:
        result = run_tasks(self.spark, partial(_answer, cuts=cuts, questions=questions), self.groups)
        return [merge_answers(each) for each in zip(*result, strict=True)]


class RoutedFiles(NamedTuple):
    """Files of rows that know their part, and how many parts there are."""

    files: tuple[str, ...]
    parts: int


def _code(
    chunks: Sequence[RowChunk], *, layout: ChunkLayout, coder: SharedValue[TableCoder], doubling: tuple[Int32s, ...]
) -> Int64s:
    made = coder.value
    held: Int64s = np.sum([stored.code_chunk(chunk, layout, made, doubling) for chunk in chunks], axis=0)
    return held


def _answer(chunks: Sequence[RowChunk], *, cuts: CutTree, questions: Sequence[Question]) -> list[NodeCounts]:
    results = [answer_questions(stored.part_of(chunk), cuts, questions) for chunk in chunks]
    return [merge_answers(each) for each in zip(*results, strict=True)]


def _route(
    numbered: tuple[int, RowChunk], *, layout: ChunkLayout, coder: TableCoder, cuts: CutTree, with_originals: bool
) -> str:
    """Write a chunk's rows with codes, and the part that each belongs to; return the file's path."""
    number, chunk = numbered
    part, rows = stored.part_of(chunk), stored.read_rows(chunk)
    leaves = np.cumsum(cuts.columns < 0, dtype=np.int32) - 1
    ties = part.ties if part.ties.size else np.zeros(part.number, np.uint64)
    nodes = place_units(cuts, part.placed(), ties)
    of_unit = np.where(nodes < 0, np.int32(0), leaves[nodes])  # a unit that lies nowhere is told of by whoever finishes
    sizes = np.diff(part.units)
    columns: dict[str, Any] = {PART: np.repeat(of_unit, sizes)}
    if layout.person is not None:
        columns[UNIT] = np.repeat(np.arange(part.number, dtype=np.int64) + (number << 32), sizes)
        columns[PERSON] = rows.column(PERSON)
    if layout.tied:
        columns[TIE] = np.repeat(part.ties.view(np.int64), sizes)
    columns |= {f"q{at}": part.codes[:, at] for at in range(part.codes.shape[1])}
    names = layout.names
    for at, (attribute, start) in enumerate(zip(coder.sensitive, coder.offsets, strict=False)):
        columns[f"s{at}"] = stored.codes_of_rows(attribute, rows.column(names[attribute.name]), int(start))
    payload = (*layout.coded[part.codes.shape[1] :], *layout.carried)
    columns |= {names[name]: _plain(rows.column(names[name])) for name in payload}
    if with_originals:
        originals = (_plain(rows.column(names[attribute.name])) for attribute in coder.quasi)
        columns |= {original_name(at): cells.cast(pa.string()) for at, cells in enumerate(originals)}
    path = f"{chunk.path}/routed.parquet"
    pq.write_table(pa.table(columns), path, compression="snappy", write_statistics=False, store_schema=False)
    return path


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    if not (is_list(array.type) and pa.types.is_dictionary(array.type.value_type)):
        return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array  # Missing elements remain.
    values, offsets = flatten_column(array)
    return with_values(values.dictionary_decode(), offsets)


def schema_of(table: DataFrame, request: MondrianRequest) -> pa.Schema:
    """Return the columns of the result: quasi-identifiers and people as text, the others as they are."""
    texts = {*request.claim.quasi, request.claim.person}
    fields = []
    for name in request.published:
        fields.append(StructField(name, StringType() if name in texts else table.schema[name].dataType))
    return arrow_schema(StructType(fields))


def result_of(finished: Sequence[FinishedFile], schema: pa.Schema, coder: TableCoder, cuts: CutTree) -> MondrianResult:
    """Add up what parts came to; ``cuts`` are those of the whole table."""
    rows = sum(entry.file.rows for entry in finished)
    suppressed: Counter[str] = sum((Counter(entry.suppressed or {}) for entry in finished), Counter())
    covered = [fsum(float(entry.covered[at]) for entry in finished) for at in range(len(coder.quasi))]
    top = np.bincount(cuts.columns[cuts.columns >= 0], minlength=len(coder.quasi))
    splits = np.sum([top, *(entry.splits for entry in finished)], axis=0)
    names = [attribute.name for attribute in coder.quasi]
    return MondrianResult(
        files=tuple(sorted(entry.file for entry in finished)),
        schema=schema,
        rows=rows,
        units=sum(entry.units for entry in finished),
        sizes=sum((entry.sizes for entry in finished), Counter()),
        before=sum((entry.before for entry in finished), Counter()),
        ncp={name: value / max(rows, 1) for name, value in zip(names, covered, strict=True)},
        splits=dict(zip(names, splits.tolist(), strict=True)),
        top=int(top.sum()),
        suppressed=dict(suppressed),
        pairs=tuple((entry.file, entry.compared) for entry in finished if entry.compared is not None),
    )


@contextmanager
def large_batches(spark: SparkSession) -> Iterator[None]:
    """Hand rows to workers in larger batches while the block runs."""
    before = spark.conf.get(_BATCH_SETTING)
    spark.conf.set(_BATCH_SETTING, str(BATCH_ROWS))
    try:
        yield
    finally:
        spark.conf.set(_BATCH_SETTING, str(before))
